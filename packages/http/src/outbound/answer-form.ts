import type { StopSignal } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import type { ByteSource } from './byte-source.js'
import { waitForBytes } from './byte-source.js'

/** What an answer is, and what of it had to be read to know. */
export interface AnswerForm {
  readonly form: 'events' | 'json'
  readonly unread: Buffer | undefined
}

const EVENTS = 'text/event-stream'
const FRAMES = 'application/vnd.amazon.eventstream'

/** So much white space is no answer. */
const MAX_PEEKED_BYTES = 64 * 1024

const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

const AS_EVENTS: AnswerForm = { form: 'events', unread: undefined }
const AS_JSON: AnswerForm = { form: 'json', unread: undefined }

/**
 * Tells events from JSON by the content type; `undefined` where that says nothing (absent, plain text, octets). A web page is a
 * `malformed` answer.
 */
export function declaredForm(contentType: string | undefined): AnswerForm | undefined {
  const type = typeOf(contentType)
  if (type === EVENTS || type === FRAMES) return AS_EVENTS
  if (type === 'application/json' || type.endsWith('+json')) return AS_JSON
  if (type === 'text/html') throw new LegFailedError(failureOf('malformed', { code: 'html' }))
  return undefined
}

/** Whether an answer is AWS's binary event stream. */
export function isFramed(contentType: string | undefined): boolean {
  return typeOf(contentType) === FRAMES
}

/** Whether an answer says that it is a stream of events. */
export function isEventStream(contentType: string | undefined): boolean {
  return typeOf(contentType) === EVENTS
}

function typeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === 'application/json') return contentType ?? ''
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/** The same by the first byte that is no white space. */
export async function seenForm(source: ByteSource, signal: StopSignal): Promise<AnswerForm> {
  let unread: Buffer | undefined
  for (;;) {
    const bytes = source.take()
    if (bytes !== undefined) {
      unread = unread === undefined ? bytes : Buffer.concat([unread, bytes])
      const first = unread.find((byte) => !isSpaceOrMark(byte))
      const isJson = first === OPEN_BRACE || first === OPEN_BRACKET
      if (first !== undefined) return { form: isJson ? 'json' : 'events', unread }
      if (unread.length > MAX_PEEKED_BYTES) return { form: 'events', unread }
    } else if (source.state === 'open') {
      await waitForBytes(source, signal)
    } else {
      return { form: 'events', unread }
    }
  }
}

/** White space, or a byte of a byte-order mark. */
function isSpaceOrMark(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf
}
