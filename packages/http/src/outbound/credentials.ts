import { credentialName, untilAborted } from '@understudy/config'
import type { ResolvedProvider } from '@understudy/config'
import type { StopSignal } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { isHeaderValue } from './request-headers.js'

/** The header of one attempt that says who asks: name and value, or nothing. */
export type CredentialHeader = readonly [] | readonly [name: string, value: string]

/**
 * Asks the provider for its credential, anew at each attempt. A credential that cannot be had, or not be sent, is an
 * `auth_error`, so that the next leg is tried. Settles with the reason of `signal` if that is aborted first.
 */
export function credentialHeader(
  provider: ResolvedProvider,
  signal: StopSignal,
): CredentialHeader | Promise<CredentialHeader> {
  let credential: string | Promise<string> | undefined
  try {
    credential = provider.credential()
  } catch {
    throw unavailable()
  }
  if (credential === undefined || typeof credential === 'string') return headerOf(provider, credential)
  return settled(credential, signal).then((value) => headerOf(provider, value))
}

/** Whoever had to wait for a key has one: only a provider that needs none has nothing at once. */
async function settled(credential: Promise<string>, signal: StopSignal): Promise<unknown> {
  let value: unknown
  try {
    value = await untilAborted(credential, signal)
  } catch {
    signal.throwIfAborted()
    throw unavailable()
  }
  if (value === undefined || value === null) throw unavailable()
  return value
}

function headerOf(provider: ResolvedProvider, credential: unknown): CredentialHeader {
  if (credential === undefined) return []
  if (!isHeaderValue(credential) || credential === '') {
    throw new LegFailedError(failureOf('auth_error', { code: 'invalid_credential' }))
  }
  const name = credentialName(provider)
  return [name, name === 'authorization' ? `Bearer ${credential}` : credential]
}

/** What was thrown stays out of it: it may quote the credential or where it is kept. */
function unavailable(): LegFailedError {
  return new LegFailedError(failureOf('auth_error', { code: 'credential_unavailable' }))
}
