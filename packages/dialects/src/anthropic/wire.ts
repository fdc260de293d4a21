import type { FinishReason } from '@understudy/core'

/**
 * `stop_reason` -> why the model stopped. A paused turn has ended as far as this answer goes; anything else is `unknown`.
 *
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
const FINISH_REASONS = new Map<string, FinishReason>(Object.entries({
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
} as const satisfies Record<string, FinishReason>))

/** Why the model stopped, from `stop_reason`. */
export function finishReasonOf(word: string): FinishReason {
  return FINISH_REASONS.get(word) ?? 'unknown'
}

/** Why the model stopped -> `stop_reason`. The API has no word for the last two. */
export const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  error: 'end_turn',
  unknown: 'end_turn',
} as const satisfies Record<FinishReason, string>

/** Strings of an event that may vary while it stays plain: output text. */
export const PLAIN_KEYS: readonly string[] = ['text', 'thinking']

/** Keys of an event whose values are output. */
export const OUTPUT_KEYS: readonly string[] = [
  'text',
  'thinking',
  'signature',
  'partial_json',
  'citation',
  'name',
  'input',
  'content',
  'data',
]

/** Tokens as the wire counts them: `input_tokens` are those that neither came from the cache nor were written to it. */
export interface UsageWire {
  readonly input_tokens: number
  readonly cache_creation_input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly output_tokens: number
  readonly output_tokens_details?: { readonly thinking_tokens: number }
}

/** A block of an answer. */
export type BlockWire =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

/** What an event adds to a block. */
export type DeltaWire =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }

/** The error object of an envelope or an event. */
export interface ErrorWire {
  readonly type: string
  readonly message: string
  readonly code: string
  readonly param?: string
  readonly failures?: readonly Readonly<Record<string, unknown>>[]
}
