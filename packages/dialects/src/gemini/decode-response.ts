import type { Part } from '@understudy/core'
import { failureOf, youngList } from '@understudy/core'
import { decodeDocument, type DecodedResponse } from '../decode-document.js'
import type { ResponseSituation } from '../dialect-codec.js'
import { END_PART } from '../parts.js'
import { isObject, listOf } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { createAnswerReader, isAnswer } from './read-answer.js'

/** A whole answer as parts. A stream that came as a JSON array is one answer. */
export function decodeResponse(
  body: Uint8Array,
  situation: Pick<ResponseSituation, 'isForwarded'> = {},
): DecodedResponse {
  return decodeDocument(body, situation, readDocument)
}

function readDocument(value: unknown): readonly Part[] {
  if (errorIn(value) !== undefined) return [{ type: 'error', failure: failureOfError(value) }]
  const answers = (Array.isArray(value) ? listOf(value) : [value]).filter(isObject).filter(isAnswer)
  if (answers.length === 0) return [{ type: 'error', failure: failureOf('malformed') }]

  const reader = createAnswerReader()
  const parts = youngList<Part>()
  for (const answer of answers) reader.read(answer, parts)
  const failed = parts.find((part) => part.type === 'error')
  if (failed !== undefined) return [failed]
  parts.push(END_PART)
  return parts
}
