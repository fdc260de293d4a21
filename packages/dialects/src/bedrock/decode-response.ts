import type { Part } from '@understudy/core'
import { failureOf, youngList } from '@understudy/core'
import { END_PART, startPart, usagePart } from '../parts.js'
import { decodeText, isObject, listOf, objectOf, parseJson } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { finishOf, readBlock, usageOf } from './read-message.js'

/** A whole answer of Converse as parts. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export function decodeResponse(body: Uint8Array): { readonly parts: readonly Part[] } {
  return { parts: readAnswer(parseJson(decodeText(body))) }
}

function readAnswer(value: unknown): readonly Part[] {
  if (errorIn(value) !== undefined) return [{ type: 'error', failure: failureOfError(value) }]
  const message = isObject(value) ? objectOf(objectOf(value.output)?.message) : undefined
  if (!isObject(value) || message === undefined || !Array.isArray(message.content)) {
    return [{ type: 'error', failure: failureOf('malformed') }]
  }
  const finish = finishOf(value)
  if (finish?.type === 'error') return [finish]

  const parts = youngList<Part>(startPart(undefined, undefined))
  let calls = 0
  for (const block of listOf(message.content).filter(isObject)) {
    readBlock(block, calls, parts)
    if (isObject(block.toolUse)) calls++
  }
  if (finish !== undefined) parts.push(finish)
  const usage = usageOf(value.usage)
  if (usage !== undefined) parts.push(usagePart(usage))
  parts.push(END_PART)
  return parts
}
