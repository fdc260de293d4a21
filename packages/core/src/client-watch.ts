import type { Clock } from './clock.js'
import { failureOf } from './failure/failure.js'
import type { AttemptScope } from './scope.js'

/** Whether the client is still there. One listener a run, however many legs it asks. */
export interface ClientWatch {
  /** Whether the client has left. */
  readonly gone: () => boolean
  /** The attempt that is stopped when the client leaves; at once if it has. Takes the place of an earlier one. */
  readonly watch: (scope: AttemptScope) => void
  /** Waits, or less if the client leaves meanwhile. */
  readonly sleep: (delayMs: number) => Promise<void>
  readonly release: () => void
}

/** Listens for the client's leaving. Without a signal it never leaves. */
export function watchClient(clock: Clock, signal: AbortSignal | undefined): ClientWatch {
  let isGone = signal?.aborted === true
  let scope: AttemptScope | undefined
  let wake: (() => void) | undefined
  if (!isGone) signal?.addEventListener('abort', onAbort, { once: true })

  return {
    gone: () => isGone,
    watch(next) {
      scope = next
      if (isGone) scope.stop(failureOf('aborted'))
    },
    sleep(delayMs) {
      if (isGone) return Promise.resolve()
      return new Promise((resolve) => {
        const cancel = clock.schedule(delayMs, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    },
    release() {
      signal?.removeEventListener('abort', onAbort)
    },
  }

  function onAbort(): void {
    isGone = true
    scope?.stop(failureOf('aborted'))
    wake?.()
  }
}
