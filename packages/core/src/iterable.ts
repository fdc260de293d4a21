import type { Arrival, Part } from './part.js'

/** The result of an iterator that is over. */
export const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/**
 * Settles as `promise` does, unless the signal aborts first: then it rejects with the signal's reason at once. For work of
 * others that may not listen to the signal. What `promise` gives after that goes to `late`.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal, late: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      const reason: unknown = signal.reason
      reject(reason instanceof Error ? reason : new Error('aborted', { cause: reason }))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort)
        if (signal.aborted) late(value)
        resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort)
        reject(error instanceof Error ? error : new Error('a leg threw no Error', { cause: error }))
      },
    )
  })
}

/** Closes an iterator without waiting for it: it may be stuck, and what it throws on the way out helps nobody. */
export function closeIterator(iterator: AsyncIterator<unknown>): void {
  try {
    iterator.return?.().then(undefined, () => undefined)
  } catch {
    // A hand-written iterator may throw instead of rejecting; it is over either way.
  }
}

/**
 * What a custom leg yields, as arrivals: text becomes text parts, and an end without a finish is a finish, since whoever
 * yields plain text has no other way to say so. Its `next()` settles when the signal aborts even if the leg does not listen.
 */
export function arrivalsOf(source: AsyncIterable<string | Part>, signal: AbortSignal): AsyncIterable<Arrival> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]()
      let finished = false
      let over = false
      return {
        async next() {
          if (over) return DONE
          const result = await orAborted(iterator.next(), signal, () => closeIterator(iterator))
          if (result.done === true) {
            over = true
            const parts: Part[] = finished ? [{ type: 'end' }] : [{ type: 'finish', reason: 'stop' }, { type: 'end' }]
            return { done: false, value: { parts, events: 1 } }
          }
          const part: Part = typeof result.value === 'string' ? { type: 'text', text: result.value } : result.value
          if (part.type === 'finish') finished = true
          return { done: false, value: { parts: [part], events: 1 } }
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
