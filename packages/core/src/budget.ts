import type { Clock } from './clock.js'
import type { Leg } from './leg.js'
import type { ChainLimits } from './limits.js'
import { chainDeadline, minAttempt } from './limits.js'

/** Which limit of a chain is spent. */
export type SpentLimit = 'window' | 'deadline'

/** What the limits of a whole chain leave of its time. */
export interface Budget {
  /** The limit that keeps another attempt from starting now. */
  readonly spent: () => SpentLimit | undefined
  /** How long a retry may wait and then still run. */
  readonly leftMs: () => number
  /** When the deadline cuts an attempt that may take `timeoutMs`; `undefined` if the attempt's own limit comes first. */
  readonly cutMs: (timeoutMs: number) => number | undefined
}

/**
 * The default deadline is the sum of what the legs may take, so the moments between two legs are missing from it at the end.
 * That is no reason to blame the chain for a last leg that had all its time.
 */
const LOST_BETWEEN_LEGS_MS = 100

/** Starts the clock of a chain. */
export function createBudget(clock: Clock, legs: readonly Leg[], limits: ChainLimits): Budget {
  const startedAt = clock.now()
  const windowMs = limits.windowMs ?? Infinity
  const deadlineMs = chainDeadline(legs, limits) ?? Infinity
  const toleranceMs = limits.deadlineMs === undefined ? LOST_BETWEEN_LEGS_MS : 0
  // Half of a short deadline is enough for the first leg: it starts after the run does, if only by a moment.
  const neededMs = Math.min(minAttempt(limits), deadlineMs / 2)

  return {
    spent() {
      const elapsedMs = clock.now() - startedAt
      if (elapsedMs >= windowMs) return 'window'
      return deadlineMs - elapsedMs < neededMs ? 'deadline' : undefined
    },
    leftMs: () => Math.min(deadlineMs, windowMs) - (clock.now() - startedAt),
    cutMs(timeoutMs) {
      const leftMs = Math.ceil(deadlineMs - (clock.now() - startedAt))
      return leftMs + toleranceMs < timeoutMs ? leftMs : undefined
    },
  }
}
