import type { Part } from '@understudy/core'
import { failureOf, youngList } from '@understudy/core'
import { decodeDocument, type DecodedResponse } from '../decode-document.js'
import type { ResponseSituation } from '../dialect-codec.js'
import { END_PART, usagePart } from '../parts.js'
import { isObject, type JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { finishOf, readOutput, readUsage, startOf } from './read-output.js'

/** A whole response as parts. */
export function decodeResponse(
  body: Uint8Array,
  situation: Pick<ResponseSituation, 'isForwarded'> = {},
): DecodedResponse {
  return decodeDocument(body, situation, readResponse)
}

function readResponse(value: unknown): readonly Part[] {
  const error = errorIn(value)
  if (error !== undefined) return [{ type: 'error', failure: failureOfError(error) }]
  if (!isObject(value) || !Array.isArray(value.output)) return [{ type: 'error', failure: failureOf('malformed') }]
  if (isFailed(value)) return [{ type: 'error', failure: failureOfError({ code: `response_${String(value.status)}` }) }]

  const parts = youngList<Part>(startOf(value))
  readOutput(value.output, parts)
  // Asked for in the background: that it was taken is the answer.
  if (value.status === 'queued' || value.status === 'in_progress') parts.push({ type: 'media' })
  readEnd(value, parts.some(({ type }) => type === 'tool-call'), parts)
  parts.push(END_PART)
  return parts
}

/** Whether it ended without an answer. */
export function isFailed({ status }: JsonObject): boolean {
  return status === 'failed' || status === 'cancelled'
}

/** What the end of a response says, up to the end itself. */
export function readEnd(response: JsonObject, hasCalls: boolean, parts: Part[]): void {
  parts.push(finishOf(response, hasCalls))
  const usage = readUsage(response.usage)
  if (usage !== undefined) parts.push(usagePart(usage))
}
