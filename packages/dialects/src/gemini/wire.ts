import type { FinishReason } from '@understudy/core'

/**
 * `finishReason` -> why the model stopped. `STOP` behind a call is `tool_calls`; anything else is `unknown`, such as `OTHER`,
 * `LANGUAGE`, `NO_IMAGE` and `IMAGE_OTHER`: that is a failure only where nothing was said.
 *
 * https://ai.google.dev/api/generate-content#FinishReason,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#FinishReason
 */
const FINISH_REASONS = new Map<string, FinishReason>(Object.entries({
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  // What the model wrote was no call, or there was something wrong with it: another model may do better.
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MISSING_THOUGHT_SIGNATURE: 'error',
  MALFORMED_RESPONSE: 'error',
} as const satisfies Record<string, FinishReason>))

/** Why the model stopped, from `finishReason`. */
export function finishReasonOf(word: string): FinishReason {
  return FINISH_REASONS.get(word) ?? 'unknown'
}

/** Why the model stopped -> `finishReason`. The API has one word for an answer that ends and for one that ends in calls. */
export const FINISH_WORDS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  error: 'OTHER',
  unknown: 'OTHER',
} as const satisfies Record<FinishReason, string>

/** Strings of an event that may vary while it stays plain: output text, of thoughts too. */
export const PLAIN_KEYS: readonly string[] = ['text']

/** Keys of an event whose values are output. */
export const OUTPUT_KEYS: readonly string[] = [
  'text',
  'name',
  'args',
  'data',
  'fileUri',
  'code',
  'output',
  'thoughtSignature',
]

/** Tokens as the wire counts them: what was spent on thoughts is not in `candidatesTokenCount`. */
export interface UsageWire {
  readonly promptTokenCount: number
  readonly cachedContentTokenCount?: number
  readonly candidatesTokenCount: number
  readonly thoughtsTokenCount?: number
  readonly totalTokenCount: number
}

/** A part of an answer. */
export type PartWire =
  | { readonly text: string; readonly thought?: true; readonly thoughtSignature?: string }
  | { readonly functionCall: CallWire; readonly thoughtSignature?: string }

/** A call, whole. */
export interface CallWire {
  readonly id?: string
  readonly name: string
  readonly args: unknown
}

/** The error object of an envelope or an event: `google.rpc.Status`. */
export interface ErrorWire {
  readonly code: number
  readonly message: string
  readonly status: string
  readonly details: readonly Readonly<Record<string, unknown>>[]
  readonly failures?: readonly Readonly<Record<string, unknown>>[]
}

/** What stands for the signature of a call that another vendor's model made. https://ai.google.dev/gemini-api/docs/thought-signatures */
export const NO_SIGNATURE = 'skip_thought_signature_validator'
