import { encodeEvent } from '@understudy/sse'
import { isObject, parseJson, textOf } from '../read-json.js'
import { statusOfException } from './wire.js'

/** A frame of AWS's binary event stream, taken apart. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export interface Frame {
  /** Its header `:message-type`: an exception is one of the API's own, an error one of the transport. */
  readonly type: 'event' | 'exception' | 'error'
  /** Its header `:event-type`, `:exception-type` or `:error-code`. */
  readonly name: string
  /** JSON text; of an error its header `:error-message`. */
  readonly text: string
}

/**
 * A frame as a server-sent event, so that what reads those reads these too: an event under its name, a chunk of another vendor's
 * stream as that vendor's own event, and whatever failed as `error` with the status that it would have had as an answer.
 */
export function encodeFrame({ type, name, text }: Frame): string {
  if (type !== 'event') return errorEvent(name, type === 'error' ? text : messageIn(text))
  const chunk = name === 'chunk' ? parseJson(text) : undefined
  const bytes = isObject(chunk) ? textOf(chunk.bytes) : undefined
  return bytes === undefined ? encodeEvent({ event: eventName(name), data: text }) : chunkEvent(Buffer.from(bytes, 'base64').toString('utf8'))
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html */
function chunkEvent(data: string): string {
  const value = parseJson(data)
  const type = isObject(value) ? textOf(value.type) : undefined
  return encodeEvent(type === undefined ? { data } : { event: eventName(type), data })
}

function errorEvent(name: string, message: string): string {
  const error = { type: name, message, status: statusOfException(name) }
  return encodeEvent({ event: 'error', data: JSON.stringify({ type: 'error', error }) })
}

function messageIn(text: string): string {
  const value = parseJson(text)
  return isObject(value) ? (textOf(value.message) ?? textOf(value.Message) ?? '') : text
}

/** A name that would break out of its line is none. */
function eventName(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '')
}
