import type { Cancel, Clock } from './clock.js'
import { legFailed } from './errors.js'
import type { Failure, TimeoutPhase } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import { StopSwitch } from './stop-signal.js'

/** Makes the scope of one attempt. */
export function createAttemptScope(clock: Clock): AttemptScope {
  return new AttemptScope(clock)
}

/**
 * One attempt's signal and the limits that may abort it, each with its own reason. A class: an open stream holds one, and its
 * methods are shared.
 */
export class AttemptScope {
  readonly stopSwitch = new StopSwitch()
  readonly #clock: Clock
  #armed: Map<TimeoutPhase, Cancel> | undefined
  #isConnected = false
  #stopped: Failure | undefined
  #listener: ((failure: Failure) => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Aborts with a `LegFailedError` of what stopped the attempt. */
  get signal(): AbortSignal {
    return this.stopSwitch.signal
  }

  /** Why the attempt was stopped, once it was: rules over whatever the leg throws because of it. */
  stopped(): Failure | undefined {
    return this.#stopped
  }

  /** Stops the attempt: the signal aborts with the failure as its reason. Only the first reason counts. */
  stop(failure: Failure): void {
    if (this.#stopped !== undefined) return
    this.#stopped = failure
    this.stopSwitch.abort(legFailed(failure))
    this.#listener?.(failure)
  }

  /** Told once, at the stop. Takes the place of an earlier listener. */
  onStop(listener: (failure: Failure) => void): void {
    this.#listener = listener
  }

  /**
   * Settles as `work` does, or rejects at the stop: a leg that does not listen to its signal holds nobody. What `work` gives
   * after that goes to `late`. One at a time; takes the place of a listener.
   */
  orStopped<T>(work: PromiseLike<T>, late?: (value: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#listener = (failure) => reject(legFailed(failure))
      if (this.#stopped !== undefined) this.#listener(this.#stopped)
      work.then((value) => {
        if (this.#stopped !== undefined) late?.(value)
        resolve(value)
      }, reject)
    })
  }

  /** Ends the connect limit. Until then nobody can have seen the request, whichever limit fires. */
  connected(): void {
    this.#isConnected = true
    this.disarm('connect')
  }

  /** Stops the attempt as a timeout of this phase, unless disarmed before. */
  arm(phase: TimeoutPhase, delayMs: number): void {
    this.disarm(phase)
    this.#armed ??= new Map()
    this.#armed.set(phase, this.#clock.schedule(delayMs, () => this.stop(timedOut(phase, this.#isConnected))))
  }

  disarm(phase: TimeoutPhase): void {
    this.#armed?.get(phase)?.()
    this.#armed?.delete(phase)
  }

  /** Takes every limit back. */
  release(): void {
    if (this.#armed === undefined) return
    for (const cancel of this.#armed.values()) cancel()
    this.#armed = undefined
  }
}

/** The failure of a limit that fired; `isConnected`: whether the request may have been sent by then. */
export function timedOut(phase: TimeoutPhase, isConnected = phase !== 'connect'): Failure {
  return failureOf('timeout', { phase, processed: isConnected ? 'maybe' : 'no' })
}
