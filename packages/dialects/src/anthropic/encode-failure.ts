import type { ClientError } from '../dialect-codec.js'
import type { ErrorWire } from './wire.js'

/**
 * The type of an error by its status; what is not here is an `invalid_request_error` below 500 and an `api_error` above.
 *
 * https://platform.claude.com/docs/en/api/errors
 */
const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

/** The error envelope. What the API has no member for stands beside its own. */
export function encodeFailure(error: ClientError): { readonly body: Record<string, unknown> } {
  const { attempts, requestId } = error
  return {
    body: {
      type: 'error',
      error: errorWire(error),
      ...(attempts === undefined ? undefined : { attempts }),
      ...(requestId === undefined ? undefined : { request_id: requestId }),
    },
  }
}

/** The event that ends a failed stream. */
export function encodeStreamFailure(error: ClientError): Uint8Array {
  return Buffer.from(`event: error\ndata: ${JSON.stringify(encodeFailure(error).body)}\n\n`, 'utf8')
}

function errorWire({ status, message, code, param, failures }: ClientError): ErrorWire {
  return {
    type: TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
    message,
    code,
    ...(param === undefined ? undefined : { param }),
    ...(failures === undefined ? undefined : { failures }),
  }
}
