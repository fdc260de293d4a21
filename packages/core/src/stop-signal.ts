/**
 * What a leg needs of an `AbortSignal`, and an `AbortSignal` is one. A chain gives its legs a lighter one: making a real one takes
 * microseconds, and most legs over HTTP only look at it.
 */
export interface StopSignal {
  readonly aborted: boolean
  /** What it was aborted with. */
  readonly reason: unknown
  throwIfAborted(): void
  /** The listener is called once, at the abort, and must not throw; not at all if that was before. */
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

const none: readonly (() => void)[] = []

/** A stop signal and its switch; becomes a real `AbortSignal` for whoever asks for one. */
export class StopSwitch implements StopSignal {
  aborted = false
  reason: unknown = undefined
  #listeners = none
  #controller: AbortController | undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  /** Only the first reason counts. */
  abort(reason: Error): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = this.#listeners
    this.#listeners = none
    this.#controller?.abort(reason)
    for (const listener of listeners) listener()
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners = this.#listeners.length === 0 ? [listener] : [...this.#listeners, listener]
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.length === 1 && this.#listeners[0] === listener
      ? none
      : this.#listeners.filter((other) => other !== listener)
  }
}
