import type { Failure } from '../failure/failure.js'
import type { Verdict } from '../failure/verdict.js'
import type { LegIdentity } from './leg-key.js'

/** Why a leg may not be asked now. */
export interface Refusal {
  readonly admitted: false
  readonly reason: 'circuit_open' | 'cooldown'
  /** When it is worth asking again. Above 0. */
  readonly retryAfterMs: number
  /** Whether the leg rests because of a 429. */
  readonly afterRateLimit: boolean
}

/** What is known of a leg before it is asked, without taking anything. */
export type LegHealth =
  | {
      readonly tier: 'closed' | 'half-open' | 'due'
      /** Whether some request has to be its probe now, whatever the order says. */
      readonly probeTurn: boolean
    }
  | (Refusal & { readonly tier: 'out' })

/** That an attempt may start. */
export interface Permit {
  readonly admitted: true
  /** Whether it is the probe of a provider that was left out. */
  readonly probe: boolean
  /**
   * The end of the attempt: of one that failed before the commit at once, of one that committed at the end of its
   * answer. No failure = it answered. Gives what that says about the provider. Only the first call counts. An attempt
   * that was admitted and never opened ends as `aborted`. One whose end never comes holds the slot of a probe for its
   * lease, and nothing else.
   */
  settle(failure: Failure | undefined): Verdict
}

/** Whether an attempt may start. */
export type LegAdmission = Permit | Refusal

/** How an attempt is let in. */
export interface AdmitOptions {
  /** The same leg again, within its run: the rest that its own failure asked for was just waited out. Default false. */
  readonly retried?: boolean | undefined
  /** Let in although the leg is out, because every leg is (`whenAllOpen: 'try'`). Default false. */
  readonly force?: boolean | undefined
}

/**
 * The health of the legs as one run sees and changes it. Made at the start of the run and dropped with it: it holds
 * which providers the run has charged already, so that each is charged once, however many of its legs fail.
 */
export interface RunHealth {
  /** For plans, policy checks and orders: takes no slot. */
  peek(leg: LegIdentity): LegHealth
  /**
   * Asked right before each attempt, retries included, and after every wait that comes before it. What it admits is
   * owed a `settle`. A promise only with a shared store, and there only for an attempt that would be the probe.
   */
  admit(leg: LegIdentity, options?: AdmitOptions): LegAdmission | Promise<LegAdmission>
  /** Whether `admit` would refuse a retry of this leg now, so that the sleep before it can be saved. */
  refusesRetry(leg: LegIdentity): boolean
}
