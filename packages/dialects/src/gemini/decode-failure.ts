import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { readErrorEvidence } from '../error-evidence.js'
import { createDecodeFailure } from '../failed-answer.js'
import { createToFailure } from '../failure-kind.js'
import { isObject, listOf } from '../read-json.js'
import { sanitiseName } from '../sanitise-name.js'
import { FAILURE_WORDS } from './failure-words.js'
import { paramOf, retryDelayMs } from './status-details.js'

const toFailure = createToFailure(FAILURE_WORDS)

/** What an answer outside 2xx means. A call for a JSON array is refused with an array of one error. */
export const decodeFailure = createDecodeFailure(toFailure, {
  read: (body) => ({ evidence: readErrorEvidence(body), ...detailsOf(body) }),
})

/** What an error inside a 2xx means: the envelope, or the object that is one. Any shape. */
export function failureOfError(error: unknown): Failure {
  return toFailure(readErrorEvidence(error), detailsOf(error))
}

/** A prompt that was blocked, for whatever reason. https://ai.google.dev/api/generate-content#BlockReason */
export function failureOfBlock(reason: string): Failure {
  return failureOf('content_filter', { code: sanitiseName(reason) })
}

/** The error in what should have been an answer or an event; `undefined` if it holds none. */
export function errorIn(value: unknown): unknown {
  if (Array.isArray(value)) return listOf(value).map(errorIn).find((error) => error !== undefined)
  if (!isObject(value)) return undefined
  const { error } = value
  if (error !== undefined && error !== null && error !== false && error !== '' && error !== 0) return error
  // An error without its envelope: a status beside a message, and nothing of an answer.
  const isBare = typeof value.message === 'string' && ('status' in value || 'code' in value)
  return isBare && !('candidates' in value) && !('usageMetadata' in value) ? value : undefined
}

function detailsOf(error: unknown): Pick<Failure, 'retryAfterMs' | 'param'> {
  return { retryAfterMs: retryDelayMs(error), param: paramOf(error) }
}
