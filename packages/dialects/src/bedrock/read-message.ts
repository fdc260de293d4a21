import type { Part, Usage } from '@understudy/core'
import { textPart } from '../parts.js'
import { isObject, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { failureOfStop } from './decode-failure.js'
import { finishReasonOf, redactedText } from './wire.js'

/** Members of a block that say nothing that a client can be told: where it was cached, what a guardrail looked at. */
const NO_OUTPUT: ReadonlySet<string> = new Set(['cachePoint', 'guardContent'])

/** Appends what a whole block says. `toolIndex` is how many calls stand in front of it. */
export function readBlock(block: JsonObject, toolIndex: number, parts: Part[]): void {
  const text = textOf(block.text) ?? citedText(block.citationsContent)
  if (text !== undefined) parts.push(textPart('text', text))
  const reasoning = objectOf(block.reasoningContent)
  if (reasoning !== undefined) readReasoning({ ...objectOf(reasoning.reasoningText), ...reasoning }, parts)
  const call = objectOf(block.toolUse)
  if (call !== undefined) {
    const id = textOf(call.toolUseId)
    parts.push({
      type: 'tool-call',
      index: toolIndex,
      ...(id === undefined ? undefined : { id }),
      name: textOf(call.name) ?? '',
      arguments: JSON.stringify(objectOf(call.input) ?? {}),
    })
  }
  if (Object.keys(block).some((key) => !READ.has(key) && !NO_OUTPUT.has(key) && isObject(block[key]))) parts.push({ type: 'media' })
}

const READ: ReadonlySet<string> = new Set(['text', 'citationsContent', 'reasoningContent', 'toolUse'])

/** Appends a thought, its proof, or what stands in its place. */
export function readReasoning(reasoning: JsonObject, parts: Part[]): void {
  const text = textOf(reasoning.text)
  const signature = textOf(reasoning.signature)
  const redacted = redactedOf(reasoning)
  if (redacted !== undefined) parts.push({ type: 'reasoning', text: '', redacted })
  else if (signature !== undefined) parts.push({ type: 'reasoning', text: text ?? '', signature })
  else if (text !== undefined) parts.push(textPart('reasoning', text))
}

/** What stands in a thought's place, or a piece of it. */
export function redactedOf(reasoning: JsonObject): string | undefined {
  const blob = textOf(reasoning.redactedContent)
  return blob === undefined ? undefined : redactedText(blob)
}

function citedText(value: unknown): string | undefined {
  const content = objectOf(value)?.content
  if (!Array.isArray(content)) return undefined
  return textOf((content as readonly unknown[]).map((item) => textOf(objectOf(item)?.text) ?? '').join(''))
}

/** The reason to stop, of a whole answer or of the event that ends a message; an `error` part where the model failed at its own output. */
export function finishOf({ stopReason, additionalModelResponseFields: more }: JsonObject): Part | undefined {
  const raw = textOf(stopReason)
  if (raw === undefined) return undefined
  const reason = finishReasonOf(raw)
  if (reason === 'error') return { type: 'error', failure: failureOfStop(raw) }
  const stopSequence = textOf(objectOf(more)?.stop_sequence)
  return { type: 'finish', reason, raw, ...(stopSequence === undefined ? undefined : { stopSequence }) }
}

/**
 * Tokens, if anything was counted. `inputTokens` leaves out what the cache read and wrote, which the neutral form counts in.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function usageOf(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const input = numberOf(usage?.inputTokens)
  const outputTokens = numberOf(usage?.outputTokens)
  const totalTokens = numberOf(usage?.totalTokens)
  const read = numberOf(usage?.cacheReadInputTokens)
  const written = numberOf(usage?.cacheWriteInputTokens)
  if (input === undefined && outputTokens === undefined) return undefined
  return {
    ...(input === undefined ? undefined : { inputTokens: input + (read ?? 0) + (written ?? 0) }),
    ...(outputTokens === undefined ? undefined : { outputTokens }),
    ...(totalTokens === undefined ? undefined : { totalTokens }),
    ...(read === undefined ? undefined : { cachedInputTokens: read }),
    ...(written === undefined ? undefined : { cacheWriteTokens: written }),
  }
}
