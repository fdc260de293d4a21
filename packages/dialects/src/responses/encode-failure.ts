import type { ClientError } from '../dialect-codec.js'

export { encodeFailure } from '../openai/encode-failure.js'

/** The event that ends a failed stream, where nobody counts its events. */
export function encodeStreamFailure(error: ClientError): Uint8Array {
  return Buffer.from(failureEvent(error, 0), 'utf8')
}

/**
 * The event that ends a failed stream. The members are those of the reference; the object beside them is what the service itself sends and
 * the vendor's client throws as an error.
 *
 * https://platform.openai.com/docs/api-reference/responses-streaming/error
 */
export function failureEvent(error: ClientError, count: number): string {
  const { message, type, code, failures, attempts, requestId } = error
  const param = error.param ?? null
  const data = {
    type: 'error',
    sequence_number: count,
    code,
    message,
    param,
    error: { message, type, code, param, ...(failures === undefined ? undefined : { failures }) },
    ...(attempts === undefined ? undefined : { attempts }),
    ...(requestId === undefined ? undefined : { request_id: requestId }),
  }
  return `event: error\ndata: ${JSON.stringify(data)}\n\n`
}
