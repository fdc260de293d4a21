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
    arm(phase, delayMs) {
      disarm(phase)
      armed.set(
        phase,
        clock.schedule(delayMs, () => stop(timedOut(phase))),
      )
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
