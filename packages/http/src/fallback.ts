import type { BreakerSnapshot, CooldownSnapshot, FailureKind, FallbackEvent } from '@understudy/core'

import type { HostFault } from './authorize-faults.js'
import type { DrillControl, DrillSnapshot } from './drills/drill-control.js'
import type { ChainControl } from './live/chain-control.js'
import type { ChainSnapshot, LiveSnapshot } from './live/chain-snapshot.js'
import type { InboundRequest } from './inbound/request.js'
import type { OutboundResponse } from './inbound/response.js'
import type { Warn } from './warnings.js'

/** One route as it stands now. Content-free. */
export interface RouteSnapshot {
  readonly name: string
  /** How long the vectors of a route of embeddings are; absent = it is one of completions. */
  readonly dimensions?: number | undefined
  /** Which chain it runs, and where that comes from. */
  readonly chain: ChainSnapshot
  /** The legs of that chain. */
  readonly legs: readonly LegSnapshot[]
  /** Every preset that can be selected, the selected one too, so that its unproven legs are seen before it is; absent = the route has none. */
  readonly presets?: readonly PresetSnapshot[] | undefined
}

/** One preset of a route. Content-free. */
export interface PresetSnapshot {
  readonly name: string
  /** What responses say while it is selected. */
  readonly marking?: string | undefined
  readonly legs: readonly LegSnapshot[]
}

/** One leg of a route. Content-free. */
export interface LegSnapshot {
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
  /** Milliseconds since the epoch; absent = it never served since the start, and is unproven. */
  readonly lastServedAt?: number | undefined
  /** There, and true, while its last attempts all failed as those of a leg that is set wrongly, and another leg served. */
  readonly misconfigured?: true | undefined
}

/** The last failure of a leg. Content-free. */
export interface LegFailureSnapshot {
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
  readonly kind: FailureKind
  readonly status?: number | undefined
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What a `Fallback` is doing. Content-free. */
export interface FallbackSnapshot {
  readonly routes: readonly RouteSnapshot[]
  /** The live document and its source; absent without the option `chains`. */
  readonly live?: LiveSnapshot | undefined
  readonly lastFailures: readonly LegFailureSnapshot[]
  /** The breakers of the providers that were asked, one for each region of a provider. */
  readonly breakers: readonly BreakerSnapshot[]
  /** The legs that rest after a rate limit. */
  readonly cooldowns: readonly CooldownSnapshot[]
  /** Runs whose answer is not over: a stream counts until it is read to its end or closed. */
  readonly openRuns: number
  /** The drills that run; absent while none does. */
  readonly drills?: readonly DrillSnapshot[] | undefined
  /** How often a listener threw or rejected. */
  readonly listenerErrors: number
}

/** A running Understudy: its routes, its legs and what it knows of their health. Shared by every adapter that holds it. */
export interface Fallback {
  /** Synchronous, no I/O: is this request ours? `path` is relative to the mount, without the query. */
  readonly matches: (method: string, path: string, atRoot?: boolean) => boolean
  /** Answers a request that `matches`. Resolves at commit or at the final failure; never rejects. */
  readonly handle: (request: InboundRequest) => Promise<OutboundResponse>
  readonly snapshot: () => FallbackSnapshot
  /** Listens to what happens. A listener runs after the bytes are written; what it throws is counted and goes no further. */
  readonly on: (listener: (event: FallbackEvent) => void) => () => void
  /** Changes chains, tells of their changes, and tries their legs. */
  readonly chains: ChainControl
  /** Fails legs on purpose, to see the chain move on. */
  readonly drills: DrillControl
  /** Aborted at the close: for what stands beside the `Fallback` and must end with it. */
  readonly closing: AbortSignal
  /** Ends open streams with an error event, stops timers, sources and sockets. A second call does nothing more. */
  readonly close: () => Promise<void>
}

/** A `Fallback` at one place of one host, with the options of that place. All that an adapter calls. */
export interface MountedFallback {
  readonly fallback: Fallback
  /** Whether it was made for this mount, so that the mount closes it with its host. */
  readonly owned: boolean
  readonly matches: (method: string, path: string, atRoot: boolean) => boolean
  /** Rejects, and asks no leg, where the host had begun the response by itself: that is for the host's error handling. */
  readonly handle: (request: InboundRequest) => Promise<OutboundResponse>
  /** Says what a person should know of the mount: to the logger of the `Fallback` if it has one. */
  readonly warn: Warn
  /** Says that a function of the host's which says who may did not say it: as an error to that logger. */
  readonly onHostFault: (fault: HostFault) => void
}
