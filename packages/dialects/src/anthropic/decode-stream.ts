import type { Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { outputKeys } from '../carried-output.js'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { createEventDecoder } from '../event-decoder.js'
import type { EventDialect, EventNature } from '../event-dialect.js'
import { END_PART, textPart, usagePart } from '../parts.js'
import { isObject, numberOf, objectOf, parseJson, textOf, type JsonObject } from '../read-json.js'
import { createBlockOrder } from './block-order.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { decodeResponse } from './decode-response.js'
import { createMessageWriter } from './encode-stream.js'
import { createUsageReader, finishOf, inputText, readBlock, startOf } from './read-content.js'
import { OUTPUT_KEYS, PLAIN_KEYS } from './wire.js'

const BEFORE_OUTPUT = outputKeys(OUTPUT_KEYS)

/** A decoder for one stream of a message's events. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  return createEventDecoder(createMessageDialect(), options)
}

/** A call whose block is open. */
interface OpenCall {
  readonly index: number
  /** What its start said, which counts only if no piece follows. */
  readonly input: unknown
  /** The pieces so far. */
  text: string
}

/**
 * What each event says. Events and deltas of a kind that is not known say nothing and are passed on, as the vendor asks of clients.
 *
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
function createMessageDialect(): EventDialect {
  const readUsage = createUsageReader()
  const openCalls = new Map<number, OpenCall>()
  const order = createBlockOrder()
  let isNamed = true
  let calls = 0

  function read(value: unknown, name: string | undefined, parts: Part[]): EventNature {
    if (name === 'error' || errorIn(value) !== undefined) {
      parts.push({ type: 'error', failure: failureOfError(value ?? {}) })
      return 'event'
    }
    if (!isObject(value)) return 'junk'
    isNamed = name !== undefined
    return order.take(value) ? readEvent(value, parts) : malformed(parts)
  }

  function readEvent(event: JsonObject, parts: Part[]): EventNature {
    switch (event.type) {
      case 'message_start':
        readStart(objectOf(event.message) ?? {}, parts)
        return 'event'
      case 'content_block_start':
        if (!closeCalls(undefined, parts)) return malformed(parts)
        readBlockStart(event, parts)
        return 'event'
      case 'content_block_delta':
        return readDelta(event, objectOf(event.delta) ?? {}, parts)
      case 'content_block_stop':
        readBlockStop(event, parts)
        return 'event'
      case 'message_delta':
        return readEnd(event, parts) ? 'event' : malformed(parts)
      case 'message_stop':
        if (!closeCalls(undefined, parts)) return malformed(parts)
        parts.push(END_PART)
        return 'event'
      case 'ping':
        return 'ping'
      default:
        return typeof event.type === 'string' ? 'event' : 'junk'
    }
  }

  function readStart(message: JsonObject, parts: Part[]): void {
    parts.push(startOf(message))
    const usage = readUsage(message.usage)
    if (usage !== undefined) parts.push(usagePart(usage))
  }

  function readBlockStart(event: JsonObject, parts: Part[]): void {
    const block = objectOf(event.content_block) ?? {}
    if (block.type !== 'tool_use') {
      readBlock(block, 0, parts)
      return
    }
    const index = calls++
    openCalls.set(numberOf(event.index) ?? -1, { index, input: block.input, text: '' })
    const id = textOf(block.id)
    const name = textOf(block.name) ?? ''
    parts.push({ type: 'tool-call', index, ...(id === undefined ? undefined : { id }), name, arguments: '' })
  }

  function readDelta(event: JsonObject, delta: JsonObject, parts: Part[]): EventNature {
    switch (delta.type) {
      case 'text_delta': {
        const text = textOf(delta.text)
        if (text === undefined) return 'event'
        parts.push(textPart('text', text))
        return isNamed ? 'plain' : 'event'
      }
      case 'thinking_delta': {
        const text = textOf(delta.thinking)
        if (text === undefined) return 'event'
        parts.push(textPart('reasoning', text))
        return isNamed ? 'plain' : 'event'
      }
      case 'signature_delta': {
        const signature = textOf(delta.signature)
        if (signature !== undefined) parts.push({ type: 'reasoning', text: '', signature })
        return 'event'
      }
      case 'input_json_delta': {
        const call = openCalls.get(numberOf(event.index) ?? -1)
        const piece = textOf(delta.partial_json)
        if (call === undefined || piece === undefined) return 'event'
        call.text += piece
        parts.push({ type: 'tool-call', index: call.index, arguments: piece })
        return 'event'
      }
      default:
        return 'event'
    }
  }

  function readBlockStop(event: JsonObject, parts: Part[]): void {
    const index = numberOf(event.index) ?? -1
    const call = openCalls.get(index)
    openCalls.delete(index)
    if (call !== undefined) sayInput(call, parts)
  }

  /** A call without arguments has no pieces, and some gateways say all of them in the start. */
  function sayInput({ index, input, text }: OpenCall, parts: Part[]): void {
    if (text === '') parts.push({ type: 'tool-call', index, arguments: inputText(input) })
  }

  /** Closes calls whose end never came; whether they can be whole. Where there was no more room they need not be. */
  function closeCalls(reason: string | undefined, parts: Part[]): boolean {
    for (const call of openCalls.values()) {
      if (call.text !== '' && reason !== 'length' && !isObject(parseJson(call.text))) return false
      sayInput(call, parts)
    }
    openCalls.clear()
    return true
  }

  function readEnd(event: JsonObject, parts: Part[]): boolean {
    const finish = finishOf(objectOf(event.delta) ?? {})
    if (finish !== undefined) {
      if (!closeCalls(finish.reason, parts)) return false
      parts.push(finish)
    }
    const usage = readUsage(event.usage)
    if (usage !== undefined) parts.push(usagePart(usage))
    return true
  }

  /** The vendor's clients pass over an event without a name. */
  function missingOpener(event: unknown): string | undefined {
    const type = isNamed || !isObject(event) ? undefined : textOf(event.type)
    const text = type === undefined ? order.missing : `${order.missing}event: ${type}\n`
    return text === '' ? undefined : text
  }

  return {
    read,
    isTerminator: () => false,
    textKeyOf: ({ delta }) => (objectOf(delta)?.type === 'thinking_delta' ? 'thinking' : 'text'),
    readFailure: failureOfError,
    missingOpener,
    readDocument,
    outputKeys: BEFORE_OUTPUT,
    plainKeys: PLAIN_KEYS,
  }
}

function malformed(parts: Part[]): EventNature {
  parts.push({ type: 'error', failure: failureOf('malformed', { code: 'event_order' }) })
  return 'event'
}

/** A bare message where a stream was promised; it is passed on as the stream that it should have been. */
function readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array } {
  const { parts } = decodeResponse(text)
  if (parts.some((part) => part.type === 'error')) return { parts }
  const encoder = createMessageWriter({ id: 'msg', created: 0, includeUsage: true })
  return { parts, bytes: Buffer.from(encoder.push(parts) + encoder.finish(), 'utf8') }
}
