import { isLegFailedError } from '../errors.js'
import type { Failure, FailureKind, Processed } from './failure.js'
import { failureOf } from './failure.js'

/** How deep a chain of causes is followed; deeper ones are hostile or helpless. */
const MAX_CAUSES = 5

/** What the system calls a connection that never was: the request cannot have been seen. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_INVALID_URL',
])

/** Codes of Node's sockets and of undici for a connection that broke. */
const BROKEN_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EPROTO',
  'UND_ERR_SOCKET',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** Error names of the vendors' SDKs and of the platform, where no code or status says it better. */
const NAMES: ReadonlyMap<string, FailureKind> = new Map([
  ['APIConnectionError', 'connection_error'],
  ['APIConnectionTimeoutError', 'timeout'],
  ['TimeoutError', 'timeout'],
  ['AuthenticationError', 'auth_error'],
  ['PermissionDeniedError', 'auth_error'],
  ['NotFoundError', 'not_found'],
  ['RateLimitError', 'rate_limit'],
  ['ThrottlingException', 'rate_limit'],
  ['BadRequestError', 'invalid_request'],
])

/** Codes that vendors share, for errors that an SDK throws inside a custom leg. */
const CODES: ReadonlyMap<string, FailureKind> = new Map([
  ['context_length_exceeded', 'context_length'],
  ['content_filter', 'content_filter'],
  ['content_policy_violation', 'content_filter'],
  ['insufficient_quota', 'auth_error'],
  ['model_not_found', 'not_found'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['overloaded_error', 'overloaded'],
  ['tool_use_failed', 'server_error'],
])

/** What an HTTP status that is not 2xx means, where the body says nothing better. */
export function kindOfStatus(status: number): FailureKind {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return 'invalid_request'
    case 401:
    case 402:
    case 403:
      return 'auth_error'
    case 404:
      return 'not_found'
    case 408:
      return 'timeout'
    case 429:
      return 'rate_limit'
    case 529:
      return 'overloaded'
    default:
      return 'server_error'
  }
}

/**
 * Reads any thrown value: the only place that does. Never throws, whatever getters, proxies and cycles it is handed; what
 * cannot be read is a `server_error`.
 */
export function classify(thrown: unknown): Failure {
  if (isLegFailedError(thrown)) return thrown.failure
  let current: unknown = thrown
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth += 1) {
    const failure = read(current)
    if (failure !== undefined) return failure
    current = field(current, 'cause')
  }
  return failureOf('server_error')
}

function read(value: unknown): Failure | undefined {
  if (isLegFailedError(value)) return value.failure
  const code = text(field(value, 'code'))
  const status = statusOf(value)
  const known = code === undefined ? undefined : CODES.get(code)
  if (known !== undefined) return failureOf(known, { status, code })
  if (status !== undefined) return failureOf(kindOfStatus(status), { status, code: safeCode(code) })
  const connection = connectionOf(code)
  if (connection !== undefined) return failureOf('connection_error', { processed: connection, code: safeCode(code) })
  const name = text(field(value, 'name'))
  const kind = name === undefined ? undefined : NAMES.get(name)
  return kind === undefined ? undefined : failureOf(kind, { code: safeCode(code) })
}

function connectionOf(code: string | undefined): Processed | undefined {
  if (code === undefined) return undefined
  if (NEVER_CONNECTED.has(code) || isCertificateCode(code)) return 'no'
  return BROKEN_CONNECTION.has(code) || code.startsWith('HPE_') ? 'maybe' : undefined
}

/** OpenSSL's and Node's names for a certificate or a handshake that is not to be trusted. */
function isCertificateCode(code: string): boolean {
  return code.startsWith('CERT_') || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || /_(CERT|CHAIN|SIGNATURE)/.test(code)
}

function statusOf(value: unknown): number | undefined {
  for (const key of ['status', 'statusCode']) {
    const status = field(value, key)
    if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status
  }
  return undefined
}

function safeCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[\w.-]{1,64}$/.test(code) ? code : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return Reflect.get(value, key) as unknown
  } catch {
    // A throwing getter hides its field and nothing else.
    return undefined
  }
}
