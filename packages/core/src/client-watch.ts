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
  return new RunClient(clock, signal)
}

/** A class: one is made for every run. `stop` may be handed on by itself. */
class RunClient implements ClientWatch {
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined
  #left: Failure | undefined
  #isOver = false
  #scope: AttemptScope | undefined
  #wake: (() => void) | undefined

  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.#clock = clock
    this.#signal = signal
    if (signal === undefined) return
    if (signal.aborted) this.#left = failureOf('aborted')
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  left(): Failure | undefined {
    return this.#left
  }

  watch(scope: AttemptScope): void {
    this.#scope = scope
    if (this.#left !== undefined) scope.stop(this.#left)
  }

  sleep(delayMs: number): Promise<void> {
    this.#scope = undefined
    if (this.#left !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#clock.schedule(delayMs, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  orLeft<T>(work: Promise<T>): Promise<T | undefined> {
    this.#scope = undefined
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined)
      if (this.#left !== undefined) this.#wake()
      work.then(resolve, reject)
    })
  }

  readonly stop = (failure: Failure): void => {
    if (this.#isOver || this.#left !== undefined) return
    this.#left = failure
    this.#scope?.stop(failure)
    this.#wake?.()
  }

  release(): void {
    this.#isOver = true
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => this.stop(failureOf('aborted'))
}
