import type { FinishPart, Part, Usage } from '@understudy/core'
import { finishPart, startPart, textPart } from '../parts.js'
import { isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { thoughtsOf } from './decode-items.js'
import { incompleteReasonOf, proofOf } from './wire.js'

/** The opener that a response stands for. */
export function startOf(response: JsonObject): Part {
  return startPart(textOf(response.id), textOf(response.model), numberOf(response.created_at))
}

/** Appends what whole items say. `firstCall`: the index of the first call among them. */
export function readOutput(output: unknown, parts: Part[], firstCall = 0): void {
  let calls = firstCall
  for (const item of listOf(output).filter(isObject)) {
    switch (item.type) {
      case 'message':
        for (const part of listOf(item.content).filter(isObject)) readContent(part, parts)
        break
      case 'reasoning':
        readReasoning(item, thoughtsOf(item), parts)
        break
      case 'function_call':
        parts.push(callOf(item, calls++, argumentsOf(item.arguments)))
        break
      default:
        if (isOutput(item)) parts.push({ type: 'media' })
    }
  }
}

/** A part of a message. */
export function readContent(part: JsonObject, parts: Part[]): void {
  const text = textOf(part.text)
  const refusal = textOf(part.refusal)
  if (text !== undefined) parts.push(textPart('text', text))
  if (refusal !== undefined) parts.push(textPart('refusal', refusal))
}

/** A thought and its proof. */
export function readReasoning(item: JsonObject, text: string, parts: Part[]): void {
  const signature = proofOf(item)
  if (text === '' && signature === undefined) return
  parts.push({ type: 'reasoning', text, ...(signature === undefined ? undefined : { signature }) })
}

/** A call, or its opener. */
export function callOf(item: JsonObject, index: number, text: string): Part {
  const id = textOf(item.call_id) ?? textOf(item.id)
  const name = textOf(item.name)
  return {
    type: 'tool-call',
    index,
    ...(id === undefined ? undefined : { id }),
    ...(name === undefined ? undefined : { name }),
    arguments: text,
  }
}

/** JSON text by contract; some servers send the object itself. */
export function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(value) : ''
}

/** Whether an item of another kind is output: a call of a tool, of the service or the client, and what came of it. */
export function isOutput({ type }: JsonObject): boolean {
  return typeof type === 'string' && !NO_OUTPUT.has(type)
}

/** Items that tell of the work and hold none of it. */
const NO_OUTPUT: ReadonlySet<string> = new Set(['mcp_list_tools', 'compaction', 'tool_search_call', 'tool_search_output', 'item_reference'])

/**
 * Why a response ended that did not fail. One that waits in the background is what was asked for.
 *
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export function finishOf(response: JsonObject, hasCalls: boolean): FinishPart {
  const status = textOf(response.status) ?? 'completed'
  if (status === 'completed') return finishPart(hasCalls ? 'tool_calls' : 'stop', status)
  const raw = textOf(objectOf(response.incomplete_details)?.reason) ?? status
  return finishPart(incompleteReasonOf(raw), raw)
}

/** What was counted. The details stand in every answer, so that a 0 says no more than its absence. */
export function readUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const inputTokens = numberOf(usage?.input_tokens)
  const outputTokens = numberOf(usage?.output_tokens)
  if (usage === undefined || (inputTokens === undefined && outputTokens === undefined)) return undefined
  const totalTokens = numberOf(usage.total_tokens)
  const cachedInputTokens = countOf(objectOf(usage.input_tokens_details)?.cached_tokens)
  const reasoningTokens = countOf(objectOf(usage.output_tokens_details)?.reasoning_tokens)
  return {
    ...(inputTokens === undefined ? undefined : { inputTokens }),
    ...(outputTokens === undefined ? undefined : { outputTokens }),
    ...(totalTokens === undefined ? undefined : { totalTokens }),
    ...(cachedInputTokens === undefined ? undefined : { cachedInputTokens }),
    ...(reasoningTokens === undefined ? undefined : { reasoningTokens }),
  }
}

function countOf(value: unknown): number | undefined {
  const count = numberOf(value)
  return count === 0 ? undefined : count
}
