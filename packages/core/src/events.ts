import type { BreakerEvent } from './breaker/breaker-events.js'
import type { FailureKind, TimeoutPhase } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import type { Usage } from './part.js'
import type { SkipReason } from './report.js'

interface RunEvent {
  readonly requestId: string
  readonly route: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

interface LegEvent extends RunEvent {
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
}

/** An attempt begins. `attempt` counts from 1 over the run. */
export interface AttemptStartEvent extends LegEvent {
  readonly type: 'attempt-start'
  readonly attempt: number
}

/** An attempt ended without serving, or broke after the commit. */
export interface AttemptFailureEvent extends LegEvent {
  readonly type: 'attempt-failure'
  readonly attempt: number
  readonly kind: FailureKind
  readonly phase?: TimeoutPhase | undefined
  readonly status?: number | undefined
  readonly code?: string | undefined
  /** What it says about the provider's health. */
  readonly verdict: Verdict
  readonly usage?: Usage | undefined
  /** From the beginning of the attempt to its failure, in ms. */
  readonly latencyMs: number
  /** Whether the run was already bound to the leg. */
  readonly committed: boolean
}

/** A leg was left out without being called. */
export interface LegSkippedEvent extends LegEvent {
  readonly type: 'leg-skipped'
  readonly reason: SkipReason
}

/** The run moves from one leg to the next. Once for each move. */
export interface FailoverEvent extends RunEvent {
  readonly type: 'failover'
  /** `provider/model` */
  readonly from: string
  /** `provider/model` */
  readonly to: string
  readonly reason: FailureKind
  /** From the beginning of the last attempt on `from` to its failure, in ms. */
  readonly latencyMs: number
  readonly callerKeyId?: string | undefined
}

/** The run is bound to a leg. */
export interface RunCommitEvent extends LegEvent {
  readonly type: 'run-commit'
  readonly attempt: number
  /** From the beginning of this attempt to the commit, in ms. */
  readonly latencyMs: number
}

/**
 * A class of request with its own eligible legs and advance rule. `native`: what only one vendor's legs can be asked, and a chain within that
 * vendor; the core by itself says `standard`.
 */
export type Lane = 'standard' | 'native' | 'embeddings'

/** The run is over, whatever came of it. */
export interface RunEndEvent extends RunEvent {
  readonly type: 'run-end'
  readonly lane: Lane
  readonly callerKeyId?: string | undefined
  /** What the client put into `model`. */
  readonly requested?: string | undefined
  /** The leg that served; absent if none did. */
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
  /** The HTTP status that the client got, if it got one. */
  readonly status?: number | undefined
  readonly errorCode?: string | undefined
  /** The health verdict of the attempt that ended the run. */
  readonly verdict?: Verdict | undefined
  /** From the beginning of the run, when its request was read, to the end of its answer or its final failure, in ms. */
  readonly latencyMs: number
}

/**
 * The last attempts on a leg all ended in a fault that looks like a wrong model, credential or setting, while another leg
 * served: a misspelt leg must not hide behind the one that rescues it. Once, until the leg answers otherwise.
 */
export interface LegMisconfiguredEvent {
  readonly type: 'leg-misconfigured'
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
  /** How its last attempt failed: `not_found`, `auth_error` or `invalid_request`. */
  readonly kind: FailureKind
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What happens in a run, content-free: no prompt, answer, key or header is ever in one. */
export type RunEvents =
  | AttemptStartEvent
  | AttemptFailureEvent
  | LegSkippedEvent
  | FailoverEvent
  | RunCommitEvent
  | RunEndEvent

/** What became of one route, by a change of its chain. */
export interface ChainChange {
  readonly route: string
  /** The legs before, as `provider/model`. */
  readonly from: readonly string[]
  /** The legs now. */
  readonly to: readonly string[]
  /** The preset that is selected now, where the route has presets. */
  readonly preset?: string | undefined
  /** When that preset goes back to `normal` by itself. Milliseconds since the epoch; absent = it does not. */
  readonly expiresAt?: number | undefined
}

/** Who wrote the document, and when this process acted on it. */
interface ChainEventBase {
  /** Of the document. */
  readonly version: number
  readonly by: string
  /** In the words of who wrote it. */
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A live document was applied. Requests from now on run its chains; a run keeps the chain that it started with. */
export interface ChainAppliedEvent extends ChainEventBase {
  readonly type: 'chain-applied'
  /** The routes whose chain is another one now. */
  readonly changes: readonly ChainChange[]
}

/** A live document was refused, whole. Once for each document. */
export interface ChainRejectedEvent {
  readonly type: 'chain-rejected'
  /** Of the document, where it could be read. */
  readonly version?: number | undefined
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** What is wrong, each with its path. */
  readonly issues: readonly string[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A route went back to `normal` by itself, since the time of its pin was over. */
export interface ChainRevertedEvent extends ChainEventBase, ChainChange {
  readonly type: 'chain-reverted'
}

/** A preset other than `normal` is selected for a time. */
interface PinEvent extends ChainEventBase {
  readonly route: string
  readonly preset: string
  /** When it was selected. Milliseconds since the epoch. */
  readonly since: number
  /** When it goes back to `normal` by itself. Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** A pin has been there for an hour, and for each hour more. */
export interface PinActiveLongEvent extends PinEvent {
  readonly type: 'pin-active-long'
  readonly hours: number
}

/** A pin ends in ten minutes. */
export interface PinExpiringEvent extends PinEvent {
  readonly type: 'pin-expiring'
}

/** The time of a pin is over. Once, over restarts too where there is a last-known-good file. */
export interface PinExpiredEvent extends PinEvent {
  readonly type: 'pin-expired'
}

/** What happens to the live chains. */
export type ChainEvent =
  | ChainAppliedEvent
  | ChainRejectedEvent
  | ChainRevertedEvent
  | PinActiveLongEvent
  | PinExpiringEvent
  | PinExpiredEvent

/** How a drill makes a leg fail: before the call, or by cutting, stalling or corrupting its real answer. */
export type DrillFault = 'fail' | 'cut' | 'stall' | 'corrupt'

/** Why a drill is over: its time, its number of requests, somebody, or the close. */
export type DrillEndCause = 'time' | 'requests' | 'ended' | 'closed'

interface DrillEvent {
  readonly id: string
  readonly route: string
  /** `provider/model`; absent = the first leg of the chain. */
  readonly leg?: string | undefined
  readonly fault: DrillFault
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** From now on a leg is made to fail on purpose, for some requests. */
export interface DrillStartEvent extends DrillEvent {
  readonly type: 'drill-start'
  /** The part of the requests, or else `signed`. */
  readonly share?: number | undefined
  readonly signed?: true | undefined
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly maxRequests: number
  readonly by: string
  readonly reason: string
}

/** A drill is over. */
export interface DrillEndEvent extends DrillEvent {
  readonly type: 'drill-end'
  readonly cause: DrillEndCause
  /** How many attempts it failed. */
  readonly drilled: number
  /** Who ended it, with the cause `ended`. */
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

/**
 * Everything that a listener hears of: what happens in runs, to the health of providers and legs, and to the live chains.
 * Content-free.
 */
export type FallbackEvent = RunEvents | BreakerEvent | LegMisconfiguredEvent | ChainEvent | DrillStartEvent | DrillEndEvent
