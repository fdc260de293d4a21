import type { ClientError, StreamEncoder, StreamEncoderOptions } from '../dialect-codec.js'
import { streamEncoderOf, type EventWriter } from '../event-writer.js'
import { failureEvent } from './encode-failure.js'
import { createResponseWriter } from './encode-response.js'

/** Nothing stands behind the response itself. */
export const STREAM_TERMINATOR: Uint8Array = Buffer.alloc(0)

/** Writes the events of one response, of which the last says it whole. */
export interface ResponseEventWriter extends EventWriter {
  /** The event that ends it where it failed. */
  fail(error: ClientError): string
}

/** An encoder for one stream of a response's events. */
export function createStreamEncoder(options: StreamEncoderOptions): StreamEncoder {
  const writer = createEventWriter(options)
  return { ...streamEncoderOf(writer, STREAM_TERMINATOR), fail: (error) => Buffer.from(writer.fail(error), 'utf8') }
}

/** Events are named as their type and counted from 0. https://platform.openai.com/docs/api-reference/responses-streaming */
export function createEventWriter(options: StreamEncoderOptions): ResponseEventWriter {
  let count = 0
  let text = ''
  const writer = createResponseWriter(options, (type, members) => {
    text += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: count++, ...members })}\n\n`
  })

  function taken(): string {
    const written = text
    text = ''
    return written
  }

  return {
    push(parts) {
      for (const part of parts) writer.take(part)
      // What came in one read with the opener is known by now.
      if (parts.some(({ type }) => type === 'start')) writer.open()
      return taken()
    },
    finish() {
      writer.finish()
      return taken()
    },
    fail: (error) => failureEvent(error, count++),
  }
}
