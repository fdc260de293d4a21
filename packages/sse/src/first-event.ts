import type { ServerSentEvent } from './parse-frame.js'

/** A stream of events, split at the first event that was accepted. */
export interface FirstEvent {
  /** All events up to and including the accepted one; all that were read, if none was. */
  readonly held: readonly ServerSentEvent[]
  /** The events after `held`. Closing it, started or not, closes the source. */
  readonly rest: AsyncIterableIterator<ServerSentEvent, undefined, undefined>
  /** `false`: the source ended, or the bound on `held` was reached, without an event that was accepted. */
  readonly accepted: boolean
}

/** What bounds the events that are held back. Reaching a bound ends the wait with `accepted: false`. */
export interface FirstEventOptions {
  /** The most events. Default 256. */
  readonly maxHeldEvents?: number | undefined
  /** The most characters of data, all events together. Default 1 048 576. */
  readonly maxHeldLength?: number | undefined
}

/**
 * Waits for the first event that `accepts`. If `accepts` or the source throws, the source is closed and the error is
 * passed on.
 */
export async function awaitFirstEvent(
  source: AsyncIterable<ServerSentEvent>,
  accepts: (event: ServerSentEvent) => boolean,
  { maxHeldEvents = 256, maxHeldLength = 1024 * 1024 }: FirstEventOptions = {},
): Promise<FirstEvent> {
  const rest = closingIterator(source)
  const held: ServerSentEvent[] = []
  let heldLength = 0
  try {
    let accepted = false
    while (!accepted && held.length < maxHeldEvents && heldLength < maxHeldLength) {
      const result = await rest.next()
      if (result.done === true) break
      held.push(result.value)
      heldLength += result.value.data.length
      accepted = accepts(result.value)
    }
    return { held, rest, accepted }
  } catch (error) {
    await rest.return().catch(keepFirstError)
    throw error
  }
}

interface ClosingIterator extends AsyncIterableIterator<ServerSentEvent, undefined, undefined> {
  return(): Promise<IteratorReturnResult<undefined>>
}

// Not a generator: return() on one that was never started does not run its finally block; the source would stay open.
function closingIterator(source: AsyncIterable<ServerSentEvent>): ClosingIterator {
  const iterator = source[Symbol.asyncIterator]()
  let closed = false

  async function close(): Promise<IteratorReturnResult<undefined>> {
    if (!closed) {
      closed = true
      await iterator.return?.()
    }
    return { done: true, value: undefined }
  }

  return {
    async next() {
      if (closed) return { done: true, value: undefined }
      try {
        const result = await iterator.next()
        if (result.done !== true) return { done: false, value: result.value }
        closed = true
        return { done: true, value: undefined }
      } catch (error) {
        await close().catch(keepFirstError)
        throw error
      }
    },
    return: close,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

// The error that led to closing says more than the one that closing met.
function keepFirstError(): void {}
