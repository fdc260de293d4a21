import type { Verdict } from '../failure/verdict.js'

/** One breaker, as a snapshot shows it. */
export interface BreakerSnapshot {
  readonly provider: string
  readonly region?: string | undefined
  readonly state: 'closed' | 'open' | 'half-open'
  /** The charges that it remembers: those in its window, or those that opened it. */
  readonly failures: number
  /** What the last attempt said; absent until one ended. */
  readonly lastVerdict?: Verdict | undefined
  /** When an open one is due for a probe; milliseconds since the epoch. */
  readonly openUntil?: number | undefined
}

/** One leg that rests. */
export interface CooldownSnapshot {
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** The remembered health of all providers and legs; content-free. */
export interface HealthSnapshot {
  readonly breakers: readonly BreakerSnapshot[]
  readonly cooldowns: readonly CooldownSnapshot[]
}
