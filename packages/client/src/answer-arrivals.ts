import type { Arrival } from '@understudy/core'
import { failureOf } from '@understudy/core'
import type { DialectCodec, StreamDecoder } from '@understudy/dialects'
import type { ByteReader } from './byte-reader.js'
import type { RawTail } from './raw-tail.js'

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** A larger answer is no chat answer. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

/** The arrivals of a stream of events: one for each read that completed something. */
export function eventArrivals(reader: ByteReader, decoder: StreamDecoder, tail: RawTail): AsyncIterable<Arrival> {
  let isOver = false
  return iterable(reader, async () => {
    while (!isOver) {
      const bytes = await reader.read()
      if (bytes !== undefined) tail.push(bytes)
      const arrival = bytes === undefined ? decoder.end() : decoder.push(bytes)
      const last = arrival?.parts.at(-1)?.type
      isOver = bytes === undefined || last === 'end' || last === 'error'
      // What follows the end is read, so that the connection can be used again.
      if (last === 'end') reader.release()
      if (arrival !== undefined) return { done: false, value: arrival }
    }
    return DONE
  })
}

/** The one arrival of a JSON answer: the whole of it. */
export function documentArrivals(
  reader: ByteReader,
  codec: DialectCodec,
  { status, isForwarded }: { readonly status: number; readonly isForwarded: boolean },
): AsyncIterable<Arrival> {
  let isOver = false
  return iterable(reader, async () => {
    if (isOver) return DONE
    isOver = true
    const pieces: Uint8Array[] = []
    let length = 0
    for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
      pieces.push(piece)
      length += piece.length
      if (length > MAX_DOCUMENT_BYTES) return { done: false, value: tooLarge() }
    }
    const bytes = Buffer.concat(pieces)
    const { parts } = codec.decodeResponse(bytes, { status, isForwarded })
    return { done: false, value: { parts, bytes: isForwarded ? bytes : undefined, events: 1 } }
  })
}

function tooLarge(): Arrival {
  return { parts: [{ type: 'error', failure: failureOf('malformed', { code: 'answer_too_large' }) }], events: 0 }
}

function iterable(reader: ByteReader, next: () => Promise<IteratorResult<Arrival, undefined>>): AsyncIterable<Arrival> {
  return {
    [Symbol.asyncIterator]: () => ({
      next,
      return() {
        reader.cancel()
        return Promise.resolve(DONE)
      },
    }),
  }
}
