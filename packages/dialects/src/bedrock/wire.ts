import type { FinishReason } from '@understudy/core'

/**
 * `stopReason` -> why the model stopped; `error` where the model failed at its own output, `unknown` for anything else.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
const FINISH_REASONS = new Map<string, FinishReason>(Object.entries({
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
} as const satisfies Record<string, FinishReason>))

/** Why the model stopped, from `stopReason`. */
export function finishReasonOf(word: string): FinishReason {
  return FINISH_REASONS.get(word) ?? 'unknown'
}

/**
 * The status that an exception would have had, had it come before the stream began. An exception in a stream has a name only.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
 */
const EXCEPTION_STATUSES = new Map(Object.entries({
  accessdeniedexception: 403,
  expiredtokenexception: 403,
  internalserverexception: 500,
  invalidsignatureexception: 403,
  modelerrorexception: 424,
  modelnotreadyexception: 429,
  modelstreamerrorexception: 424,
  modeltimeoutexception: 408,
  resourcenotfoundexception: 404,
  servicequotaexceededexception: 400,
  serviceunavailableexception: 503,
  throttlingexception: 429,
  unrecognizedclientexception: 403,
  validationexception: 400,
}))

/** The status of an exception by its name, in whatever case; 500 for one that is not known. */
export function statusOfException(name: string): number {
  return EXCEPTION_STATUSES.get(name.toLowerCase()) ?? 500
}

/**
 * `redactedContent` -> what the model's vendor calls it: the API makes a blob of that text, as base64. One character a byte, so that a blob
 * of anything else is none the worse for it.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningContentBlock.html
 */
export function redactedText(blob: string): string {
  return Buffer.from(blob, 'base64').toString('latin1')
}

/** The way back. */
export function redactedBlob(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64')
}

/** Keys of an event whose values are output. */
export const OUTPUT_KEYS: readonly string[] = [
  'text',
  'input',
  'signature',
  'redactedContent',
  'name',
  'content',
  'bytes',
]
