import type { FailureKind, Processed } from './failure.js'

/** What the system calls a connection that never was: the request cannot have been seen. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'ERR_INVALID_URL',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Codes of Node's sockets and of undici for a connection that broke. */
const BROKEN_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'EPROTO',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_SOCKET',
])

/** Codes that vendors share, for errors that an SDK throws inside a custom leg, and undici's for a silent provider. */
export const KIND_OF_CODE: ReadonlyMap<string, FailureKind> = new Map([
  ['content_filter', 'content_filter'],
  ['content_policy_violation', 'content_filter'],
  ['context_length_exceeded', 'context_length'],
  ['insufficient_quota', 'auth_error'],
  ['model_not_found', 'not_found'],
  ['overloaded_error', 'overloaded'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['tool_use_failed', 'server_error'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
])

/** Error names of the vendors' SDKs and of the platform, where no code or status says it better. */
export const KIND_OF_NAME: ReadonlyMap<string, FailureKind> = new Map([
  ['APIConnectionError', 'connection_error'],
  ['APIConnectionTimeoutError', 'timeout'],
  ['AuthenticationError', 'auth_error'],
  ['BadRequestError', 'invalid_request'],
  ['NotFoundError', 'not_found'],
  ['PermissionDeniedError', 'auth_error'],
  ['RateLimitError', 'rate_limit'],
  ['ThrottlingException', 'rate_limit'],
  ['TimeoutError', 'timeout'],
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

/** Whether the request can have been seen, for a code that says what became of its connection; `undefined` for others. */
export function processedOfConnection(code: string): Processed | undefined {
  if (NEVER_CONNECTED.has(code) || isCertificateCode(code)) return 'no'
  return BROKEN_CONNECTION.has(code) || code.startsWith('HPE_') ? 'maybe' : undefined
}

/** OpenSSL's and Node's names for a certificate or a handshake that is not to be trusted. */
function isCertificateCode(code: string): boolean {
  return /^(CERT_|ERR_SSL_|ERR_TLS_)|_(CERT|CHAIN|SIGNATURE)/.test(code)
}
