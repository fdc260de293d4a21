import type { Usage } from '../part.js'

/** Why an attempt did not serve. These words stand in trails, reports, events and metrics, and so do not change. */
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
  /**
   * There, and true, where the fault is Understudy's own, met before the provider was asked or made by a drill (`code` is then `drill`): it
   * counts against nobody and is not retried on the same leg, and the next leg is asked as after any failure of its kind.
   */
  readonly internal?: true | undefined
  /** Tokens that the provider counted before it failed. */
  readonly usage?: Usage | undefined
  /** The provider's words. Only ever shown to the client that asked; never logged, never in an event. Not enumerable. */
  readonly providerMessage?: string | undefined
  /** The field of the request that the provider found at fault, at most 128 characters of a path. Not enumerable. */
  readonly param?: string | undefined
  /** What the leg threw, for whoever debugs it: may quote a prompt, so never logged, never in an event. Not enumerable. */
  readonly cause?: unknown
}

/** What may be said about a failure beyond its kind. */
export type FailureDetails = Omit<Failure, 'kind' | 'processed'> & { readonly processed?: Processed | undefined }

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

const PHASES = {
  connect: true,
  first_content: true,
  idle: true,
  attempt: true,
  stream: true,
  chain: true,
} as const satisfies Record<TimeoutPhase, true>

/** Whether this is a word of the failure table. */
export function isFailureKind(value: unknown): value is FailureKind {
  return typeof value === 'string' && Object.hasOwn(PROCESSED, value)
}

export function isTimeoutPhase(value: unknown): value is TimeoutPhase {
  return typeof value === 'string' && Object.hasOwn(PHASES, value)
}

export function isProcessed(value: unknown): value is Processed {
  return value === 'no' || value === 'maybe' || value === 'yes'
}

/**
 * Makes a Failure: fills in `processed`, leaves out what is undefined, and keeps what only the client or a debugger may see
 * out of every enumeration.
 */
export function failureOf(kind: FailureKind, details: FailureDetails = {}): Failure {
  const { providerMessage, param, cause, processed = PROCESSED[kind] } = details
  const { phase, status, code, retryAfterMs, shouldRetry, providerRequestId, internal, usage } = details
  // One by one: while a provider is down this is on the way of each request, and entries and spreads would take ten times as long.
  const failure: { -readonly [Member in keyof Failure]: Failure[Member] } = { kind, processed }
  if (phase !== undefined) failure.phase = phase
  if (status !== undefined) failure.status = status
  if (code !== undefined) failure.code = code
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs
  if (shouldRetry !== undefined) failure.shouldRetry = shouldRetry
  if (providerRequestId !== undefined) failure.providerRequestId = providerRequestId
  if (internal !== undefined) failure.internal = internal
  if (usage !== undefined) failure.usage = usage
  if (providerMessage !== undefined) {
    Object.defineProperty(failure, 'providerMessage', { value: providerMessage, enumerable: false })
  }
  if (param !== undefined) Object.defineProperty(failure, 'param', { value: param, enumerable: false })
  return cause === undefined ? failure : causedBy(failure, cause)
}

/** Writes into a failure of ours what the leg threw. */
export function causedBy(failure: Failure, cause: unknown): Failure {
  return Object.defineProperty(failure, 'cause', { value: cause, enumerable: false, configurable: true })
}
