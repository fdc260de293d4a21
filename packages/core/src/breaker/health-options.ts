import type { Clock } from '../clock.js'
import type { BreakerEvent } from './breaker-events.js'
import type { BreakerOptions } from './breaker-settings.js'
import type { HealthStore } from './health-store.js'
import type { StorePatience, StoreProblem } from './store-link.js'

/** What the health of one provider depends on. */
export interface ProviderHealth {
  /** Laid over the `breaker` of all; `false` = none for this provider. */
  readonly breaker?: false | BreakerOptions | undefined
  /**
   * What the name stands for: base URL, credentials, whatever makes it another account when it changes. Opaque; never
   * shown. A reload with another one starts the provider afresh.
   */
  readonly fingerprint?: string | undefined
}

/** The part of the health options that a reload may change. */
export interface HealthConfig {
  /** The breaker of every provider; `false` = none. Default: one with the default options. */
  readonly breaker?: false | BreakerOptions | undefined
  /** Whether a 429 rests its leg. Default true. */
  readonly cooldown?: boolean | undefined
  /** By provider name. A provider that is not listed has the options of all. */
  readonly providers?: Readonly<Record<string, ProviderHealth>> | undefined
}

/** What a registry stands on. */
export interface HealthOptions extends HealthConfig {
  readonly clock: Clock
  /** In [0, 1). For the jitter of breakers. Default `Math.random`. */
  readonly random?: (() => number) | undefined
  /** Milliseconds since the epoch, for events and snapshots. Default `Date.now`. */
  readonly epoch?: (() => number) | undefined
  /** Hears of every breaker that changes its state. What it throws goes no further. */
  readonly on?: ((event: BreakerEvent) => void) | undefined
  /** Shares the state with other processes. Default: this process's own memory. */
  readonly store?: HealthStore | undefined
  readonly patience?: StorePatience | undefined
  /** Told when the store does not answer and local state takes over. */
  readonly warn?: ((problem: StoreProblem) => void) | undefined
  /** Told when a store of which there was a warning answers again. */
  readonly onReturn?: (() => void) | undefined
}
