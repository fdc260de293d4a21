import { untilAborted } from '@understudy/config'
import type { ResolvedProvider, SignedHeaders } from '@understudy/config'
import type { StopSignal } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { isHeaderName, isHeaderValue } from './request-headers.js'

/**
 * The headers that a provider's `sign` makes of the bytes about to be sent: names and values in turn. What cannot be had, or
 * not be sent, is an `auth_error`, so that the next leg is tried. Settles with the reason of `signal` if that is aborted first.
 */
export async function signatureHeaders(
  sign: NonNullable<ResolvedProvider['sign']>,
  bytes: Uint8Array,
  signal: StopSignal,
): Promise<readonly string[]> {
  let signed: SignedHeaders
  try {
    signed = await untilAborted(Promise.resolve(sign(bytes)), signal)
  } catch {
    signal.throwIfAborted()
    // What was thrown stays out of it: it may quote the key.
    throw new LegFailedError(failureOf('auth_error', { code: 'signature_unavailable' }))
  }
  return Object.entries(signed ?? {}).flatMap(([name, value]) => {
    if (isHeaderName(name) && isHeaderValue(value)) return [name.toLowerCase(), value]
    throw new LegFailedError(failureOf('auth_error', { code: 'invalid_signature' }))
  })
}
