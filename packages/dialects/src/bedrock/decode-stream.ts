import type { Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { outputKeys } from '../carried-output.js'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { createEventDecoder } from '../event-decoder.js'
import type { EventDialect, EventNature } from '../event-dialect.js'
import { END_PART, startPart, textPart, usagePart } from '../parts.js'
import { isObject, numberOf, objectOf, parseJson, textOf, type JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { decodeResponse } from './decode-response.js'
import { finishOf, readReasoning, redactedOf, usageOf } from './read-message.js'
import { OUTPUT_KEYS } from './wire.js'

const BEFORE_OUTPUT = outputKeys(OUTPUT_KEYS)

/** A decoder for one stream of ConverseStream, its frames written as events: see `encodeFrame`. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  return createEventDecoder(createConverseDialect(), options)
}

/** A call whose block is open. */
interface OpenCall {
  readonly index: number
  /** The pieces so far. */
  text: string
}

/**
 * What each event says. Events and deltas of a kind that is not known say nothing.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
function createConverseDialect(): EventDialect {
  const openCalls = new Map<number, OpenCall>()
  /** What stands in the place of thoughts, by block: it may come in pieces, and is one thing. */
  const redacted = new Map<number, string>()
  let isStarted = false
  let hasFinished = false
  let calls = 0

  function read(value: unknown, name: string | undefined, parts: Part[]): EventNature {
    if (name === 'error') return fail(parts, failureOfError(value ?? {}))
    if (!isObject(value)) return 'junk'
    switch (name) {
      case 'messageStart':
        return readStart(parts)
      case 'contentBlockStart':
        return readBlockStart(value, parts)
      case 'contentBlockDelta':
        return readDelta(value, objectOf(value.delta) ?? {}, parts)
      case 'contentBlockStop':
        return readBlockStop(numberOf(value.contentBlockIndex) ?? -1, parts)
      case 'messageStop':
        return readStop(value, parts)
      case 'metadata':
        return readMetadata(value, parts)
      default:
        if (name !== undefined) return 'event'
        return errorIn(value) === undefined ? 'junk' : fail(parts, failureOfError(value))
    }
  }

  /** A second message would be a second answer. */
  function readStart(parts: Part[]): EventNature {
    if (isStarted) return malformed(parts)
    isStarted = true
    parts.push(startPart(undefined, undefined))
    return 'event'
  }

  function readBlockStart(event: JsonObject, parts: Part[]): EventNature {
    if (hasFinished) return malformed(parts)
    const start = objectOf(event.start) ?? {}
    const call = objectOf(start.toolUse)
    if (call === undefined) {
      if (Object.keys(start).some((key) => isObject(start[key]))) parts.push({ type: 'media' })
      return 'event'
    }
    const index = calls++
    openCalls.set(numberOf(event.contentBlockIndex) ?? -1, { index, text: '' })
    const id = textOf(call.toolUseId)
    parts.push({ type: 'tool-call', index, ...(id === undefined ? undefined : { id }), name: textOf(call.name) ?? '', arguments: '' })
    return 'event'
  }

  function readDelta(event: JsonObject, delta: JsonObject, parts: Part[]): EventNature {
    if (hasFinished) return malformed(parts)
    const text = textOf(delta.text)
    if (text !== undefined) parts.push(textPart('text', text))
    const key = numberOf(event.contentBlockIndex) ?? -1
    const reasoning = objectOf(delta.reasoningContent)
    const hidden = reasoning === undefined ? undefined : redactedOf(reasoning)
    if (hidden !== undefined) redacted.set(key, (redacted.get(key) ?? '') + hidden)
    else if (reasoning !== undefined) readReasoning(reasoning, parts)
    const piece = textOf(objectOf(delta.toolUse)?.input)
    if (piece === undefined) return 'event'
    const call = openCalls.get(key)
    if (call === undefined) return malformed(parts)
    call.text += piece
    parts.push({ type: 'tool-call', index: call.index, arguments: piece })
    return 'event'
  }

  function readBlockStop(key: number, parts: Part[]): EventNature {
    closeRedacted(key, parts)
    return closeCall(key, undefined, parts)
  }

  function closeRedacted(key: number, parts: Part[]): void {
    const whole = redacted.get(key)
    if (whole === undefined) return
    redacted.delete(key)
    parts.push({ type: 'reasoning', text: '', redacted: whole })
  }

  function readStop(event: JsonObject, parts: Part[]): EventNature {
    const finish = finishOf(event)
    if (finish === undefined) return 'event'
    const reason = finish.type === 'finish' ? finish.reason : undefined
    for (const key of [...redacted.keys()]) closeRedacted(key, parts)
    for (const index of [...openCalls.keys()]) closeCall(index, reason, parts)
    if (parts.at(-1)?.type === 'error') return 'event'
    hasFinished = true
    parts.push(finish)
    return 'event'
  }

  /** A call without arguments has no pieces. One that is cut off is whole only where there was no more room for it. */
  function closeCall(key: number, reason: string | undefined, parts: Part[]): EventNature {
    const call = openCalls.get(key)
    if (call === undefined) return 'event'
    openCalls.delete(key)
    if (call.text === '') parts.push({ type: 'tool-call', index: call.index, arguments: '{}' })
    // A block that ends before the message does may still be cut off by `max_tokens`, which only the next event says.
    else if (reason !== undefined && reason !== 'length' && !isObject(parseJson(call.text))) return malformed(parts)
    return 'event'
  }

  /** The last event of a stream. */
  function readMetadata(event: JsonObject, parts: Part[]): EventNature {
    const usage = usageOf(event.usage)
    if (usage !== undefined) parts.push(usagePart(usage))
    if (hasFinished) parts.push(END_PART)
    return 'event'
  }

  return {
    read,
    isTerminator: () => false,
    readFailure: (text) => failureOfError({ message: text }),
    readDocument: decodeResponse,
    outputKeys: BEFORE_OUTPUT,
    textKeyOf: () => undefined,
    plainKeys: [],
  }
}

function fail(parts: Part[], failure: ReturnType<typeof failureOfError>): EventNature {
  parts.push({ type: 'error', failure })
  return 'event'
}

function malformed(parts: Part[]): EventNature {
  return fail(parts, failureOf('malformed', { code: 'event_order' }))
}
