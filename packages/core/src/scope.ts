import type { Cancel, Clock } from './clock.js'
import { LegFailedError } from './errors.js'
import type { Failure, TimeoutPhase } from './failure/failure.js'
import { failureOf } from './failure/failure.js'

/** One attempt's signal and the limits that may abort it, each with its own reason. */
export interface AttemptScope {
  readonly signal: AbortSignal
  /** Why the attempt was stopped, once it was: rules over whatever the leg throws because of it. */
  readonly stopped: () => Failure | undefined
  /** Stops the attempt: the signal aborts with the failure as its reason. Only the first reason counts. */
  readonly stop: (failure: Failure) => void
  /** Told once, at the stop. Takes the place of an earlier listener. */
  readonly onStop: (listener: (failure: Failure) => void) => void
  /**
   * Settles as `work` does, or rejects at the stop: a leg that does not listen to its signal holds nobody. What `work` gives
   * after that goes to `late`. One at a time; takes the place of a listener.
   */
  readonly orStopped: <T>(work: PromiseLike<T>, late?: (value: T) => void) => Promise<T>
  /** Stops the attempt as a timeout of this phase, unless disarmed before. */
  readonly arm: (phase: TimeoutPhase, delayMs: number) => void
  readonly disarm: (phase: TimeoutPhase) => void
  /** Takes every limit back. */
  readonly release: () => void
}

/** Makes the scope of one attempt. */
export function createAttemptScope(clock: Clock): AttemptScope {
  const controller = new AbortController()
  const armed = new Map<TimeoutPhase, Cancel>()
  let stopped: Failure | undefined
  let listener: ((failure: Failure) => void) | undefined

  return {
    signal: controller.signal,
    stopped: () => stopped,
    stop,
    onStop(next) {
      listener = next
    },
    orStopped(work, late) {
      return new Promise((resolve, reject) => {
        listener = (failure) => reject(new LegFailedError(failure))
        if (stopped !== undefined) listener(stopped)
        work.then((value) => {
          if (stopped !== undefined) late?.(value)
          resolve(value)
        }, reject)
      })
    },
    arm(phase, delayMs) {
      disarm(phase)
      const cancel = clock.schedule(delayMs, () => stop(timedOut(phase)))
      armed.set(phase, cancel)
    },
    disarm,
    release() {
      for (const cancel of armed.values()) cancel()
      armed.clear()
    },
  }

  function stop(failure: Failure): void {
    if (stopped !== undefined) return
    stopped = failure
    controller.abort(new LegFailedError(failure))
    listener?.(failure)
  }

  function disarm(phase: TimeoutPhase): void {
    armed.get(phase)?.()
    armed.delete(phase)
  }
}

/** The failure of a limit that fired. */
export function timedOut(phase: TimeoutPhase): Failure {
  return failureOf('timeout', { phase, processed: phase === 'connect' ? 'no' : 'maybe' })
}
