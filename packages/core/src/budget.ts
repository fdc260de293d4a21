import type { Clock } from './clock.js'
import type { Leg } from './leg.js'
import type { RunLimits } from './limits.js'
import { chainDeadline, minAttempt } from './limits.js'

/** Which limit of a chain is spent. */
export type SpentLimit = 'window' | 'deadline'

/** What the limits of a whole chain leave of its time. */
export interface Budget {
  /** The limit that keeps another attempt from starting now. */
  readonly spent: () => SpentLimit | undefined
  /** Whether the deadline is spent, whatever the window is. */
  readonly isDeadlineSpent: () => boolean
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

/** Starts the clock of a chain; `isSafe` as for `chainDeadline`. */
export function createBudget(clock: Clock, legs: readonly Leg[], limits: RunLimits, isSafe = false): Budget {
  return new ChainBudget(clock, limits, chainDeadline(legs, limits, isSafe))
}

/** A class: one is made for every run. */
class ChainBudget implements Budget {
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #windowMs: number
  readonly #deadlineMs: number
  readonly #toleranceMs: number
  readonly #neededMs: number

  constructor(clock: Clock, limits: RunLimits, deadlineMs = Infinity) {
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#windowMs = limits.windowMs ?? Infinity
    this.#deadlineMs = deadlineMs
    this.#toleranceMs = limits.deadlineMs === undefined ? LOST_BETWEEN_LEGS_MS : 0
    // Half of a short deadline is enough for the first leg: it starts after the run does, if only by a moment.
    this.#neededMs = Math.min(minAttempt(limits), this.#deadlineMs / 2)
  }

  spent(): SpentLimit | undefined {
    if (this.#elapsedMs() >= this.#windowMs) return 'window'
    return this.isDeadlineSpent() ? 'deadline' : undefined
  }

  isDeadlineSpent(): boolean {
    return this.#deadlineMs - this.#elapsedMs() < this.#neededMs
  }

  leftMs(): number {
    return Math.min(this.#deadlineMs, this.#windowMs) - this.#elapsedMs()
  }

  cutMs(timeoutMs: number): number | undefined {
    const leftMs = Math.ceil(this.#deadlineMs - this.#elapsedMs())
    return leftMs + this.#toleranceMs < timeoutMs ? leftMs : undefined
  }

  #elapsedMs(): number {
    return this.#clock.now() - this.#startedAt
  }
}
