import { createHash } from 'node:crypto'

import type { Caller, Identify } from '@understudy/config'

import { isThenable } from '../host-code.js'
import type { InboundRequest } from './request.js'

/** Who asks, and what events call the key. */
export interface KnownCaller {
  readonly caller: Caller | undefined
  readonly keyId: string | undefined
}

const NOBODY: KnownCaller = { caller: undefined, keyId: undefined }
const DIGITS = 16

/** Asks the host who asks. Throws, or rejects, as its code does. */
export function identifyCaller(
  identify: Identify | undefined,
  { method, path, query, headers }: InboundRequest,
): KnownCaller | Promise<KnownCaller> {
  if (identify === undefined) return NOBODY
  const result = identify({ method, path, query, headers })
  return isThenable(result) ? Promise.resolve(result).then(knownCaller) : knownCaller(result)
}

function knownCaller(result: Caller | null | undefined): KnownCaller {
  if (typeof result !== 'object' || result === null) return NOBODY
  const { keyId, key } = result
  if (typeof keyId === 'string' && keyId !== '') return { caller: result, keyId }
  if (typeof key !== 'string' || key === '') return { caller: result, keyId: undefined }
  return { caller: result, keyId: createHash('sha256').update(key).digest('hex').slice(0, DIGITS) }
}
