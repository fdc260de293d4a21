import type { Clock } from '@understudy/core'

interface Timer {
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Timers that are neither run nor cancelled. 0 at the end of a test proves that none was left. */
  readonly pending: number
  /** Moves on, running what comes due in order, and lets promises settle before, between and after. */
  readonly advance: (ms: number) => Promise<void>
  /** Runs timers until none is left. Throws after `most` of them: something arms itself for ever. */
  readonly drain: (most?: number) => Promise<void>
}

/** Makes a clock that stands at `startMs`. */
export function createFakeClock(startMs = 0): FakeClock {
  const timers = new Set<Timer>()
  let now = startMs
  let order = 0

  return {
    get pending() {
      return timers.size
    },
    now: () => now,
    schedule(delayMs, callback) {
      const timer = { at: now + Math.max(0, delayMs), order: order++, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    async advance(ms) {
      const end = now + ms
      await promiseJobs()
      for (let timer = nextDue(); timer !== undefined && timer.at <= end; timer = nextDue()) await fire(timer)
      now = end
    },
    async drain(most = 10_000) {
      await promiseJobs()
      for (let fired = 0; timers.size > 0; fired += 1) {
        if (fired === most) throw new Error(`still ${timers.size} timer(s) after ${most} were run`)
        const timer = nextDue()
        if (timer !== undefined) await fire(timer)
      }
    },
  }

  function nextDue(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers) {
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer
    }
    return next
  }

  async function fire(timer: Timer): Promise<void> {
    timers.delete(timer)
    now = timer.at
    timer.callback()
    await promiseJobs()
  }
}

/** Every promise job that is due has run when an immediate does. */
function promiseJobs(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
