import type { ClientError } from '../dialect-codec.js'
import type { ErrorWire } from './wire.js'

/** The error envelope. */
export function encodeFailure(error: ClientError): { readonly body: Record<string, unknown> } {
  const { attempts, requestId } = error
  return {
    body: {
      error: errorWire(error),
      ...(attempts === undefined ? undefined : { attempts }),
      ...(requestId === undefined ? undefined : { request_id: requestId }),
    },
  }
}

/** The event that ends a failed stream. */
export function encodeStreamFailure(error: ClientError): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(encodeFailure(error).body)}\n\n`, 'utf8')
}

function errorWire({ message, type, code, param, failures }: ClientError): ErrorWire {
  return {
    message,
    type,
    code,
    ...(param === undefined ? undefined : { param }),
    ...(failures === undefined ? undefined : { failures }),
  }
}
