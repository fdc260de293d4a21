/**
 * What an admitted attempt holds, and hands back with its verdict. Plain data, so that a shared store can give one out.
 * Losing it loses nothing: the slot of a probe is leased.
 */
export interface AdmissionTicket {
  /** Whether the attempt is the probe of a half-open breaker. */
  readonly probe: boolean
  /** The stretch of one state that it was given in. What comes back in a later one changes nothing. */
  readonly episode: number
  /** Which probe it is. */
  readonly lease?: number | undefined
}

/** Whether a breaker lets an attempt start. */
export type Admission =
  | { readonly admitted: true; readonly ticket: AdmissionTicket }
  | { readonly admitted: false; readonly reason: 'circuit_open'; readonly retryAfterMs: number }

/** What a breaker would say, without taking anything. */
export type BreakerPeek =
  | { readonly tier: 'closed' }
  | {
      /** `due`: open, and its time is up. `half-open`: the slot is free. In both cases the next to ask is the probe. */
      readonly tier: 'half-open' | 'due'
      /** Whether the last probe is at least `recoveryMs` ago, so that some request has to be the next one. */
      readonly probeTurn: boolean
    }
  | {
      /** Open, or half-open with its probe under way. */
      readonly tier: 'out'
      readonly retryAfterMs: number
    }
