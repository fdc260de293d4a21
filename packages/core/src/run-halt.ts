import type { Attempt } from './attempt.js'
import type { Cancel, Clock } from './clock.js'
import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import { timedOut } from './scope.js'

/** What can end a whole run from outside: the client, and the chain's deadline. One listener and one timer a run. */
export interface RunHalt {
  /** Why the run was ended, once it was. */
  readonly halted: () => Failure | undefined
  /** The attempt that is ended with the run. */
  readonly watch: (attempt: Attempt) => void
  /** The run is bound to this attempt: from here only the client ends it. */
  readonly bindTo: (attempt: Attempt) => void
  /** Waits, or less if the run is ended meanwhile. */
  readonly sleep: (delayMs: number) => Promise<void>
  readonly release: () => void
}

/** Listens for what ends a run. */
export function createRunHalt(clock: Clock, deadlineMs: number | undefined, signal: AbortSignal | undefined): RunHalt {
  let halted: Failure | undefined
  let attempt: Attempt | undefined
  let wake: (() => void) | undefined
  let cancelDeadline: Cancel | undefined

  if (deadlineMs !== undefined) cancelDeadline = clock.schedule(deadlineMs, () => halt(timedOut('chain')))
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })

  return {
    halted: () => halted,
    watch(next) {
      attempt = next
    },
    bindTo(next) {
      attempt = next
      cancelDeadline?.()
    },
    sleep(delayMs) {
      return new Promise((resolve) => {
        if (halted !== undefined) {
          resolve()
          return
        }
        const cancel = clock.schedule(delayMs, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    },
    release() {
      cancelDeadline?.()
      signal?.removeEventListener('abort', onAbort)
    },
  }

  function onAbort(): void {
    halt(failureOf('aborted'))
  }

  function halt(failure: Failure): void {
    if (halted !== undefined) return
    halted = failure
    attempt?.stop(failure)
    wake?.()
  }
}
