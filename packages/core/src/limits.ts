import type { Leg } from './leg.js'

/** Limits of a whole chain, in milliseconds. */
export interface ChainLimits {
  /** Until commit or answer, over the whole chain. Default the sum of the legs' `timeoutMs`, at most 300 000; `false` = none. */
  readonly deadlineMs?: number | false | undefined
  /** After so long no new attempt and no retry sleep starts; nothing is cut. 0 = nothing starts. Default none. */
  readonly windowMs?: number | undefined
  /** A leg with less than this left of `deadlineMs` (or half of it, if that is less) is not started. Default 250. */
  readonly minAttemptMs?: number | undefined
}

/** The same, of a chain that is made for one request. */
export interface RunLimits extends ChainLimits {
  /** The most that the default of `deadlineMs` comes to. Default 300 000. */
  readonly maxDeadlineMs?: number | undefined
}

/** The limits of one attempt with every default filled in. `undefined` = no limit. */
export interface AttemptLimits {
  readonly connectTimeoutMs: number
  readonly firstContentTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly timeoutMs: number
  readonly maxStreamMs: number | undefined
  readonly finishGraceMs: number
}

/** What the defaults of one attempt depend on. */
export interface AttemptSituation {
  /** Whether another leg is left behind this one. */
  readonly legsLeft: boolean
  /** Whether the request asks for reasoning. */
  readonly reasoning: boolean
  /** Whether the provider's answer comes as one JSON document, which has no first content before its end. */
  readonly buffered: boolean
}

const CONNECT_MS = 5_000
const FIRST_CONTENT_MS = 10_000
const FIRST_CONTENT_REASONING_MS = 60_000
const IDLE_MS = 60_000
const ATTEMPT_MS = 60_000
const LAST_ATTEMPT_MS = 120_000
const FINISH_GRACE_MS = 5_000
const MAX_DEADLINE_MS = 300_000
const MIN_ATTEMPT_MS = 250

/** Fills in the limits of one attempt. */
export function attemptLimits(leg: Pick<Leg, 'limits' | 'reasoning'>, situation: AttemptSituation): AttemptLimits {
  const own = leg.limits ?? {}
  const timeoutMs = own.timeoutMs ?? (situation.legsLeft ? ATTEMPT_MS : LAST_ATTEMPT_MS)
  const firstContentTimeoutMs = own.firstContentTimeoutMs ?? defaultFirstContent(leg, situation, timeoutMs)
  // Not a literal: one is made for every attempt, and V8 would come to make it in the old generation.
  const limits = {} as { -readonly [Limit in keyof AttemptLimits]: AttemptLimits[Limit] }
  limits.connectTimeoutMs = own.connectTimeoutMs ?? CONNECT_MS
  limits.firstContentTimeoutMs = firstContentTimeoutMs
  limits.idleTimeoutMs = own.idleTimeoutMs ?? IDLE_MS
  limits.timeoutMs = timeoutMs
  limits.maxStreamMs = own.maxStreamMs === false ? undefined : own.maxStreamMs
  limits.finishGraceMs = own.finishGraceMs ?? FINISH_GRACE_MS
  return limits
}

function defaultFirstContent(leg: Pick<Leg, 'reasoning'>, { legsLeft, reasoning, buffered }: AttemptSituation, timeoutMs: number): number {
  if (!legsLeft || buffered) return timeoutMs
  return reasoning || leg.reasoning === true ? FIRST_CONTENT_REASONING_MS : FIRST_CONTENT_MS
}

/**
 * The limit over a whole chain: what was asked for, else the sum of what its legs may take. `undefined` = none. `isSafe`: behind an
 * attempt that took all its time only legs of its own provider are left.
 */
export function chainDeadline(legs: readonly Leg[], limits: RunLimits, isSafe = false): number | undefined {
  const { deadlineMs, maxDeadlineMs = MAX_DEADLINE_MS } = limits
  if (deadlineMs === false) return undefined
  if (deadlineMs !== undefined) return deadlineMs
  const isLast = (leg: Leg, index: number): boolean =>
    index === legs.length - 1 || (isSafe && !legs.some((other, behind) => behind > index && other.provider === leg.provider))
  const sumMs = legs.reduce((sum, leg, index) => sum + (leg.limits?.timeoutMs ?? (isLast(leg, index) ? LAST_ATTEMPT_MS : ATTEMPT_MS)), 0)
  return Math.min(sumMs, maxDeadlineMs)
}

/** How much of the deadline has to be left for a leg to be started. */
export function minAttempt({ minAttemptMs }: ChainLimits): number {
  return minAttemptMs ?? MIN_ATTEMPT_MS
}
