import { isChainControlError, isDrillError } from '@understudy/http'
import type { OutboundResponse } from '@understudy/http'

import { refusal } from './reply.js'

/** The answer for what a call threw. What is not known to be harmless is not repeated: it may quote anything. */
export function faultReply(error: unknown): OutboundResponse {
  if (isChainControlError(error)) return refusal(error.code, error.message, { issues: error.issues })
  if (isDrillError(error)) return refusal(error.code, error.message)
  const actualVersion = conflictIn(error)
  if (actualVersion === undefined) return refusal('internal_error', 'the call failed inside Understudy; nothing is known to be changed')
  const message = actualVersion === 'unknown'
    ? 'somebody else changed the chains meanwhile: look again, then decide again'
    : `somebody else changed the chains meanwhile: version ${actualVersion} is live; look again, then decide again`
  return refusal('version_conflict', message, typeof actualVersion === 'number' ? { actualVersion } : {})
}

/** By its code: a source may come with another copy of the class. */
function conflictIn(error: unknown): number | 'unknown' | undefined {
  if (typeof error !== 'object' || error === null || Reflect.get(error, 'code') !== 'version_conflict') return undefined
  const actual: unknown = Reflect.get(error, 'actualVersion')
  return typeof actual === 'number' ? actual : 'unknown'
}
