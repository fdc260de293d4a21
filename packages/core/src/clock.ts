/** What the core knows of time. The host's clock is `systemClock` in `@understudy/http`; tests inject one that they move. */
export interface Clock {
  /** Monotonic milliseconds; only differences mean something. */
  now(): number
  /** Runs `callback` once, `delayMs` from now, unless cancelled before. */
  schedule(delayMs: number, callback: () => void): Cancel
}

/** Takes a scheduled callback back. Calling it twice, or after the callback ran, does nothing. */
export type Cancel = () => void
