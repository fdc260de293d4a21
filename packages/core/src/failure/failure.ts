import type { Usage } from '../part.js'

/** Why an attempt did not serve. SPEC-level vocabulary: these words stand in trails, reports, events and metrics. */
export type FailureKind =
  | 'connection_error'
  | 'timeout'
  | 'rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'auth_error'
  | 'not_found'
  | 'invalid_request'
  | 'context_length'
  | 'content_filter'
  | 'malformed'
  | 'empty'
  | 'truncated'
  | 'refused'
  | 'aborted'

/** Which limit fired. */
export type TimeoutPhase = 'connect' | 'first_content' | 'idle' | 'attempt' | 'stream' | 'chain'

/** Whether the provider may have acted on the request. */
export type Processed = 'no' | 'maybe' | 'yes'

/** Why an attempt did not serve. Content-free but for `providerMessage`, which is not enumerable. */
export interface Failure {
  readonly kind: FailureKind
  readonly processed: Processed
  /** With kind `timeout` only. */
  readonly phase?: TimeoutPhase | undefined
  /** The HTTP status, or the status that stood inside a 2xx answer. */
  readonly status?: number | undefined
  /** The provider's own code, at most 64 characters of `[A-Za-z0-9_.-]`. */
  readonly code?: string | undefined
  /** How long the provider asked us to wait. */
  readonly retryAfterMs?: number | undefined
  /** What `x-should-retry` said. */
  readonly shouldRetry?: boolean | undefined
  readonly providerRequestId?: string | undefined
  /** Tokens that the provider counted before it failed. */
  readonly usage?: Usage | undefined
  /** The provider's words. Only ever shown to the client that asked; never logged, never in an event. Not enumerable. */
  readonly providerMessage?: string | undefined
}

/** Default of `Failure.processed` for each kind; a leg that knows better says so. */
const PROCESSED = {
  connection_error: 'maybe',
  timeout: 'maybe',
  rate_limit: 'no',
  overloaded: 'no',
  server_error: 'maybe',
  auth_error: 'no',
  not_found: 'no',
  invalid_request: 'no',
  context_length: 'no',
  content_filter: 'no',
  malformed: 'yes',
  empty: 'yes',
  truncated: 'yes',
  refused: 'no',
  aborted: 'maybe',
} as const satisfies Record<FailureKind, Processed>

/** Makes a Failure: fills in `processed` and keeps `providerMessage` out of every enumeration. */
export function failureOf(kind: FailureKind, details: Partial<Omit<Failure, 'kind'>> = {}): Failure {
  const { providerMessage, processed = PROCESSED[kind], ...rest } = details
  const failure: Failure = { kind, processed, ...rest }
  if (providerMessage !== undefined) {
    Object.defineProperty(failure, 'providerMessage', { value: providerMessage, enumerable: false })
  }
  return failure
}
