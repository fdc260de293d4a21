import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { readErrorEvidence, type ErrorEvidence } from '../error-evidence.js'
import { createDecodeFailure } from '../failed-answer.js'
import { createToFailure } from '../failure-kind.js'
import { isObject, objectOf, textOf } from '../read-json.js'
import { sanitiseName } from '../sanitise-name.js'
import { FAILURE_WORDS } from './failure-words.js'

const toFailure = createToFailure(FAILURE_WORDS)

/**
 * What an answer outside 2xx means. The error's name stands in a header, in front of a `:`, or in the body, behind a `#`.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
 */
export const decodeFailure = createDecodeFailure(toFailure, {
  nameHeader: 'x-amzn-errortype',
  read(body, name) {
    const evidence = evidenceOf(body)
    return { evidence: { ...evidence, words: [name, textOf(objectOf(body)?.__type)].flatMap(nameOf).concat(evidence.words) } }
  },
})

/** What an error inside a 2xx means: the envelope, or the object that is one. Any shape. */
export function failureOfError(error: unknown): Failure {
  return toFailure(evidenceOf(error), {})
}

/** A model that failed at its own output, by its `stopReason`. */
export function failureOfStop(reason: string): Failure {
  return failureOf('server_error', { code: sanitiseName(reason) })
}

/** The error in what should have been an answer or an event; `undefined` if it holds none. */
export function errorIn(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const { error, output, message, Message: capital } = value
  if (error !== undefined && error !== null && error !== false) return error
  const isBare = typeof message === 'string' || typeof capital === 'string'
  return isBare && output === undefined ? value : undefined
}

/** Some of AWS's front doors write the message with a capital. */
function evidenceOf(error: unknown): ErrorEvidence {
  const capital = isObject(error) ? textOf(error.Message) : undefined
  return readErrorEvidence(capital === undefined ? error : { message: capital })
}

function nameOf(text: string | undefined): readonly string[] {
  const name = text?.split(':', 1)[0]?.split('#').at(-1)?.trim() ?? ''
  return /^\w{1,100}$/.test(name) ? [name] : []
}
