/** A time that begins anew with each piece of news. */
export interface Deadline {
  /** Aborts when the time is up, and when the other signal does. */
  readonly signal: AbortSignal
  readonly restart: () => void
  readonly stop: () => void
  readonly isOver: () => boolean
}

/** Starts a deadline of `ms`. */
export function createDeadline(ms: number, other: AbortSignal): Deadline {
  const controller = new AbortController()
  const end = (): void => controller.abort(new Error('the time is up'))
  let timer = setTimeout(end, ms)
  return {
    signal: AbortSignal.any([controller.signal, other]),
    restart() {
      clearTimeout(timer)
      timer = setTimeout(end, ms)
    },
    stop: () => clearTimeout(timer),
    isOver: () => controller.signal.aborted,
  }
}
