import type { DialectCodec } from '@understudy/dialects'

import type { ErrorCode } from './client-errors.js'
import { errorType } from './client-errors.js'
import { ERROR_HEADERS } from './response-headers.js'
import type { OutboundResponse } from './response.js'

/** A request that never became a run. */
export interface Rejection {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  /** Path of the field at fault, as in `messages[0].role`. */
  readonly param?: string | undefined
}

/** Tells a rejection in the client's dialect. */
export function rejectionResponse(
  codec: DialectCodec,
  { status, code, message, param }: Rejection,
  requestId: string,
): OutboundResponse {
  const type = errorType(status)
  const { body } = codec.encodeFailure({ status, type, code, message, param, requestId })
  return jsonResponse(status, { ...ERROR_HEADERS, 'x-request-id': requestId }, body)
}

/** A response whose body is this value as JSON. */
export function jsonResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  value: unknown,
): OutboundResponse {
  const body = Buffer.from(JSON.stringify(value))
  return { status, headers: { ...headers, 'content-length': String(body.length) }, body }
}
