import { createSystemClock } from '@understudy/core'
import type { Clock } from '@understudy/core'

/** What a wrapped client stands on, so that a test can bring its own. */
export interface ClientGround {
  /** For what a call waits for: it holds the process, since a script may wait for nothing else. */
  readonly clock: Clock
  /** For the limits of attempts, which hold no process. */
  readonly hopClock: Clock
  /** In [0, 1). */
  readonly random: () => number
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
}

/** The system's. */
export function systemGround(): ClientGround {
  return { clock: createSystemClock(), hopClock: createSystemClock({ unref: true }), random: Math.random, wallClock: Date.now }
}
