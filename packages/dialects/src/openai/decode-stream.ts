import type { Part } from '@understudy/core'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { outputKeys } from '../carried-output.js'
import { createEventDecoder } from '../event-decoder.js'
import type { EventDialect, EventNature } from '../event-dialect.js'
import { keepError, usagePart } from '../parts.js'
import { isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { decodeResponse, readFinish, readUsage, startOf } from './decode-response.js'
import { createChunkWriter } from './encode-stream.js'
import { readMessage, textKeyOf } from './read-message.js'
import { createToolCallIndex, type ToolCallIndex } from './tool-call-index.js'
import { OUTPUT_KEYS, PLAIN_KEYS } from './wire.js'

const BEFORE_OUTPUT = outputKeys(OUTPUT_KEYS)

/** A decoder for one stream of chunks. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  return createEventDecoder(new ChunkDialect(), options)
}

// A class, as the event decoder is one: a server holds one for every open stream.
class ChunkDialect implements EventDialect {
  readonly outputKeys = BEFORE_OUTPUT
  readonly plainKeys = PLAIN_KEYS
  readonly readFailure = failureOfError
  readonly readDocument = readDocument
  #isStarted = false
  /** Whether something came in pieces: a whole message behind them says it again. */
  #hasPieces = false
  #toolCalls: Map<number, ToolCallIndex> | undefined
  /** Choices that some chunk was of, by the bits of their numbers. */
  #seen = 0
  /** Choices of the last chunk whose first chunk it was, and that said nothing of a role. */
  #withoutRole: number[] | undefined

  textKeyOf({ choices }: JsonObject): string | undefined {
    const choice = objectOf(listOf(choices)[0])
    return textKeyOf(objectOf(choice?.delta) ?? objectOf(choice?.message) ?? {})
  }

  isTerminator(data: string): boolean {
    return data.length < 16 && data.trim() === '[DONE]'
  }

  read(value: unknown, name: string | undefined, parts: Part[]): EventNature {
    const error = name === 'error' ? (errorIn(value) ?? value ?? {}) : errorIn(value)
    if (error !== undefined) {
      parts.push({ type: 'error', failure: failureOfError(error) })
      return 'event'
    }
    return isObject(value) && isChunk(value) ? this.#readChunk(value, parts) : 'junk'
  }

  /** Clients refuse a choice without a role as broken. It may have stood in the chunk that was left out. */
  missingOpener(value: unknown, hasSkipped: boolean): string | undefined {
    const choices = this.#withoutRole
    if (!hasSkipped || choices === undefined || !isObject(value)) return undefined
    const { id, object = 'chat.completion.chunk', created, model, system_fingerprint } = value
    const delta = { role: 'assistant', content: '' }
    const opener = {
      id,
      object,
      created,
      model,
      system_fingerprint,
      choices: choices.map((index) => ({ index, delta, finish_reason: null })),
      ...('usage' in value ? { usage: null } : undefined),
    }
    return `data: ${JSON.stringify(opener)}\n\n`
  }

  #readChunk(chunk: JsonObject, parts: Part[]): EventNature {
    const choices = listOf(chunk.choices).filter(isObject)
    const before = parts.length
    this.#withoutRole = undefined
    if (!this.#isStarted && choices.length > 0) {
      this.#isStarted = true
      parts.push(startOf(chunk))
    }
    for (const choice of choices) this.#readChoice(choice, parts)
    const usage = readUsage(chunk.usage) ?? readUsage(choices[0]?.usage) ?? readUsage(objectOf(chunk.x_groq)?.usage)
    if (usage !== undefined) parts.push(usagePart(usage))
    keepError(parts, before)
    const hasCalls = choices.some((choice) => listOf(objectOf(choice.delta ?? choice.message)?.tool_calls).length > 0)
    return choices.length === 1 && !hasCalls && isPlain(parts, before) ? 'plain' : 'event'
  }

  #readChoice(choice: JsonObject, parts: Part[]): void {
    const index = numberOf(choice.index) ?? 0
    const delta = objectOf(choice.delta)
    const message = delta ?? (this.#hasPieces ? undefined : objectOf(choice.message))
    if (!this.#hasSeen(index) && textOf(message?.role) === undefined) (this.#withoutRole ??= []).push(index)
    const before = parts.length
    if (message !== undefined) readMessage(message, index, this.#toolCallsOf, parts)
    this.#hasPieces ||= delta !== undefined && parts.length > before
    readFinish(choice, index, parts)
  }

  /** Of more choices than there are bits the rest counts as seen. */
  #hasSeen(choice: number): boolean {
    const bit = choice >= 0 && choice < 31 ? 1 << choice : 0
    const isKnown = bit === 0 || (this.#seen & bit) !== 0
    this.#seen |= bit
    return isKnown
  }

  readonly #toolCallsOf = (choice: number): ToolCallIndex => {
    this.#toolCalls ??= new Map()
    const calls = this.#toolCalls.get(choice) ?? createToolCallIndex()
    this.#toolCalls.set(choice, calls)
    return calls
  }
}

function isChunk(value: JsonObject): boolean {
  return 'choices' in value || 'usage' in value || 'prompt_filter_results' in value
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
  const encoder = createChunkWriter({ id: 'chatcmpl', created: 0, includeUsage: true })
  // Whether the client asked for counts is not known here, and who did not may count on a choice in every chunk.
  const chunks = encoder.push(parts.filter(({ type }) => type !== 'usage')) + encoder.finish()
  return chunks === '' ? { parts } : { parts, bytes: Buffer.from(chunks, 'utf8') }
}
