import type { Arrival, DirectIterator, ItemReader } from '@understudy/core'
import { directOf, READ, readByPromise } from '@understudy/core'
import { Given } from './given.js'

type Result = IteratorResult<Arrival, undefined>

/** What a client of another dialect can be told of each arrival. Hot: `[READ]` once a read. */
export class SayableArrivals implements DirectIterator<Arrival>, ItemReader<Arrival> {
  readonly #arrivals: AsyncIterableIterator<Arrival, undefined, undefined>
  readonly #direct: DirectIterator<Arrival> | undefined
  readonly #sayableIn: (arrival: Arrival) => Arrival
  #reader: ItemReader<Arrival> | undefined

  constructor(arrivals: AsyncIterableIterator<Arrival, undefined, undefined>, sayableIn: (arrival: Arrival) => Arrival) {
    this.#arrivals = arrivals
    this.#direct = directOf(arrivals)
    this.#sayableIn = sayableIn
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<Result> {
    return this.#said(await this.#arrivals.next())
  }

  [READ](reader: ItemReader<Arrival>): void {
    this.#reader = reader
    if (this.#direct === undefined) readByPromise(this.#arrivals, this)
    else this.#direct[READ](this)
  }

  return(): Promise<Result> {
    return this.#arrivals.return?.() ?? Promise.resolve({ done: true, value: undefined })
  }

  onItem(result: Result): void {
    let said: Result
    try {
      said = this.#said(result)
    } catch (thrown) {
      this.onFailure(thrown)
      return
    }
    this.#waiting()?.onItem(said)
  }

  onFailure(reason: unknown): void {
    this.#waiting()?.onFailure(reason)
  }

  #waiting(): ItemReader<Arrival> | undefined {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }

  #said(result: Result): Result {
    if (result.done === true) return result
    const said = this.#sayableIn(result.value)
    return said === result.value ? result : new Given(said)
  }
}
