import type { Verdict } from '../failure/verdict.js'
import type { Admission, AdmissionTicket } from './admission.js'
import type { BreakerStatus } from './breaker.js'
import type { BreakerSettings } from './breaker-settings.js'
import type { Rest } from './cooldowns.js'

/** What a store says to a request that would be the probe. */
export interface StoreAdmission {
  readonly admission: Admission
  /** Where the breaker stands after it. */
  readonly status: BreakerStatus
}

/**
 * Where several processes share the health of their providers. Keys are opaque strings. Every time that crosses this
 * border is a length in ms, because the clocks of two processes have no common zero; a store reads its own. A method
 * that rejects, or that takes too long, never fails or delays a request: the process goes on with what it knows itself.
 *
 * `healthStoreContract` in the repository's test kit is what an implementation has to pass.
 */
export interface HealthStore {
  /** Where the breaker stands; one that the store does not know is closed in episode 0. */
  readonly read: (key: string) => Promise<BreakerStatus>
  /**
   * Admits an attempt, atomically: of any number that ask at once while the breaker is due or half-open, in any number
   * of processes, exactly one gets the slot. The slot is leased for `recoveryMs`, 1 s at least.
   */
  readonly admit: (key: string, settings: BreakerSettings) => Promise<StoreAdmission>
  /**
   * Takes a verdict, atomically. A ticket of an earlier episode changes nothing. Gives where the breaker stands after
   * it.
   */
  readonly settle: (
    key: string,
    ticket: AdmissionTicket,
    verdict: Verdict,
    settings: BreakerSettings,
  ) => Promise<BreakerStatus>
  /** Lets a leg rest. A longer rest that the store knows of stays. */
  readonly rest: (legKey: string, rest: Rest) => Promise<void>
  /** The rest that a leg is in; `undefined` = none. */
  readonly restOf: (legKey: string) => Promise<Rest | undefined>
}
