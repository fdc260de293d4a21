import type { Failure } from '@understudy/core'
import { readErrorEvidence } from '../error-evidence.js'
import { createDecodeFailure } from '../failed-answer.js'
import { createToFailure } from '../failure-kind.js'
import { maskCredentials } from '../mask-credentials.js'
import { isObject, listOf } from '../read-json.js'
import { CODES, MESSAGES, PLAIN_STATUSES, WEAK_CODES } from './failure-words.js'

const toFailure = createToFailure({ codes: CODES, weakCodes: WEAK_CODES, messages: MESSAGES, plainStatuses: PLAIN_STATUSES })

/** What an answer outside 2xx means. */
export const decodeFailure = createDecodeFailure(toFailure, {
  read: (body) => ({ evidence: readErrorEvidence(body), param: paramOf(body) }),
})

/** The field that is at fault, as a path into the request; anything else is dropped, since a `param` may hold anything. */
export function paramOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const { param } = isObject(value.error) ? value.error : value
  return typeof param === 'string' && /^[\w.[\]-]{1,128}$/.test(param) && maskCredentials(param) === param ? param : undefined
}

/** What an error inside a 2xx means: the value of `error`, or the object that is one. Any shape. */
export function failureOfError(error: unknown): Failure {
  return toFailure(readErrorEvidence(error), {})
}

/** The error in what should have been an answer, whatever its shape; `undefined` if it holds none. */
export function errorIn(value: unknown): unknown {
  if (Array.isArray(value)) return listOf(value).map(errorIn).find((error) => error !== undefined)
  if (!isObject(value)) return undefined
  const { error } = value
  if (error !== undefined && error !== null && error !== false && error !== '' && error !== 0) return error
  if (value.object === 'error' || value.type === 'error') return value
  // An error without an envelope: a message beside a status or a code, and nothing of an answer.
  const hasMessage = typeof value.message === 'string' && ['code', 'status', 'status_code'].some((key) => key in value)
  const isBare = hasMessage || 'detail' in value || 'errors' in value
  return isBare && !('choices' in value) && !('usage' in value) ? value : undefined
}
