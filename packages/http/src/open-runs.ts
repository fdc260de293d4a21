import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'

/** A run that has begun and whose answer is not over. */
export interface OpenRun {
  /** Takes from the core what stops it. */
  readonly onStart: (stop: (failure: Failure) => void) => void
  /** Its reader has left: no leg is to be asked or read for it any more. */
  readonly abandon: () => void
  /** Its answer is over. */
  readonly end: () => void
}

/** The runs of a `Fallback` that are under way. */
export interface OpenRuns {
  readonly begin: () => OpenRun
  readonly count: () => number
  /** Stops every run, for the host's sake and at no leg's expense. */
  readonly close: () => void
  /** Calls the listener at the close, at once if that was; gives what takes it back. For what is waited for outside of a run's attempts. */
  readonly onClose: (listener: () => void) => () => void
  readonly closed: () => boolean
}

const CLOSED = 'closed'

/** Keeps the open runs of one `Fallback`. */
export function createOpenRuns(): OpenRuns {
  const stops = new Map<OpenRun, (failure: Failure) => void>()
  const listeners = new Set<() => void>()
  let closed = false

  return {
    begin() {
      const open: OpenRun = {
        onStart: (stop) => stops.set(open, stop),
        abandon: () => stops.get(open)?.(failureOf('aborted')),
        end: () => stops.delete(open),
      }
      stops.set(open, ignore)
      return open
    },
    count: () => stops.size,
    close() {
      closed = true
      const failure = failureOf('aborted', { code: CLOSED })
      for (const stop of stops.values()) stop(failure)
      for (const listener of listeners) listener()
      listeners.clear()
    },
    onClose(listener) {
      if (closed) listener()
      else listeners.add(listener)
      return () => listeners.delete(listener)
    },
    closed: () => closed,
  }
}

/** Whether an answer broke because the `Fallback` was closed, and not because its client left. */
export function isClosing({ kind, code }: Failure): boolean {
  return kind === 'aborted' && code === CLOSED
}

function ignore(): void {
  // The core has not begun with it.
}
