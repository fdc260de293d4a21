/**
 * When a closed breaker trips. The machine never changes; only this does. Keeps what it has to remember of the results.
 */
export interface TripRule {
  /** An attempt ended well. */
  readonly success: (now: number) => void
  /** An attempt was charged. True = trip now. */
  readonly failure: (now: number) => boolean
  /** The failures that it still remembers, for snapshots. */
  readonly failures: (now: number) => number
}
