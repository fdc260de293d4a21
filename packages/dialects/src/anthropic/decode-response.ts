import type { Part } from '@understudy/core'
import { failureOf, youngList } from '@understudy/core'
import { decodeDocument, type DecodedResponse } from '../decode-document.js'
import type { ResponseSituation } from '../dialect-codec.js'
import { END_PART, usagePart } from '../parts.js'
import { isObject, listOf } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { createUsageReader, finishOf, readBlock, startOf } from './read-content.js'

/** A whole message as parts. */
export function decodeResponse(
  body: Uint8Array,
  situation: Pick<ResponseSituation, 'isForwarded'> = {},
): DecodedResponse {
  return decodeDocument(body, situation, readMessage)
}

function readMessage(value: unknown): readonly Part[] {
  const error = errorIn(value)
  if (error !== undefined) return [{ type: 'error', failure: failureOfError(value) }]
  if (!isObject(value) || !Array.isArray(value.content)) return [{ type: 'error', failure: failureOf('malformed') }]

  const parts = youngList<Part>(startOf(value))
  let calls = 0
  for (const block of listOf(value.content).filter(isObject)) {
    readBlock(block, calls, parts)
    if (block.type === 'tool_use') calls++
  }
  const finish = finishOf(value)
  if (finish !== undefined) parts.push(finish)
  const usage = createUsageReader()(value.usage)
  if (usage !== undefined) parts.push(usagePart(usage))
  parts.push(END_PART)
  return parts
}
