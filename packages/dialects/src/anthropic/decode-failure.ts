import type { Failure } from '@understudy/core'
import { readErrorEvidence } from '../error-evidence.js'
import { createDecodeFailure } from '../failed-answer.js'
import { createToFailure } from '../failure-kind.js'
import { isObject } from '../read-json.js'
import { FAILURE_WORDS } from './failure-words.js'

const toFailure = createToFailure(FAILURE_WORDS)

/** What an answer outside 2xx means. */
export const decodeFailure = createDecodeFailure(toFailure, { read: (body) => ({ evidence: readErrorEvidence(body) }) })

/** What an error inside a 2xx means: the envelope, or the object that is one. Any shape. */
export function failureOfError(error: unknown): Failure {
  return toFailure(readErrorEvidence(error), {})
}

/** The error in what should have been an answer or an event; `undefined` if it holds none. */
export function errorIn(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const { type, error } = value
  if (error !== undefined && error !== null && error !== false) return error
  return type === 'error' ? value : undefined
}
