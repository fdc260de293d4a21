import type { Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { isDeepStrictEqual } from 'node:util'
import { outputKeys } from '../carried-output.js'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { createEventDecoder } from '../event-decoder.js'
import type { EventDialect, EventNature } from '../event-dialect.js'
import { textPart } from '../parts.js'
import { isObject, listOf, numberOf, objectOf, parseJson, textOf, type JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { thoughtsOf } from './decode-items.js'
import { decodeResponse, isFailed, readEnd } from './decode-response.js'
import { createEventWriter } from './encode-stream.js'
import { createItemOrder } from './item-order.js'
import { OpenItems, partOf, type OpenItem } from './open-items.js'
import { argumentsOf, callOf, isOutput, readContent, readOutput, readReasoning, startOf } from './read-output.js'
import type { SaidText } from './said-text.js'
import { OUTPUT_KEYS, PLAIN_KEYS, PLAIN_NUMBERS, proofOf } from './wire.js'

const BEFORE_OUTPUT = outputKeys(OUTPUT_KEYS)

/** A decoder for one stream of a response's events. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  return createEventDecoder(new ResponseDialect(options.forward === 'parts'), options)
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
  ['response.output_text.done', (dialect, event, parts) => dialect.endText('text', event.text, event, parts)],
  ['response.refusal.done', (dialect, event, parts) => dialect.endText('refusal', event.refusal, event, parts)],
  ['response.function_call_arguments.done', (dialect, event, parts) => dialect.endArguments(event, parts)],
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
  readonly #items = new OpenItems()
  /** Whether all pieces are seen here. A client that is sent the events themselves has those that say the whole too. */
  readonly #seesAll: boolean
  /** Of the last plain event. */
  #plain: OpenItem | undefined
  #isStarted = false

  constructor(seesAll: boolean) {
    this.#seesAll = seesAll
  }

  isTerminator(): boolean {
    return false
  }

  textKeyOf(): string {
    return 'delta'
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
    if (typeof value.delta === 'string' ? value.delta !== '' : textOf(value.partial_image_b64) !== undefined) parts.push({ type: 'media' })
    return 'event'
  }

  saidPlain(text: string): void {
    this.#plain?.said.add(text)
    this.#plain?.part?.said.add(text)
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
    const open = this.#items.of(event, textOf(item.type) ?? '', item)
    if (open.call !== undefined) sayCall(open, item, argumentsOf(item.arguments), parts)
    // By its id a client of the same dialect knows a thought from its start.
    else if (item.type === 'reasoning') readReasoning({ id: item.id }, '', parts)
    return 'event'
  }

  endItem(event: JsonObject, parts: Part[]): EventNature {
    const item = objectOf(event.item) ?? {}
    this.#endItem(this.#items.of(event, textOf(item.type) ?? '', item), item, parts)
    return 'event'
  }

  text(type: 'text' | 'refusal', event: JsonObject, parts: Part[]): EventNature {
    const text = textOf(event.delta)
    if (text === undefined) return 'event'
    const open = this.#items.of(event, 'message')
    partOf(open, event, true)?.said.add(text)
    open.said.add(text)
    parts.push(textPart(type, text))
    if (type !== 'text') return 'event'
    this.#plain = open
    return 'plain'
  }

  /** What is left of a part of a message. */
  endText(type: 'text' | 'refusal', value: unknown, event: JsonObject, parts: Part[]): EventNature {
    const whole = textOf(value)
    if (whole === undefined) return 'event'
    const open = this.#items.of(event, 'message')
    const part = partOf(open, event, false)
    if (part === undefined) return 'event'
    part.isDone = true
    const rest = this.#restOf(part.said, whole)
    if (rest === undefined) return differs(parts)
    if (rest === '') return 'event'
    open.said.add(rest)
    parts.push(textPart(type, rest))
    return 'event'
  }

  /** Paragraphs of a summary are parts of their own. */
  thought(index: unknown, event: JsonObject, parts: Part[]): EventNature {
    const text = textOf(event.delta)
    if (text === undefined) return 'event'
    const open = this.#items.of(event, 'reasoning')
    const paragraph = numberOf(index) ?? 0
    const said = open.paragraph === undefined || open.paragraph === paragraph ? text : `\n\n${text}`
    open.paragraph = paragraph
    open.said.add(said)
    parts.push(textPart('reasoning', said))
    this.#plain = open
    return 'plain'
  }

  piece(event: JsonObject, parts: Part[]): EventNature {
    const text = argumentsOf(event.delta)
    if (text === '') return 'event'
    sayArguments(this.#items.of(event, 'function_call'), text, parts)
    return 'event'
  }

  /** What is left of the arguments of a call. */
  endArguments(event: JsonObject, parts: Part[]): EventNature {
    const open = this.#items.of(event, 'function_call')
    const rest = this.#restOfCall(open, argumentsOf(event.arguments))
    if (rest === undefined) return differs(parts)
    if (rest !== '') sayArguments(open, rest, parts)
    return 'event'
  }

  finish(event: JsonObject, parts: Part[]): EventNature {
    const response = objectOf(event.response) ?? {}
    const error = errorIn(response)
    if (error !== undefined || isFailed(response)) return this.fail(event, parts)
    this.start(event, parts)
    for (const [place, item] of listOf(response.output).filter(isObject).entries()) this.#sayFinal(item, place, parts)
    if (parts.at(-1)?.type === 'error') return 'event'
    const status = event.type === 'response.incomplete' ? 'incomplete' : 'completed'
    readEnd({ ...response, status: response.status ?? status }, this.#items.hasCalls, parts)
    parts.push(Array.isArray(response.output) ? { type: 'end', document: response } : { type: 'end' })
    return 'last'
  }

  fail(event: JsonObject, parts: Part[]): EventNature {
    const { error, status } = objectOf(event.response) ?? {}
    parts.push({ type: 'error', failure: failureOfError(error ?? { code: `response_${textOf(status) ?? 'failed'}` }) })
    return 'event'
  }

  /** Some servers say all at the end, or more there than before. */
  #sayFinal(item: JsonObject, place: number, parts: Part[]): void {
    if (parts.at(-1)?.type === 'error') return
    const open = this.#items.finalOf(item, place)
    if (open !== undefined) this.#endItem(open, item, parts)
    else readOutput([item], parts, item.type === 'function_call' ? this.#items.takeCall() : 0)
  }

  /** Says what is left of an item: told of a second time, only what can be compared with what was said. */
  #endItem(open: OpenItem, item: JsonObject, parts: Part[]): void {
    const wasEnded = open.isEnded
    open.isEnded = true
    if (open.call !== undefined) {
      const rest = this.#restOfCall(open, argumentsOf(item.arguments))
      if (rest === undefined) differs(parts)
      else if (rest !== '' || (!open.isNamed && !wasEnded)) sayCall(open, item, rest, parts)
    } else if (item.type === 'message') {
      this.#endMessage(open, item, parts)
    } else if (!wasEnded && item.type === 'reasoning') {
      // Of a thought that is told in other words at its end nothing depends.
      const text = this.#restOf(open.said, thoughtsOf(item)) ?? ''
      if (text !== '' || proofOf(item) !== textOf(item.id)) readReasoning(item, text, parts)
    } else if (!wasEnded && isOutput(item)) {
      parts.push({ type: 'media' })
    }
  }

  #endMessage(open: OpenItem, item: JsonObject, parts: Part[]): void {
    const whole: Part[] = []
    for (const part of listOf(item.content).filter(isObject)) readContent(part, whole)
    const texts = whole.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part] : []))
    const text = texts.map((part) => part.text).join('')
    let said = open.said.length
    const rest = text === '' ? '' : this.#restOf(open.said, text)
    if (rest === undefined) differs(parts)
    if (rest === undefined || rest === '') return
    open.said.add(rest)
    for (const part of texts) {
      if (said < part.text.length) parts.push({ ...part, text: part.text.slice(said) })
      said = Math.max(0, said - part.text.length)
    }
  }

  #restOf(said: SaidText, whole: string): string | undefined {
    if (said.isEmpty) return whole
    return this.#seesAll ? said.restOf(whole) : ''
  }

  /** Servers that read the arguments may write them anew. */
  #restOfCall({ text }: OpenItem, whole: string): string | undefined {
    if (text === '' || whole === '') return whole
    if (!this.#seesAll || isSameJson(text, whole)) return ''
    return whole.startsWith(text) ? whole.slice(text.length) : undefined
  }
}

/** The call itself the first time it has a name, and then no more than its arguments: clients put names together. */
function sayCall(open: OpenItem, item: JsonObject, text: string, parts: Part[]): void {
  if (open.isNamed) sayArguments(open, text, parts)
  else parts.push(callOf(item, open.call ?? 0, text))
  if (!open.isNamed) open.text += text
  open.isNamed ||= textOf(item.name) !== undefined
}

function sayArguments(open: OpenItem, text: string, parts: Part[]): void {
  open.text += text
  parts.push({ type: 'tool-call', index: open.call ?? 0, arguments: text })
}

function isSameJson(one: string, other: string): boolean {
  const value = parseJson(one)
  return one === other || (value !== undefined && isDeepStrictEqual(value, parseJson(other)))
}

/** An answer whose end says something else than its pieces did is neither of both. */
function differs(parts: Part[]): EventNature {
  parts.push({ type: 'error', failure: failureOf('malformed', { code: 'final_differs', processed: 'yes' }) })
  return 'event'
}

/** A bare response where a stream was promised; it is passed on as the stream that it should have been. */
function readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array } {
  const { parts } = decodeResponse(text)
  if (parts.some((part) => part.type === 'error')) return { parts }
  const writer = createEventWriter({ id: 'resp', created: 0, includeUsage: true })
  return { parts, bytes: Buffer.from(writer.push(parts) + writer.finish(), 'utf8') }
}
