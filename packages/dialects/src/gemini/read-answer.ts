import type { Part, Usage } from '@understudy/core'
import { finishPart, keepError, textPart, usagePart } from '../parts.js'
import { isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { camelMembers } from './camel-members.js'
import { failureOfBlock, failureOfError } from './decode-failure.js'
import { finishReasonOf } from './wire.js'

/** Reads the answers of one call: one document, or the many that are its stream. */
export interface AnswerReader {
  /** Appends what one of them says. An `error` part, as the last, ends the answer. */
  read(answer: JsonObject, parts: Part[]): void
}

/** Members of a part that are no output by themselves. */
const NO_OUTPUT: ReadonlySet<string> = new Set([
  'text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'videoMetadata', 'mediaResolution', 'partMetadata',
])

/** Whether this is an answer at all, perhaps one without output. https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse */
export function isAnswer(value: JsonObject): boolean {
  return 'candidates' in value || 'usageMetadata' in value || 'promptFeedback' in value || 'responseId' in value
}

/** Makes a reader; its state is one answer's. */
export function createAnswerReader(): AnswerReader {
  let isStarted = false
  /** How many calls each choice has made. */
  const calls = new Map<number, number>()

  function readCandidate(candidate: JsonObject, position: number, parts: Part[]): void {
    const choice = numberOf(candidate.index) ?? position
    for (const part of listOf(objectOf(candidate.content)?.parts).filter(isObject)) readPart(camelMembers(part), choice, parts)
    const raw = textOf(candidate.finishReason)
    if (raw === undefined || raw === 'FINISH_REASON_UNSPECIFIED') return
    const reason = finishReasonOf(raw)
    if (reason === 'error') {
      parts.push({ type: 'error', failure: failureOfError({ code: raw, message: candidate.finishMessage }) })
      return
    }
    const isCalling = reason === 'stop' && calls.has(choice)
    parts.push(finishPart(isCalling ? 'tool_calls' : reason, raw, choice))
  }

  /** A signature proves the thought that led to its part, so it goes in front of that. */
  function readPart(part: JsonObject, choice: number, parts: Part[]): void {
    const text = textOf(part.text) ?? ''
    const signature = textOf(part.thoughtSignature)
    const signed = signature === undefined ? undefined : { signature }
    if (part.thought === true) {
      if (text !== '' || signed !== undefined) parts.push({ type: 'reasoning', text, ...signed, ...at(choice) })
      return
    }
    if (signed !== undefined) parts.push({ type: 'reasoning', text: '', ...signed, ...at(choice) })
    if (text !== '') parts.push(textPart('text', text, choice))
    if (isObject(part.functionCall)) readCall(part.functionCall, choice, parts)
    if (Object.keys(part).some((key) => isObject(part[key]) && !NO_OUTPUT.has(key))) parts.push({ type: 'media', ...at(choice) })
  }

  function readCall(call: JsonObject, choice: number, parts: Part[]): void {
    const index = calls.get(choice) ?? 0
    calls.set(choice, index + 1)
    const id = textOf(call.id)
    parts.push({
      type: 'tool-call',
      index,
      ...(id === undefined ? undefined : { id }),
      name: textOf(call.name) ?? '',
      arguments: JSON.stringify(objectOf(call.args) ?? {}),
      ...at(choice),
    })
  }

  return {
    read(answer, parts) {
      const candidates = listOf(answer.candidates).filter(isObject)
      const blocked = textOf(objectOf(answer.promptFeedback)?.blockReason)
      if (candidates.length === 0 && blocked !== undefined) {
        parts.push({ type: 'error', failure: failureOfBlock(blocked) })
        return
      }
      const before = parts.length
      if (!isStarted && candidates.length > 0) {
        isStarted = true
        parts.push(startOf(answer))
      }
      for (const [position, candidate] of candidates.entries()) readCandidate(candidate, position, parts)
      const usage = readUsage(answer.usageMetadata)
      if (usage !== undefined) parts.push(usagePart(usage))
      keepError(parts, before)
    },
  }
}

function at(choice: number): { readonly choice: number } | undefined {
  return choice === 0 ? undefined : { choice }
}

function startOf(answer: JsonObject): Part {
  const id = textOf(answer.responseId)
  const model = textOf(answer.modelVersion)
  return { type: 'start', ...(id === undefined ? undefined : { id }), ...(model === undefined ? undefined : { model }) }
}

/**
 * Tokens, if anything was counted. Counts are cumulative; what tools of the server read is counted beside the prompt, and thoughts beside
 * the candidates.
 *
 * https://ai.google.dev/api/generate-content#UsageMetadata
 */
function readUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const prompt = numberOf(usage?.promptTokenCount)
  const candidates = numberOf(usage?.candidatesTokenCount)
  const thoughts = numberOf(usage?.thoughtsTokenCount)
  const totalTokens = numberOf(usage?.totalTokenCount)
  const cached = numberOf(usage?.cachedContentTokenCount)
  if (prompt === undefined && candidates === undefined && totalTokens === undefined) return undefined
  const output = candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0)
  return {
    ...(prompt === undefined ? undefined : { inputTokens: prompt + (numberOf(usage?.toolUsePromptTokenCount) ?? 0) }),
    ...(output === undefined ? undefined : { outputTokens: output }),
    ...(totalTokens === undefined ? undefined : { totalTokens }),
    ...(cached === undefined ? undefined : { cachedInputTokens: cached }),
    ...(thoughts === undefined ? undefined : { reasoningTokens: thoughts }),
  }
}
