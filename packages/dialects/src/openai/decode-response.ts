import type { Part, Usage } from '@understudy/core'
import { failureOf, youngList } from '@understudy/core'
import { decodeDocument, type DecodedResponse } from '../decode-document.js'
import type { ResponseSituation } from '../dialect-codec.js'
import { END_PART, finishPart, startPart, usagePart } from '../parts.js'
import { isObject, listOf, numberOf, objectOf, textOf } from '../read-json.js'
import type { JsonObject } from '../read-json.js'
import { errorIn, failureOfError } from './decode-failure.js'
import { readMessage } from './read-message.js'
import { WHOLE_CALLS } from './tool-call-index.js'
import { finishReasonOf } from './wire.js'

/** A whole JSON answer as parts. */
export function decodeResponse(
  body: Uint8Array,
  situation: Pick<ResponseSituation, 'isForwarded'> = {},
): DecodedResponse {
  return decodeDocument(body, situation, readResponse)
}

function readResponse(value: unknown): readonly Part[] {
  const error = errorIn(value)
  if (error !== undefined) return [{ type: 'error', failure: failureOfError(error) }]
  const choices = listOf(objectOf(value)?.choices).filter(isObject)
  if (!isObject(value) || choices.length === 0) return [{ type: 'error', failure: failureOf('malformed') }]

  const parts = youngList<Part>(startOf(value))
  for (const [position, choice] of choices.entries()) readChoice(choice, numberOf(choice.index) ?? position, parts)
  const failed = parts.find((part) => part.type === 'error')
  if (failed !== undefined) return [failed]
  const usage = readUsage(value.usage)
  if (usage !== undefined) parts.push(usagePart(usage))
  parts.push(END_PART)
  return parts
}

function readChoice(choice: JsonObject, index: number, parts: Part[]): void {
  const message = objectOf(choice.message)
  if (message !== undefined) readMessage(message, index, () => WHOLE_CALLS, parts)
  readFinish(choice, index, parts)
}

/** The opener that an answer or a chunk stands for. */
export function startOf(value: JsonObject): Part {
  return startPart(textOf(value.id), textOf(value.model), numberOf(value.created), textOf(value.system_fingerprint))
}

/** A choice's reason to stop, if it has one: an empty string is none, and an error is an error. */
export function readFinish(choice: JsonObject, index: number, parts: Part[]): void {
  const error = errorIn(choice.error === undefined ? undefined : { error: choice.error })
  const raw = textOf(choice.finish_reason)
  const reason = raw === undefined ? undefined : finishReasonOf(raw)
  if (error !== undefined || reason === 'error') {
    parts.push({ type: 'error', failure: failureOfError(error ?? { code: raw === 'error' ? undefined : raw }) })
  } else if (raw !== undefined && reason !== undefined) {
    parts.push(finishPart(reason, raw, index))
  }
}

/** Tokens, if anything was counted. */
export function readUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  if (usage === undefined) return undefined
  const inputTokens = numberOf(usage.prompt_tokens)
  const outputTokens = numberOf(usage.completion_tokens)
  const totalTokens = numberOf(usage.total_tokens)
  const cachedInputTokens =
    numberOf(objectOf(usage.prompt_tokens_details)?.cached_tokens) ?? numberOf(usage.prompt_cache_hit_tokens)
  // OpenAI counts no writes; gateways to caches that are paid for do.
  const cacheWriteTokens = numberOf(objectOf(usage.prompt_tokens_details)?.cache_write_tokens)
  const reasoningTokens = numberOf(objectOf(usage.completion_tokens_details)?.reasoning_tokens)
  if (inputTokens === undefined && outputTokens === undefined && totalTokens === undefined) return undefined
  // Hot: once an answer. Six spreads would take longer than all the rest of it.
  const counted: { -readonly [Count in keyof Usage]: Usage[Count] } = {}
  if (inputTokens !== undefined) counted.inputTokens = inputTokens
  if (outputTokens !== undefined) counted.outputTokens = outputTokens
  if (totalTokens !== undefined) counted.totalTokens = totalTokens
  if (cachedInputTokens !== undefined) counted.cachedInputTokens = cachedInputTokens
  if (cacheWriteTokens !== undefined) counted.cacheWriteTokens = cacheWriteTokens
  if (reasoningTokens !== undefined) counted.reasoningTokens = reasoningTokens
  return counted
}
