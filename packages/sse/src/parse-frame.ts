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

const longFrameLength = 4096
const unreadLine = /^(?!(?:data|event|id)(?::|$)).+\n/gm

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
 * One frame's fields, decoded as UTF-8 (what is no UTF-8 becomes U+FFFD); `undefined` for a frame without data
 * (comments or `retry:` only). The frame is a slice of `Frames.latin1`; the blank line at its end may be missing.
 */
export function parseFrame(latin1: string): ServerSentEvent | undefined {
  message = undefined
  const lines = readableLines(latin1)
  parser.feed(lines)
  if (!lines.endsWith('\n\n')) parser.feed('\n\n')
  return message === undefined ? undefined : decode(message)
}

// Two things cost the parser seconds in a frame of megabytes: a CR (at each line it searches the rest of the frame for
// the next one) and lines that it does not know (it builds an error for each, stack included).
function readableLines(latin1: string): string {
  if (latin1.length < longFrameLength) return latin1
  return latin1.replace(/\r\n?/g, '\n').replace(unreadLine, '')
}

function decode({ event, data, id }: EventSourceMessage): ServerSentEvent {
  const decoded = decodeUtf8(data)
  if (id !== undefined) {
    return { ...(event === undefined ? undefined : { event: decodeUtf8(event) }), data: decoded, id: decodeUtf8(id) }
  }
  return event === undefined ? { data: decoded } : { event: decodeUtf8(event), data: decoded }
}
