import type { Cancel, Clock } from '@understudy/core'
import { encodeComment } from '@understudy/sse'

type Result = IteratorResult<Uint8Array, undefined>

const DONE: Result = { done: true, value: undefined }
const COMMENT: Result = { done: false, value: Buffer.from(encodeComment('waiting')) }

/** A stream that has begun before its run is bound to a leg. */
export interface Waiting {
  /** The stream of the run, once it is there. Never rejects. */
  readonly rest: Promise<AsyncIterableIterator<Uint8Array>>
  readonly clock: Clock
  readonly everyMs: number
  /** The reader has left before `rest` was there. */
  readonly abandon: () => void
}

/**
 * Comment lines, so that no proxy cuts the client off, until `rest` is there; then that. Not a generator: the `return` of one
 * would wait behind its `next`.
 */
export function waitingAnswer({ rest, clock, everyMs, abandon }: Waiting): AsyncIterableIterator<Uint8Array> {
  let stream: AsyncIterableIterator<Uint8Array> | undefined
  let begun = false
  let over = false
  let cancel: Cancel | undefined
  let deliver: ((result: Result | Promise<Result>) => void) | undefined
  let reading: Promise<Result> | undefined

  void rest.then((arrived) => {
    stream = arrived
    if (over) void stream.return?.()
    else settle(() => arrived.next())
  })

  const iterator: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      if (over) return Promise.resolve(DONE)
      if (stream !== undefined) return stream.next()
      if (!begun) {
        begun = true
        return Promise.resolve(COMMENT)
      }
      // A second read waits for the first, which would be forgotten else.
      if (deliver !== undefined && reading !== undefined) return reading.then(() => iterator.next())
      reading = new Promise((resolve) => {
        deliver = resolve
        cancel = clock.schedule(everyMs, () => settle(() => COMMENT))
      })
      return reading
    },
    async return() {
      if (!over) {
        over = true
        settle(() => DONE)
        if (stream === undefined) abandon()
        else await stream.return?.()
      }
      return DONE
    },
  }
  return iterator

  /** Answers the read that waits, if one does. */
  function settle(result: () => Result | Promise<Result>): void {
    cancel?.()
    const answer = deliver
    deliver = undefined
    answer?.(result())
  }
}

/** What `promise` gives, or `undefined` if that takes longer. */
export function unlessSlow<T>(promise: Promise<T>, clock: Clock, afterMs: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(afterMs, () => resolve(undefined))
    promise.then((value) => {
      cancel()
      resolve(value)
    }, reject)
  })
}
