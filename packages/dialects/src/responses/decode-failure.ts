import type { Failure } from '@understudy/core'
import { readErrorEvidence } from '../error-evidence.js'
import { createDecodeFailure } from '../failed-answer.js'
import { createToFailure } from '../failure-kind.js'
import { paramOf } from '../openai/decode-failure.js'
import { FAILURE_WORDS } from './failure-words.js'

export { errorIn } from '../openai/decode-failure.js'

const toFailure = createToFailure(FAILURE_WORDS)

/** What an answer outside 2xx means. */
export const decodeFailure = createDecodeFailure(toFailure, {
  read: (body) => ({ evidence: readErrorEvidence(body), param: paramOf(body) }),
})

/** What an error inside a 2xx means: the value of `error`, or the object that is one. Any shape. */
export function failureOfError(error: unknown): Failure {
  return toFailure(readErrorEvidence(error), {})
}
