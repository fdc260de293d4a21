import type { FinishReason } from '@understudy/core'

// The words of OpenAI and its compatibles; anything else is `unknown`.
const FINISH_REASONS = new Map<string, FinishReason>(Object.entries({
  stop: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  safety: 'content_filter',
  error: 'error',
  network_error: 'error',
  insufficient_system_resource: 'error',
} as const satisfies Record<string, FinishReason>))

/** Why the model stopped, from `finish_reason`. */
export function finishReasonOf(word: string): FinishReason {
  return FINISH_REASONS.get(word.toLowerCase()) ?? 'unknown'
}

/** Why the model stopped -> `finish_reason`. */
export const FINISH_WORDS = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  error: 'error',
  unknown: undefined,
} as const satisfies Record<FinishReason, string | undefined>

/** Strings of a chunk that may vary while it stays plain: output text, and what OpenAI pads events with. */
export const PLAIN_KEYS: readonly string[] = ['content', 'reasoning_content', 'reasoning', 'obfuscation']

/** Keys of a chunk whose values are output. */
export const OUTPUT_KEYS: readonly string[] = [
  'content',
  'reasoning',
  'thinking',
  'arguments',
  'text',
  'refusal',
  'name',
  'transcript',
  'data',
  'url',
]

/** Tokens as the wire counts them. */
export interface UsageWire {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details?: { readonly cached_tokens: number; readonly cache_write_tokens?: number }
  readonly completion_tokens_details?: { readonly reasoning_tokens: number }
}

/** A piece of a tool call; the first of a call has `id`, `type` and a name. */
export interface ToolCallWire {
  readonly index?: number
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name?: string; readonly arguments: string }
}

/** What a choice adds to its message. */
export interface DeltaWire {
  readonly role?: 'assistant'
  readonly content?: string | null
  readonly refusal?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly ToolCallWire[]
}

/** The error object of an envelope or an event. */
export interface ErrorWire {
  readonly message: string
  readonly type: string
  readonly code: string
  readonly param?: string
  readonly failures?: readonly Readonly<Record<string, unknown>>[]
}
