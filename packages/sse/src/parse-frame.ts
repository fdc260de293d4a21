import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { decodeUtf8 } from './latin1.js'

/** One event. */
export interface ServerSentEvent {
  /** Its `event:` field, if it has one that is not empty. */
  readonly event?: string | undefined
  /** Its `data:` lines, joined by LF. */
  readonly data: string
  /** Its own `id:` field; ids of earlier events are not carried over. */
  readonly id?: string | undefined
}

let message: EventSourceMessage | undefined

// One parser for all frames: each call below leaves it between two events, so nothing passes from one frame to another.
const parser = createParser({
  onEvent(event) {
    message ??= event
  },
})
// A mark at the start of a stream is gone by now; one at the start of a frame is content, and the parser would strip it
// from the first text it is fed.
parser.feed('')

/**
 * One frame's fields, decoded as UTF-8 (what is no UTF-8 becomes U+FFFD); `undefined` for a frame without data (comments
 * or `retry:` only). The frame is a slice of {@link Frames.latin1}; the blank line at its end may be missing.
 */
export function parseFrame(latin1: string): ServerSentEvent | undefined {
  message = undefined
  // With a CR the parser searches the rest of the frame for the next one at each line: quadratic.
  parser.feed(latin1.includes('\r') ? latin1.replace(/\r\n?/g, '\n') : latin1)
  if (!latin1.endsWith('\n\n')) parser.feed('\n\n')
  // TypeScript does not see that feed() sets it.
  const found = message as EventSourceMessage | undefined
  if (found === undefined) return undefined
  const { event, data, id } = found
  return {
    ...(event === undefined ? undefined : { event: decodeUtf8(event) }),
    data: decodeUtf8(data),
    ...(id === undefined ? undefined : { id: decodeUtf8(id) }),
  }
}
