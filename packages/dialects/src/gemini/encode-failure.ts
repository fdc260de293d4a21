import type { ClientError } from '../dialect-codec.js'
import { defined } from '../read-json.js'
import type { ErrorWire } from './wire.js'

/**
 * The status of an error by its HTTP status; what is not here is `INVALID_ARGUMENT` below 500 and `INTERNAL` above.
 *
 * https://cloud.google.com/apis/design/errors#handling_errors
 */
const STATUSES: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [402, 'FAILED_PRECONDITION'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

/** The error envelope. What `google.rpc.Status` has no member for stands in its details, or beside its own members. */
export function encodeFailure(error: ClientError): { readonly body: Record<string, unknown> } {
  const { attempts, requestId } = error
  return { body: defined<Record<string, unknown>>({ error: errorWire(error), attempts, request_id: requestId }) }
}

/** The event that ends a failed stream. */
export function encodeStreamFailure(error: ClientError): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(encodeFailure(error).body)}\n\n`, 'utf8')
}

/**
 * The bare error, which is how the vendor says it. Its own client reads only that, and only where nothing else came in the same read:
 * `@google/genai` parses each read as JSON first, and takes an error in an event for an answer without text.
 */
export function encodeBareFailure(error: ClientError): Uint8Array {
  return Buffer.from(JSON.stringify(encodeFailure(error).body), 'utf8')
}

function errorWire({ status, message, type, code, param, failures }: ClientError): ErrorWire {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: code,
    domain: 'understudy',
    metadata: defined({ type, param }),
  }
  return {
    code: status,
    message,
    status: STATUSES.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
    details: [info],
    ...(failures === undefined ? undefined : { failures }),
  }
}
