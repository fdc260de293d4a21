import type { Failure, Part } from '@understudy/core'
import { outputKeys } from '../carried-output.js'
import type { StreamDecoder, StreamDecoderOptions } from '../dialect-codec.js'
import { createEventDecoder } from '../event-decoder.js'
import type { EventDialect, EventNature } from '../event-dialect.js'
import { decodeText, isObject, parseJson } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { decodeResponse } from './decode-response.js'
import { createStreamEncoder } from './encode-stream.js'
import { createAnswerReader, isAnswer } from './read-answer.js'
import { OUTPUT_KEYS, PLAIN_KEYS } from './wire.js'

const BEFORE_OUTPUT = outputKeys(OUTPUT_KEYS)

/** A decoder for one stream of answers. It has no terminal marker: what has finished is whole where its source ends. */
export function createStreamDecoder(options: StreamDecoderOptions): StreamDecoder {
  return createEventDecoder(new AnswerDialect(), options)
}

// A class, as the event decoder is one: a server holds one for every open stream.
class AnswerDialect implements EventDialect {
  readonly outputKeys = BEFORE_OUTPUT
  readonly plainKeys = PLAIN_KEYS
  readonly readFailure = failureOfError
  readonly readDocument = readDocument
  readonly readBare = readBare
  readonly #reader = createAnswerReader()

  isTerminator(): boolean {
    return false
  }

  textKeyOf(): string {
    return 'text'
  }

  read(value: unknown, name: string | undefined, parts: Part[]): EventNature {
    if (name === 'error' || errorIn(value) !== undefined) {
      parts.push({ type: 'error', failure: failureOfError(value ?? {}) })
      return 'event'
    }
    if (!isObject(value) || !isAnswer(value)) return 'junk'
    const before = parts.length
    this.#reader.read(value, parts)
    return isPlain(parts, before) ? 'plain' : 'event'
  }
}

/**
 * Text and thoughts of the first choice. The counts beside them are the same in an event that is the same but for its text.
 */
function isPlain(parts: readonly Part[], before: number): boolean {
  let hasText = false
  for (let index = before; index < parts.length; index++) {
    const part = parts[index]
    if (part?.type === 'usage') continue
    if (part?.type !== 'text' && part?.type !== 'reasoning') return false
    if (part.choice !== undefined || ('signature' in part && part.signature !== undefined)) return false
    hasText = true
  }
  return hasText
}

/** The vendor writes an error into a stream as it is, without a `data:` in front. */
function readBare(text: string): Failure | undefined {
  const value = text.trimStart().startsWith('{') || text.trimStart().startsWith('[') ? parseJson(text) : undefined
  return errorIn(value) === undefined ? undefined : failureOfError(value)
}

/**
 * A bare answer where a stream was promised, or a stream as a JSON array; it is passed on as the stream that it should have been. An
 * array that broke off holds no whole answer.
 */
function readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array } {
  const { parts } = decodeResponse(Buffer.from(decodeText(text), 'utf8'))
  if (parts.some((part) => part.type === 'error')) return { parts }
  const encoder = createStreamEncoder({ id: 'response', created: 0, includeUsage: true })
  return { parts, bytes: Buffer.concat([encoder.push(parts) ?? Buffer.alloc(0), encoder.end()]) }
}
