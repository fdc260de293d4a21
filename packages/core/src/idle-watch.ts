import type { Cancel, Clock } from './clock.js'

/** Watches how long a stream has been silent, without a timer for each read. */
export interface IdleWatch {
  /** A read is asked for: silence counts from here. */
  readonly asked: () => void
  /** The read came; one without events (pings) leaves the silence as long as it is. */
  readonly arrived: (events: number) => void
  readonly stop: () => void
}

/**
 * Calls `onIdle` once when the waits for reads without events add up to `idleMs`. Time in which no read is asked for is the
 * client's and does not count. One coarse timer a stream: it looks at the clock when it fires and arms itself again for what
 * is missing, so a read costs two looks at the clock; while nobody reads there is none.
 */
export function createIdleWatch(clock: Clock, idleMs: number, onIdle: () => void): IdleWatch {
  return new SilenceWatch(clock, idleMs, onIdle)
}

class SilenceWatch implements IdleWatch {
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #onIdle: () => void
  #silentMs = 0
  #askedAt: number | undefined
  #cancel: Cancel | undefined

  constructor(clock: Clock, idleMs: number, onIdle: () => void) {
    this.#clock = clock
    this.#idleMs = idleMs
    this.#onIdle = onIdle
  }

  asked(): void {
    this.#askedAt = this.#clock.now()
    this.#cancel ??= this.#schedule(this.#silentMs)
  }

  arrived(events: number): void {
    if (events > 0) this.#silentMs = 0
    else if (this.#askedAt !== undefined) this.#silentMs += this.#clock.now() - this.#askedAt
    this.#askedAt = undefined
  }

  stop(): void {
    this.#cancel?.()
  }

  #schedule(silentMs: number): Cancel {
    return this.#clock.schedule(Math.max(1, this.#idleMs - silentMs), () => this.#check())
  }

  #check(): void {
    if (this.#askedAt === undefined) {
      this.#cancel = undefined
      return
    }
    const silentMs = this.#silentMs + this.#clock.now() - this.#askedAt
    if (silentMs >= this.#idleMs) this.#onIdle()
    else this.#cancel = this.#schedule(silentMs)
  }
}
