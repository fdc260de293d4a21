import type { Arrival, DirectIterator, ItemReader, Part, StopSignal } from '@understudy/core'
import { failureOf, promised, READ } from '@understudy/core'
import type { StreamDecoder } from '@understudy/dialects'
import type { ByteSource } from './byte-source.js'
import { Given } from './given.js'

type Result = IteratorResult<Arrival, undefined>

const DONE: Result = { done: true, value: undefined }

/**
 * The arrivals of a stream of events: one for each read that completed something. Not a generator, so that `return`
 * reaches the socket while `next` waits, and a read that completes nothing wakes nobody.
 *
 * Hot: `[READ]` once a read.
 */
export class EventArrivals implements DirectIterator<Arrival> {
  readonly #source: ByteSource
  readonly #decoder: StreamDecoder
  readonly #signal: StopSignal
  #unread: Buffer | undefined
  #done = false
  #reader: ItemReader<Arrival> | undefined

  /** `unread` was taken from the source already. */
  constructor(source: ByteSource, decoder: StreamDecoder, signal: StopSignal, unread: Buffer | undefined) {
    this.#source = source
    this.#decoder = decoder
    this.#signal = signal
    this.#unread = unread
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result> {
    return promised(this)
  }

  [READ](reader: ItemReader<Arrival>): void {
    this.#reader = reader
    this.#advance()
  }

  return(): Promise<Result> {
    if (!this.#done) {
      this.#done = true
      this.#source.cancel()
      this.#waiting()?.onItem(DONE)
    }
    return Promise.resolve(DONE)
  }

  readonly #advance = (): void => {
    let result: Result | undefined
    try {
      result = this.#read()
    } catch (thrown) {
      this.#waiting()?.onFailure(thrown)
      return
    }
    if (result === undefined) this.#source.onReady(this.#advance)
    else this.#waiting()?.onItem(result)
  }

  /** Who is to be told now, once: he may ask for the next at once. */
  #waiting(): ItemReader<Arrival> | undefined {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }

  /** What there is to give now. */
  #read(): Result | undefined {
    if (this.#done) return DONE
    if (this.#signal.aborted) {
      this.#done = true
      this.#source.cancel()
      throw this.#signal.reason
    }
    for (let bytes = this.#take(); bytes !== undefined; bytes = this.#take()) {
      const arrival = this.#decoder.push(bytes)
      if (arrival !== undefined) return this.#give(arrival)
    }
    return this.#source.state === 'open' ? undefined : this.#end()
  }

  #take(): Buffer | undefined {
    const bytes = this.#unread ?? this.#source.take()
    this.#unread = undefined
    return bytes
  }

  #give(arrival: Arrival): Result {
    if (isOver(arrival.parts)) {
      this.#done = true
      this.#source.release()
    }
    return new Given(arrival)
  }

  #end(): Result {
    this.#done = true
    const last = this.#decoder.end()
    // An answer that said that it is whole is whole, however its connection ended.
    if (this.#source.state !== 'failed' || (last !== undefined && isOver(last.parts))) {
      return last === undefined ? DONE : { done: false, value: last }
    }
    const failure = this.#source.failure ?? failureOf('connection_error')
    const parts: Part[] = [...(last?.parts ?? []), { type: 'error', failure }]
    return { done: false, value: { events: 0, ...last, parts } }
  }
}

function isOver(parts: readonly Part[]): boolean {
  const last = parts.at(-1)
  return last?.type === 'end' || last?.type === 'error'
}
