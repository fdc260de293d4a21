import type { Failure } from '@understudy/core'
import { readFailureHeaders } from '../answer-headers.js'
import type { FailedAnswer } from '../dialect-codec.js'
import { readErrorEvidence } from '../error-evidence.js'
import { createToFailure } from '../failure-kind.js'
import { isObject, parseJson } from '../read-json.js'
import { FAILURE_WORDS } from './failure-words.js'

const toFailure = createToFailure(FAILURE_WORDS)

/** What an answer outside 2xx means. A body that is no JSON says nothing: the status decides. */
export function decodeFailure({ status, headers, body, now }: FailedAnswer): Failure {
  const evidence = readErrorEvidence(parseJson(body))
  return toFailure({ ...evidence, status }, readFailureHeaders(headers, now))
}

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
