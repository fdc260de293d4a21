import type { Part } from '@understudy/core'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { outputKeys } from '../carried-output.js'
import { createEventDecoder, type EventDialect, type EventNature } from '../event-decoder.js'
import { isObject, listOf, numberOf, objectOf, type JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { decodeResponse, readFinish, readUsage, startOf } from './decode-response.js'
import { createStreamEncoder } from './encode-stream.js'
import { createToolCallIndex, readMessage, type ToolCallIndex } from './read-message.js'
import { OUTPUT_KEYS, PLAIN_KEYS } from './wire.js'

const BEFORE_OUTPUT = outputKeys(OUTPUT_KEYS)

/** A decoder for one stream of chunks. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  return createEventDecoder(createChunkDialect(), options)
}

function createChunkDialect(): EventDialect {
  const toolCalls = new Map<number, ToolCallIndex>()
  let isStarted = false

  function read(value: unknown, name: string | undefined, parts: Part[]): EventNature {
    const error = name === 'error' ? (errorIn(value) ?? value ?? {}) : errorIn(value)
    if (error !== undefined) {
      parts.push({ type: 'error', failure: failureOfError(error) })
      return 'event'
    }
    return isObject(value) && isChunk(value) ? readChunk(value, parts) : 'junk'
  }

  function readChunk(chunk: JsonObject, parts: Part[]): EventNature {
    const choices = listOf(chunk.choices).filter(isObject)
    const before = parts.length
    if (!isStarted && choices.length > 0) {
      isStarted = true
      parts.push(startOf(chunk))
    }
    for (const choice of choices) readChoice(choice, parts)
    const usage = readUsage(chunk.usage) ?? readUsage(choices[0]?.usage) ?? readUsage(objectOf(chunk.x_groq)?.usage)
    if (usage !== undefined) parts.push({ type: 'usage', usage })
    keepError(parts, before)
    const hasCalls = choices.some((choice) => listOf(objectOf(choice.delta ?? choice.message)?.tool_calls).length > 0)
    return choices.length === 1 && !hasCalls && isPlain(parts, before) ? 'plain' : 'event'
  }

  function readChoice(choice: JsonObject, parts: Part[]): void {
    const index = numberOf(choice.index) ?? 0
    const message = objectOf(choice.delta) ?? objectOf(choice.message)
    if (message !== undefined) readMessage(message, index, toolCallsOf(index), parts)
    readFinish(choice, index, parts)
  }

  function toolCallsOf(choice: number): ToolCallIndex {
    const known = toolCalls.get(choice)
    if (known !== undefined) return known
    const made = createToolCallIndex()
    toolCalls.set(choice, made)
    return made
  }

  return {
    read,
    isTerminator: (data) => data.length < 16 && data.trim() === '[DONE]',
    readFailure: failureOfError,
    readDocument,
    outputKeys: BEFORE_OUTPUT,
    plainKeys: PLAIN_KEYS,
  }
}

function isChunk(value: JsonObject): boolean {
  return 'choices' in value || 'usage' in value || 'prompt_filter_results' in value
}

/** A chunk that fails says nothing else. */
function keepError(parts: Part[], before: number): void {
  const error = parts.slice(before).find((part) => part.type === 'error')
  if (error !== undefined) parts.splice(before, parts.length - before, error)
}

/**
 * Text and reasoning of the first choice: of nothing else can a later event with other strings be told to be the same.
 */
function isPlain(parts: readonly Part[], before: number): boolean {
  if (parts.length === before) return false
  for (let index = before; index < parts.length; index++) {
    const part = parts[index]
    if ((part?.type !== 'text' && part?.type !== 'reasoning') || part.choice !== undefined) return false
  }
  return true
}

/** A bare answer where a stream was promised; it is passed on as the stream that it should have been. */
function readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array } {
  const { parts } = decodeResponse(text)
  if (parts.some((part) => part.type === 'error')) return { parts }
  const bytes = createStreamEncoder({ id: 'chatcmpl', created: 0, includeUsage: true }).push(parts)
  return bytes === undefined ? { parts } : { parts, bytes }
}
