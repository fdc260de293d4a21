import type { Cancel, Clock } from './clock.js'

/** Reads after which a timer is set that shows whether anything beside promises runs. */
const UNWATCHED_READS = 32
/** Reads without a sign of it, after which the next one has to wait for it. */
const MAX_READS = 128

/**
 * Lets limits and aborts in beside a source that never really waits: promises that are settled already keep every timer and
 * socket of the process from running. A source that waits pays a count a read, and one timer for each 32 reads.
 */
export class Breather {
  readonly #clock: Clock
  #reads = 0
  #cancel: Cancel | undefined
  #wake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Asked before each read: what has to be waited for first, if anything. Hot: once a read. */
  pause(): Promise<void> | undefined {
    this.#reads += 1
    if (this.#reads < UNWATCHED_READS) return undefined
    this.#cancel ??= this.#clock.schedule(0, this.#onTimer)
    if (this.#reads < MAX_READS) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** No read follows. Leaves no timer, and nobody who waits. */
  stop(): void {
    this.#cancel?.()
    this.#onTimer()
  }

  readonly #onTimer = (): void => {
    this.#reads = 0
    this.#cancel = undefined
    this.#wake?.()
    this.#wake = undefined
  }
}
