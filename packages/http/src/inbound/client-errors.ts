import type { FailureKind, SkipReason } from '@understudy/core'

/** Every code that a client may meet in an error of ours. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_request_error'
  | 'body_consumed'
  | 'unsupported_media_type'
  | 'request_too_large'
  | 'model_not_found'
  | 'unknown_model'
  | 'caller_chains_disabled'
  | 'not_found'
  | 'context_length_exceeded'
  | 'content_filter'
  | 'untranslatable_request'
  | 'native_feature_unsupported'
  | 'all_legs_failed'
  | 'all_models_failed'
  | 'refused'
  | 'deadline_exceeded'
  | 'no_leg_available'
  | 'circuit_open'
  | 'stream_truncated'
  | 'idle_timeout'
  | 'upstream_error'
  | 'internal_error'
  /** Nobody reads it: the client has left. */
  | 'aborted'

/** The `type` that goes with a status. */
export function errorType(status: number): string {
  if (status === 429) return 'rate_limit_error'
  if (status < 500) return 'invalid_request_error'
  if (status === 502) return 'upstream_error'
  if (status === 503) return 'overloaded_error'
  return status === 504 ? 'timeout_error' : 'server_error'
}

/** What we say of an attempt, by its kind. Ours, so that nothing of a provider's words or of a prompt is in it. */
export const REASON_MESSAGES = {
  connection_error: 'the connection to the provider failed',
  timeout: 'the provider did not answer in time',
  rate_limit: 'the provider is limiting the rate of requests',
  overloaded: 'the provider is overloaded',
  server_error: 'the provider failed',
  auth_error: 'the provider refused the credentials or the account',
  not_found: 'the provider does not know the model or the path',
  invalid_request: 'the provider refused the request',
  context_length: 'the request is longer than the model takes',
  content_filter: 'the provider refused the content',
  malformed: 'the answer of the provider could not be read',
  empty: 'the answer of the provider held no output',
  truncated: 'the answer of the provider broke off',
  refused: 'the attempt was refused before it was made',
  aborted: 'the client left',
  circuit_open: 'left out: the provider has been failing',
  cooldown: 'left out: the leg rests after a rate limit',
  window: 'left out: no time was left for it',
  untranslatable: 'left out: its dialect cannot say the request',
  no_credentials: 'left out: it has no credentials',
} as const satisfies Record<FailureKind | SkipReason, string>

/** What we say of an attempt that failed before its provider was asked, by the code that is given to it there. */
export const OWN_CODE_MESSAGES = {
  credential_unavailable: 'the provider was not asked: its apiKey function gave no key',
  invalid_credential: 'the provider was not asked: its apiKey function gave what no header can carry',
  signature_unavailable: 'the provider was not asked: its sign function failed',
  invalid_signature: 'the provider was not asked: its sign function gave what no header can carry',
  model_in_path: 'the provider was not asked: no path can hold the name of this model',
  internal_error: 'the provider was not asked: Understudy failed',
} as const

/** What is said to whoever is still there when a `Fallback` is closed. */
export const CLOSED_MESSAGE = 'Understudy is closed'

/** What is said to whoever comes after that. */
export const CLOSED_REJECTION = { status: 503, code: 'no_leg_available', message: CLOSED_MESSAGE } as const

/** What nobody reads: the client has left before there was a run. */
export const GONE_REJECTION = { status: 499, code: 'aborted', message: REASON_MESSAGES.aborted } as const

/** What is said where a fault is our own. */
export const FAULT_MESSAGE = 'Understudy failed'

/** What is said before there was a run. */
export const FAULT_REJECTION = { status: 500, code: 'internal_error', message: FAULT_MESSAGE } as const
