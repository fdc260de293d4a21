import type { Arrival, DirectIterator } from '@understudy/core'
import { directOf, READ } from '@understudy/core'
import { Given } from './given.js'

type Result = IteratorResult<Arrival, undefined>

/** What a client of another dialect can be told of each arrival. Hot: `[READ]` once a read. */
export class SayableArrivals implements DirectIterator<Arrival> {
  readonly #arrivals: AsyncIterableIterator<Arrival, undefined, undefined>
  readonly #direct: DirectIterator<Arrival> | undefined
  readonly #sayableIn: (arrival: Arrival) => Arrival
  #onResult: ((result: Result) => void) | undefined
  #onError: ((reason: unknown) => void) | undefined

  constructor(arrivals: AsyncIterableIterator<Arrival, undefined, undefined>, sayableIn: (arrival: Arrival) => Arrival) {
    this.#arrivals = arrivals
    this.#direct = directOf(arrivals)
    this.#sayableIn = sayableIn
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result> {
    return this.#arrivals.next().then(this.#said)
  }

  [READ](onResult: (result: Result) => void, onError: (reason: unknown) => void): void {
    if (this.#direct === undefined) {
      this.next().then(onResult, onError)
      return
    }
    this.#onResult = onResult
    this.#onError = onError
    this.#direct[READ](this.#take, onError)
  }

  return(): Promise<Result> {
    return this.#arrivals.return?.() ?? Promise.resolve({ done: true, value: undefined })
  }

  readonly #take = (result: Result): void => {
    let said: Result
    try {
      said = this.#said(result)
    } catch (thrown) {
      this.#onError?.(thrown)
      return
    }
    this.#onResult?.(said)
  }

  readonly #said = (result: Result): Result => {
    if (result.done === true) return result
    const said = this.#sayableIn(result.value)
    return said === result.value ? result : new Given(said)
  }
}
