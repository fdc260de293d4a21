import type { FailureKind } from '../failure/failure.js'

interface BreakerEventBase {
  readonly provider: string
  readonly region?: string | undefined
  /** The charges that the breaker remembers: those that opened it, while it is not closed. */
  readonly failures: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A provider was charged too often: its legs are left out until `openUntil`. */
export interface BreakerOpenEvent extends BreakerEventBase {
  readonly type: 'breaker-open'
  readonly state: 'open'
  /** When it is due for a probe; milliseconds since the epoch. */
  readonly openUntil: number
  /** How the last attempt that was charged failed; absent where another process made it. */
  readonly kind?: FailureKind | undefined
  /** Of its answer, where there was one. */
  readonly status?: number | undefined
}

/** A request probes a provider that was left out. */
export interface BreakerHalfOpenEvent extends BreakerEventBase {
  readonly type: 'breaker-half-open'
  readonly state: 'half-open'
}

/** A provider's probes went well: its legs are asked again. */
export interface BreakerClosedEvent extends BreakerEventBase {
  readonly type: 'breaker-closed'
  readonly state: 'closed'
}

/** A breaker changed its state. Once for each change; content-free. */
export type BreakerEvent = BreakerOpenEvent | BreakerHalfOpenEvent | BreakerClosedEvent
