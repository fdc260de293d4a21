/** What the core knows of time. Tests inject one that they move. */
export interface Clock {
  /** Monotonic milliseconds; only differences mean something. */
  now(): number
  /** Runs `callback` once, `delayMs` from now, unless cancelled before. */
  schedule(delayMs: number, callback: () => void): Cancel
}

/** Takes a scheduled callback back. Calling it twice, or after the callback ran, does nothing. */
export type Cancel = () => void

/** The longest that a timer of the system waits, 24.8 days; it takes anything longer for 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1

/**
 * The system's own clock. `unref` (default false) keeps its timers from holding the process: right beside a server, whose
 * sockets hold it, and wrong for a script that waits for nothing else.
 */
export function createSystemClock({ unref = false }: { readonly unref?: boolean | undefined } = {}): Clock {
  return {
    now: () => performance.now(),
    schedule(delayMs, callback) {
      const timer = setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS))
      if (unref) timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
