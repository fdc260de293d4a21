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
  let silentMs = 0
  let askedAt: number | undefined
  let cancel: Cancel | undefined

  return {
    asked() {
      askedAt = clock.now()
      cancel ??= clock.schedule(Math.max(1, idleMs - silentMs), check)
    },
    arrived(events) {
      if (events > 0) silentMs = 0
      else if (askedAt !== undefined) silentMs += clock.now() - askedAt
      askedAt = undefined
    },
    stop() {
      cancel?.()
    },
  }

  function check(): void {
    if (askedAt === undefined) {
      cancel = undefined
      return
    }
    const silent = silentMs + clock.now() - askedAt
    if (silent >= idleMs) onIdle()
    else cancel = clock.schedule(Math.max(1, idleMs - silent), check)
  }
}
