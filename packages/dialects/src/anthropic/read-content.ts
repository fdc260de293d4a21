import type { FinishPart, Part, Usage } from '@understudy/core'
import { startPart, textPart } from '../parts.js'
import { isObject, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { finishReasonOf } from './wire.js'

/** The opener that a message stands for. */
export function startOf(message: JsonObject): Part {
  return startPart(textOf(message.id), textOf(message.model))
}

/**
 * Appends what a block says that came whole, or as far as its start says it. A block of a server's tool is output of a kind that the
 * neutral form only counts.
 */
export function readBlock(block: JsonObject, toolIndex: number, parts: Part[]): void {
  switch (block.type) {
    case 'text': {
      const text = textOf(block.text)
      if (text !== undefined) parts.push(textPart('text', text))
      return
    }
    case 'thinking': {
      const signature = textOf(block.signature)
      const text = textOf(block.thinking) ?? ''
      if (signature !== undefined) parts.push({ type: 'reasoning', text, signature })
      else if (text !== '') parts.push(textPart('reasoning', text))
      return
    }
    case 'redacted_thinking': {
      const redacted = textOf(block.data)
      if (redacted !== undefined) parts.push({ type: 'reasoning', text: '', redacted })
      return
    }
    case 'tool_use': {
      const id = textOf(block.id)
      parts.push({
        type: 'tool-call',
        index: toolIndex,
        ...(id === undefined ? undefined : { id }),
        name: textOf(block.name) ?? '',
        arguments: inputText(block.input),
      })
      return
    }
    default:
      if (typeof block.type === 'string') parts.push({ type: 'media' })
  }
}

/** The input of a call as JSON text: an object by contract, which some gateways send as text. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  return JSON.stringify(isObject(input) ? input : {})
}

/** The reason to stop, if there is one: of a message, or of the delta that ends it. */
export function finishOf({ stop_reason: word, stop_sequence: sequence }: JsonObject): FinishPart | undefined {
  const raw = textOf(word)
  if (raw === undefined) return undefined
  const stopSequence = textOf(sequence)
  const reason = finishReasonOf(raw)
  return { type: 'finish', reason, raw, ...(stopSequence === undefined ? undefined : { stopSequence }) }
}

/**
 * Adds up the counts of one answer. They are cumulative and come in pieces, and `input_tokens` leaves out what the cache read and
 * wrote, which the neutral form counts in.
 *
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function createUsageReader(): (value: unknown) => Usage | undefined {
  const counts = new Map<string, number>()

  return (value) => {
    const usage = objectOf(value)
    if (usage === undefined) return undefined
    for (const key of COUNTS) {
      const count = numberOf(usage[key])
      if (count !== undefined) counts.set(key, count)
    }
    const thinking = numberOf(objectOf(usage.output_tokens_details)?.thinking_tokens)
    if (thinking !== undefined) counts.set('thinking_tokens', thinking)
    return usageOf(counts)
  }
}

const COUNTS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const

function usageOf(counts: ReadonlyMap<string, number>): Usage | undefined {
  const input = counts.get('input_tokens')
  const written = counts.get('cache_creation_input_tokens')
  const read = counts.get('cache_read_input_tokens')
  const outputTokens = counts.get('output_tokens')
  const reasoningTokens = counts.get('thinking_tokens')
  const inputTokens = input === undefined ? undefined : input + (written ?? 0) + (read ?? 0)
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  return {
    ...(inputTokens === undefined ? undefined : { inputTokens }),
    ...(outputTokens === undefined ? undefined : { outputTokens }),
    ...(read === undefined ? undefined : { cachedInputTokens: read }),
    ...(written === undefined ? undefined : { cacheWriteTokens: written }),
    ...(reasoningTokens === undefined ? undefined : { reasoningTokens }),
  }
}
