import type { Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import type { ResponseSituation } from '../dialect-codec.js'
import { decodeLatin1, decodeText, isObject, listOf, parseJson } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { createAnswerReader, isAnswer } from './read-answer.js'

/** A whole answer as parts. A stream that came as a JSON array is one answer. */
export function decodeResponse(
  body: Uint8Array,
  { isForwarded = false }: Pick<ResponseSituation, 'isForwarded'> = {},
): { readonly parts: readonly Part[] } {
  if (!isForwarded) return { parts: readDocument(parseJson(decodeText(body))) }
  // Hot for long answers: all of JSON's own characters are ASCII, and decoding UTF-8 costs more than all the rest.
  const parts = readDocument(parseJson(decodeLatin1(body)))
  return parts[0]?.type === 'error' ? decodeResponse(body) : { parts }
}

function readDocument(value: unknown): readonly Part[] {
  if (errorIn(value) !== undefined) return [{ type: 'error', failure: failureOfError(value) }]
  const answers = (Array.isArray(value) ? listOf(value) : [value]).filter(isObject).filter(isAnswer)
  if (answers.length === 0) return [{ type: 'error', failure: failureOf('malformed') }]

  const reader = createAnswerReader()
  const parts: Part[] = []
  for (const answer of answers) reader.read(answer, parts)
  const failed = parts.find((part) => part.type === 'error')
  return failed === undefined ? [...parts, { type: 'end' }] : [failed]
}
