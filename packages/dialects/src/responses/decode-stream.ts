import type { Part } from '@understudy/core'
import { outputKeys } from '../carried-output.js'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { createEventDecoder, type EventDialect, type EventNature } from '../event-decoder.js'
import { isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { thoughtsOf } from './decode-items.js'
import { decodeResponse, isFailed, readEnd } from './decode-response.js'
import { createEventWriter } from './encode-stream.js'
import { createItemOrder } from './item-order.js'
import { argumentsOf, callOf, isOutput, readContent, readOutput, readReasoning, startOf } from './read-output.js'
import { OUTPUT_KEYS, PLAIN_KEYS, PLAIN_NUMBERS, proofOf } from './wire.js'

const BEFORE_OUTPUT = outputKeys(OUTPUT_KEYS)

/** A decoder for one stream of a response's events. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  return createEventDecoder(new ResponseDialect(), options)
}

/** An item whose end has not come. */
interface OpenItem {
  /** Of a call. */
  readonly call: number | undefined
  isNamed: boolean
  /** Whether something of it came in pieces. */
  isSaid: boolean
  /** The part that the last piece belonged to. */
  part: number | undefined
}

type Reader = (dialect: ResponseDialect, event: JsonObject, parts: Part[]) => EventNature

/**
 * What each event says. Events of a kind that is not known say nothing, unless they bring a piece of something, and are passed on.
 *
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['response.created', (dialect, event, parts) => dialect.start(event, parts)],
  ['response.queued', (dialect, event, parts) => dialect.start(event, parts)],
  ['response.in_progress', (dialect, event, parts) => dialect.start(event, parts)],
  ['response.output_item.added', (dialect, event, parts) => dialect.addItem(event, parts)],
  ['response.output_item.done', (dialect, event, parts) => dialect.endItem(event, parts)],
  ['response.output_text.delta', (dialect, event, parts) => dialect.text('text', event, parts)],
  ['response.refusal.delta', (dialect, event, parts) => dialect.text('refusal', event, parts)],
  ['response.reasoning_summary_text.delta', (dialect, event, parts) => dialect.thought(event.summary_index, event, parts)],
  ['response.reasoning_text.delta', (dialect, event, parts) => dialect.thought(event.content_index, event, parts)],
  ['response.function_call_arguments.delta', (dialect, event, parts) => dialect.piece(event, parts)],
  ['response.completed', (dialect, event, parts) => dialect.finish(event, parts)],
  ['response.incomplete', (dialect, event, parts) => dialect.finish(event, parts)],
  ['response.failed', (dialect, event, parts) => dialect.fail(event, parts)],
  ['response.cancelled', (dialect, event, parts) => dialect.fail(event, parts)],
  ['keepalive', () => 'ping'],
  ['ping', () => 'ping'],
])

// A class, as the event decoder is one: a server holds one for every open stream.
class ResponseDialect implements EventDialect {
  readonly outputKeys = BEFORE_OUTPUT
  readonly plainKeys = PLAIN_KEYS
  readonly plainNumbers = PLAIN_NUMBERS
  readonly readFailure = failureOfError
  readonly readDocument = readDocument
  readonly #order = createItemOrder()
  readonly #items = new Map<number | string, OpenItem>()
  #isStarted = false
  #hasOutput = false
  #calls = 0

  isTerminator(): boolean {
    return false
  }

  read(value: unknown, name: string | undefined, parts: Part[]): EventNature {
    const error = name === 'error' ? (errorIn(value) ?? value ?? {}) : errorIn(value)
    if (error !== undefined) {
      parts.push({ type: 'error', failure: failureOfError(error) })
      return 'event'
    }
    const type = isObject(value) ? textOf(value.type) : undefined
    if (!isObject(value) || type === undefined) return 'junk'
    const read = READERS.get(type)
    if (read !== undefined) return read(this, value, parts)
    if (typeof value.delta === 'string' ? value.delta !== '' : textOf(value.partial_image_b64) !== undefined) this.#media(parts)
    return 'event'
  }

  missingOpener(value: unknown, hasSkipped: boolean): string | undefined {
    const text = isObject(value) ? this.#order.take(value, hasSkipped) : ''
    return text === '' ? undefined : text
  }

  start(event: JsonObject, parts: Part[]): EventNature {
    if (!this.#isStarted) parts.push(startOf(objectOf(event.response) ?? {}))
    this.#isStarted = true
    return 'event'
  }

  addItem(event: JsonObject, parts: Part[]): EventNature {
    const item = objectOf(event.item) ?? {}
    const open = this.#open(event, item)
    if (open.call !== undefined) this.#sayCall(open, item, parts)
    // By its id a client of the same dialect knows a thought from its start.
    else if (item.type === 'reasoning') readReasoning({ id: item.id }, '', parts)
    return 'event'
  }

  endItem(event: JsonObject, parts: Part[]): EventNature {
    const item = objectOf(event.item) ?? {}
    const open = this.#open(event, item)
    this.#items.delete(keyOf(event, item))
    if (open.call !== undefined) {
      if (!open.isNamed || !open.isSaid) this.#sayCall(open, item, parts)
    } else if (item.type === 'reasoning') {
      const text = open.isSaid ? '' : thoughtsOf(item)
      if (text !== '' || proofOf(item) !== textOf(item.id)) readReasoning(item, text, parts)
      this.#hasOutput ||= text !== ''
    } else if (item.type !== 'message') {
      if (isOutput(item)) this.#media(parts)
    } else if (!open.isSaid) {
      const before = parts.length
      for (const part of listOf(item.content).filter(isObject)) readContent(part, parts)
      this.#hasOutput ||= parts.length > before
    }
    return 'event'
  }

  text(type: 'text' | 'refusal', event: JsonObject, parts: Part[]): EventNature {
    const text = textOf(event.delta)
    if (text === undefined) return 'event'
    this.#open(event).isSaid = true
    this.#hasOutput = true
    parts.push({ type, text })
    return type === 'text' ? 'plain' : 'event'
  }

  /** Paragraphs of a summary are parts of their own. */
  thought(index: unknown, event: JsonObject, parts: Part[]): EventNature {
    const text = textOf(event.delta)
    if (text === undefined) return 'event'
    const open = this.#open(event)
    const part = numberOf(index) ?? 0
    parts.push({ type: 'reasoning', text: open.part === undefined || open.part === part ? text : `\n\n${text}` })
    open.part = part
    open.isSaid = true
    this.#hasOutput = true
    return 'plain'
  }

  piece(event: JsonObject, parts: Part[]): EventNature {
    const text = argumentsOf(event.delta)
    if (text === '') return 'event'
    const open = this.#open(event, CALL)
    open.isSaid = true
    this.#hasOutput = true
    parts.push({ type: 'tool-call', index: open.call ?? 0, arguments: text })
    return 'event'
  }

  finish(event: JsonObject, parts: Part[]): EventNature {
    const response = objectOf(event.response) ?? {}
    const error = errorIn(response)
    if (error !== undefined || isFailed(response)) return this.fail(event, parts)
    this.start(event, parts)
    const before = parts.length
    // Some servers say all at the end.
    if (!this.#hasOutput) readOutput(response.output, parts)
    const hasCalls = this.#calls > 0 || parts.slice(before).some(({ type }) => type === 'tool-call')
    const status = event.type === 'response.incomplete' ? 'incomplete' : 'completed'
    readEnd({ ...response, status: response.status ?? status }, hasCalls, parts)
    parts.push(Array.isArray(response.output) ? { type: 'end', document: response } : { type: 'end' })
    return 'last'
  }

  fail(event: JsonObject, parts: Part[]): EventNature {
    const { error, status } = objectOf(event.response) ?? {}
    parts.push({ type: 'error', failure: failureOfError(error ?? { code: `response_${textOf(status) ?? 'failed'}` }) })
    return 'event'
  }

  #sayCall(open: OpenItem, item: JsonObject, parts: Part[]): void {
    const text = open.isSaid ? '' : argumentsOf(item.arguments)
    const call = callOf(item, open.call ?? 0, text)
    open.isSaid ||= text !== ''
    open.isNamed ||= textOf(item.name) !== undefined
    this.#hasOutput = true
    parts.push(call)
  }

  #media(parts: Part[]): void {
    this.#hasOutput = true
    parts.push({ type: 'media' })
  }

  #open(event: JsonObject, item: JsonObject = {}): OpenItem {
    const key = keyOf(event, item)
    const known = this.#items.get(key)
    if (known !== undefined) return known
    const call = item.type === 'function_call' ? this.#calls++ : undefined
    const open: OpenItem = { call, isNamed: false, isSaid: false, part: undefined }
    this.#items.set(key, open)
    return open
  }
}

const CALL = { type: 'function_call' }

/** Some servers leave out one or the other, or both. */
function keyOf(event: JsonObject, item: JsonObject): number | string {
  return numberOf(event.output_index) ?? textOf(event.item_id) ?? textOf(item.id) ?? -1
}

/** A bare response where a stream was promised; it is passed on as the stream that it should have been. */
function readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array } {
  const { parts } = decodeResponse(text)
  if (parts.some((part) => part.type === 'error')) return { parts }
  const writer = createEventWriter({ id: 'resp', created: 0, includeUsage: true })
  return { parts, bytes: Buffer.from(writer.push(parts) + writer.finish(), 'utf8') }
}
