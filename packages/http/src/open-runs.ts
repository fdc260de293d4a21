import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'

/** A run that has begun and whose answer is not over. Its members may be handed on by themselves. */
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
  const places = new Places()
  const listeners = new Set<() => void>()
  let closed = false

  return {
    begin: () => new ListedRun(places),
    count: () => places.taken,
    close() {
      closed = true
      const failure = failureOf('aborted', { code: CLOSED })
      for (const run of places.runs()) run.stop(failure)
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

/**
 * A list whose places are taken again. No `Map` or `Set`: one that things come to and go from makes a new table every so often, the old
 * table points to it, and once an old table has grown old in the heap, all that ever stood in a later one grows old with it.
 */
class Places {
  taken = 0
  readonly #places: (ListedRun | undefined)[] = []
  readonly #free: number[] = []

  take(run: ListedRun): number {
    this.taken += 1
    const place = this.#free.pop() ?? this.#places.length
    this.#places[place] = run
    return place
  }

  leave(place: number): void {
    this.taken -= 1
    this.#places[place] = undefined
    this.#free.push(place)
  }

  runs(): readonly ListedRun[] {
    return this.#places.filter((run) => run !== undefined)
  }
}

/** A class: one is made for every run. */
class ListedRun implements OpenRun {
  readonly #places: Places
  #place: number | undefined
  #stop: ((failure: Failure) => void) | undefined

  constructor(places: Places) {
    this.#places = places
    this.#place = places.take(this)
  }

  stop(failure: Failure): void {
    this.#stop?.(failure)
  }

  readonly onStart = (stop: (failure: Failure) => void): void => {
    if (this.#place !== undefined) this.#stop = stop
  }

  readonly abandon = (): void => this.stop(failureOf('aborted'))

  readonly end = (): void => {
    if (this.#place === undefined) return
    this.#places.leave(this.#place)
    this.#place = undefined
    this.#stop = undefined
  }
}
