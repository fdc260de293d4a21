import { readPart } from './custom-part.js'
import { LegFailedError } from './errors.js'
import { failureOf } from './failure/failure.js'
import { field } from './failure/field.js'
import type { Arrival, Part } from './part.js'

/** The result of an iterator that is over. */
export const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** The key of `DirectIterator`'s own member: a symbol, so that no iterator of a host's has it by chance. */
export const READ: unique symbol = Symbol('understudy.read')

/** Who reads an iterator directly. Its methods never throw. An object rather than functions: a stream then makes no closures for it. */
export interface ItemReader<T> {
  onItem(result: IteratorResult<T, undefined>): void
  onFailure(reason: unknown): void
}

/**
 * An iterator whose next item can also be had without a promise, which costs a stream that waits some hundred bytes, and each of its
 * items a turn of the microtask queue. For one reader, who uses one of the two ways.
 */
export interface DirectIterator<T> extends AsyncIterableIterator<T, undefined, undefined> {
  /** Tells the reader once, before it returns or later, and never throws; to be called again only when that was done. */
  [READ](reader: ItemReader<T>): void
}

/** Reads the next item of any other iterator; one that throws instead of rejecting has failed too. */
export function readByPromise<T>(iterator: AsyncIterator<T, unknown>, reader: ItemReader<T>): void {
  try {
    iterator.next().then(
      (result) => tell(reader, result),
      (reason: unknown) => reader.onFailure(reason),
    )
  } catch (thrown) {
    reader.onFailure(thrown)
  }
}

/** What a hand-written iterator gives may be no result at all. */
function tell<T>(reader: ItemReader<T>, result: IteratorResult<T, unknown>): void {
  let item: IteratorResult<T, undefined>
  try {
    item = result.done === true ? DONE : result
  } catch (thrown) {
    reader.onFailure(thrown)
    return
  }
  reader.onItem(item)
}

/** The next item of a direct iterator, as a promise. */
export function promised<T>(iterator: DirectIterator<T>): Promise<IteratorResult<T, undefined>> {
  return new Promise((resolve, reject) => iterator[READ]({ onItem: resolve, onFailure: reject }))
}

/** The same iterator, where it is one that can be read directly. */
export function directOf<T>(iterator: AsyncIterator<T> | DirectIterator<T>): DirectIterator<T> | undefined {
  // A hand-written iterable may give no object at all, which its first read will show.
  return typeof iterator === 'object' && READ in iterator ? iterator : undefined
}

/** Closes an iterator without waiting for it: it may be stuck, and what it throws on the way out helps nobody. */
export function closeIterator(iterator: AsyncIterator<unknown>): void {
  try {
    iterator.return?.().then(undefined, () => undefined)
  } catch {
    // A hand-written iterator may throw instead of rejecting; it is over either way.
  }
}

/** Closes an answer that came when nobody waited for it any more. */
export function closeArrivals({ arrivals }: { readonly arrivals: AsyncIterable<unknown> }): void {
  try {
    closeIterator(arrivals[Symbol.asyncIterator]())
  } catch {
    // It is no answer at all; then there is nothing to close.
  }
}

/**
 * What a custom leg yields, as arrivals: text becomes text parts, `undefined` (a piece without text, in many SDKs) says
 * nothing, and an end without a finish is a finish, since whoever yields plain text has no other way to say so. What is neither
 * text nor a part as `Part` says fails the leg as `malformed`, before the commit and behind it.
 */
export function arrivalsOf(source: AsyncIterable<string | Part>): AsyncIterable<Arrival> {
  if (typeof source?.[Symbol.asyncIterator] !== 'function') {
    const cause = new TypeError('`open` of a custom leg must give an async iterable of texts or parts')
    throw new LegFailedError(failureOf('malformed', { code: 'no_iterable' }), { cause })
  }
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]()
      let finished = false
      let over = false
      return {
        async next() {
          if (over) return DONE
          const result: unknown = await iterator.next()
          if (!isResult(result)) throw new LegFailedError(failureOf('malformed', { code: 'no_result' }))
          if (result.done !== true) {
            const parts = partsOf(result.value)
            finished ||= parts[0]?.type === 'finish'
            return { done: false, value: { parts, events: 1 } }
          }
          over = true
          const parts: Part[] = finished ? [{ type: 'end' }] : [{ type: 'finish', reason: 'stop' }, { type: 'end' }]
          return { done: false, value: { parts, events: 1 } }
        },
        return() {
          over = true
          closeIterator(iterator)
          return Promise.resolve(DONE)
        },
      }
    },
  }
}

/** As `for await` has it: what is no object is no result, and a number would say nothing for ever. */
function isResult(value: unknown): value is IteratorResult<string | Part> {
  return typeof value === 'object' && value !== null
}

function partsOf(value: string | Part | null | undefined): readonly Part[] {
  if (value === null || value === undefined) return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (typeof value === 'object' && typeof field(value, 'type') === 'string') return [readPart(value)]
  throw new LegFailedError(failureOf('malformed', { code: 'no_part' }))
}
