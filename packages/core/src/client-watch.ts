import type { Clock } from './clock.js'
import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { AttemptScope } from './scope.js'

/** Whether the client is still there. One listener a run, however many legs it asks. */
export interface ClientWatch {
  /** Why the run is over before its time, once it is: the client has left, or the host has stopped it. */
  readonly left: () => Failure | undefined
  /** The attempt that is stopped when the client leaves; at once if it has. Takes the place of an earlier one. */
  readonly watch: (scope: AttemptScope) => void
  /** Waits between two attempts, or less if the client leaves meanwhile. */
  readonly sleep: (delayMs: number) => Promise<void>
  /** Settles as `work` does, or with nothing once the client has left: code of the host that never ends holds no run. */
  readonly orLeft: <T>(work: Promise<T>) => Promise<T | undefined>
  /** Ends the run as the client's leaving does, for a reason of the host's own. Does nothing once it is released. */
  readonly stop: (failure: Failure) => void
  readonly release: () => void
}

/** Listens for the client's leaving. Without a signal it never leaves. */
export function watchClient(clock: Clock, signal: AbortSignal | undefined): ClientWatch {
  let left = signal?.aborted === true ? failureOf('aborted') : undefined
  let isOver = false
  let scope: AttemptScope | undefined
  let wake: (() => void) | undefined
  if (left === undefined) signal?.addEventListener('abort', onAbort, { once: true })

  return {
    left: () => left,
    watch(next) {
      scope = next
      if (left !== undefined) scope.stop(left)
    },
    sleep(delayMs) {
      scope = undefined
      if (left !== undefined) return Promise.resolve()
      return new Promise((resolve) => {
        const cancel = clock.schedule(delayMs, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    },
    orLeft(work) {
      scope = undefined
      return new Promise((resolve, reject) => {
        wake = () => resolve(undefined)
        if (left !== undefined) wake()
        work.then(resolve, reject)
      })
    },
    stop,
    release() {
      isOver = true
      signal?.removeEventListener('abort', onAbort)
    },
  }

  function onAbort(): void {
    stop(failureOf('aborted'))
  }

  function stop(failure: Failure): void {
    if (isOver || left !== undefined) return
    left = failure
    scope?.stop(failure)
    wake?.()
  }
}
