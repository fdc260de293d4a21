import type { Failure } from '@understudy/core'
import { readFailureHeaders } from '../answer-headers.js'
import type { FailedAnswer } from '../dialect-codec.js'
import { readErrorEvidence } from '../error-evidence.js'
import { createToFailure } from '../failure-kind.js'
import { paramOf } from '../openai/decode-failure.js'
import { parseJson } from '../read-json.js'
import { FAILURE_WORDS } from './failure-words.js'

export { errorIn } from '../openai/decode-failure.js'

const toFailure = createToFailure(FAILURE_WORDS)

/** What an answer outside 2xx means. A body that is no JSON says nothing: the status decides. */
export function decodeFailure({ status, headers, body, now }: FailedAnswer): Failure {
  const value = parseJson(body)
  const evidence = readErrorEvidence(value)
  return toFailure({ ...evidence, status }, { ...readFailureHeaders(headers, now), param: paramOf(value) })
}

/** What an error inside a 2xx means: the value of `error`, or the object that is one. Any shape. */
export function failureOfError(error: unknown): Failure {
  return toFailure(readErrorEvidence(error), {})
}
