import type { Part } from '@understudy/core'
import { outputKeys } from '../carried-output.js'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { createEventDecoder, type EventDialect, type EventNature } from '../event-decoder.js'
import { isObject, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { decodeResponse } from './decode-response.js'
import { createMessageEncoder } from './encode-stream.js'
import { createOpeners } from './missing-opener.js'
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
  hasPieces: boolean
}

/**
 * What each event says. Events and deltas of a kind that is not known say nothing and are passed on, as the vendor asks of clients.
 *
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
function createMessageDialect(): EventDialect {
  const readUsage = createUsageReader()
  const openCalls = new Map<number, OpenCall>()
  const openers = createOpeners()
  let calls = 0

  function read(value: unknown, name: string | undefined, parts: Part[]): EventNature {
    if (name === 'error' || errorIn(value) !== undefined) {
      parts.push({ type: 'error', failure: failureOfError(value ?? {}) })
      return 'event'
    }
    if (!isObject(value)) return 'junk'
    switch (value.type) {
      case 'message_start':
        openers.take(value)
        readStart(objectOf(value.message) ?? {}, parts)
        return 'event'
      case 'content_block_start':
        openers.take(value)
        readBlockStart(value, parts)
        return 'event'
      case 'content_block_delta':
        return readDelta(value, objectOf(value.delta) ?? {}, parts)
      case 'content_block_stop':
        readBlockStop(value, parts)
        return 'event'
      case 'message_delta':
        readEnd(value, parts)
        return 'event'
      case 'message_stop':
        parts.push({ type: 'end' })
        return 'event'
      case 'ping':
        return 'ping'
      default:
        return typeof value.type === 'string' ? 'event' : 'junk'
    }
  }

  function readStart(message: JsonObject, parts: Part[]): void {
    parts.push(startOf(message))
    const usage = readUsage(message.usage)
    if (usage !== undefined) parts.push({ type: 'usage', usage })
  }

  function readBlockStart(event: JsonObject, parts: Part[]): void {
    const block = objectOf(event.content_block) ?? {}
    if (block.type !== 'tool_use') {
      readBlock(block, 0, parts)
      return
    }
    const index = calls++
    openCalls.set(numberOf(event.index) ?? -1, { index, input: block.input, hasPieces: false })
    const id = textOf(block.id)
    const name = textOf(block.name) ?? ''
    parts.push({ type: 'tool-call', index, ...(id === undefined ? undefined : { id }), name, arguments: '' })
  }

  function readDelta(event: JsonObject, delta: JsonObject, parts: Part[]): EventNature {
    switch (delta.type) {
      case 'text_delta': {
        const text = textOf(delta.text)
        if (text === undefined) return 'event'
        parts.push({ type: 'text', text })
        return 'plain'
      }
      case 'thinking_delta': {
        const text = textOf(delta.thinking)
        if (text === undefined) return 'event'
        parts.push({ type: 'reasoning', text })
        return 'plain'
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
        call.hasPieces = true
        parts.push({ type: 'tool-call', index: call.index, arguments: piece })
        return 'event'
      }
      default:
        return 'event'
    }
  }

  /** A call without arguments has no pieces, and some gateways say all of them in the start. */
  function readBlockStop(event: JsonObject, parts: Part[]): void {
    const index = numberOf(event.index) ?? -1
    const call = openCalls.get(index)
    openCalls.delete(index)
    if (call === undefined || call.hasPieces) return
    parts.push({ type: 'tool-call', index: call.index, arguments: inputText(call.input) })
  }

  function readEnd(event: JsonObject, parts: Part[]): void {
    const finish = finishOf(objectOf(event.delta) ?? {})
    if (finish !== undefined) parts.push(finish)
    const usage = readUsage(event.usage)
    if (usage !== undefined) parts.push({ type: 'usage', usage })
  }

  return {
    read,
    isTerminator: () => false,
    readFailure: failureOfError,
    missingOpener: (event) => openers.before(event),
    readDocument,
    outputKeys: BEFORE_OUTPUT,
    plainKeys: PLAIN_KEYS,
  }
}

/** A bare message where a stream was promised; it is passed on as the stream that it should have been. */
function readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array } {
  const { parts } = decodeResponse(text)
  if (parts.some((part) => part.type === 'error')) return { parts }
  const encoder = createMessageEncoder({ id: 'msg', created: 0, includeUsage: true })
  return { parts, bytes: Buffer.from(encoder.push(parts) + encoder.finish(), 'utf8') }
}
