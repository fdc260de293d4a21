import type { Failure, FailureKind } from '@understudy/core'
import { failureOf, kindOfStatus } from '@understudy/core'
import { readFailureHeaders } from '../answer-headers.js'
import type { FailedAnswer } from '../dialect-codec.js'
import { failureCodeOf, readErrorEvidence, type ErrorEvidence } from '../error-evidence.js'
import { maskCredentials } from '../mask-credentials.js'
import { providerMessageOf } from '../provider-message.js'
import { isObject, listOf, parseJson } from '../read-json.js'
import { CODES, MESSAGES, PLAIN_STATUSES, WEAK_CODES } from './failure-words.js'

type CodeTable = readonly (readonly [FailureKind, readonly string[]])[]

/** The place and the kind of each word of a table: the first row that has one of an error's words decides. */
const KIND_OF_CODE = byPlainWord(CODES)
const KIND_OF_WEAK_CODE = byPlainWord(WEAK_CODES)

/** What an answer outside 2xx means. A body that is no JSON says nothing: the status decides. */
export function decodeFailure({ status, headers, body, now }: FailedAnswer): Failure {
  const value = parseJson(body)
  const evidence = readErrorEvidence(value)
  return toFailure({ ...evidence, status }, { ...readFailureHeaders(headers, now), param: paramOf(value) })
}

/** The field that is at fault, as a path into the request; anything else is dropped, since a `param` may hold anything. */
function paramOf(value: unknown): string | undefined {
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

function toFailure(evidence: ErrorEvidence, details: Partial<Failure>): Failure {
  const { status } = evidence
  const code = failureCodeOf(evidence)
  const providerMessage = providerMessageOf(evidence.message)
  return failureOf(kindOf(evidence), {
    ...details,
    ...(status === undefined ? undefined : { status }),
    ...(code === undefined ? undefined : { code }),
    ...(providerMessage === undefined ? undefined : { providerMessage }),
  })
}

function kindOf({ words, status, text }: ErrorEvidence): FailureKind {
  const said = words.map(plainWord)
  const byCode = findByCode(KIND_OF_CODE, said)
  // A 429 asks to be left alone for a while, whatever word it uses for that.
  if (status === 429 && byCode === 'overloaded') return 'rate_limit'
  return (
    byCode ??
    (status !== undefined && PLAIN_STATUSES.has(status) ? undefined : findByMessage(text)) ??
    (status === undefined ? (findByCode(KIND_OF_WEAK_CODE, said) ?? 'server_error') : kindOfStatus(status))
  )
}

function byPlainWord(table: CodeTable): ReadonlyMap<string, readonly [row: number, kind: FailureKind]> {
  const found = new Map<string, readonly [number, FailureKind]>()
  table.forEach(([kind, codes], row) => {
    for (const code of codes.map(plainWord)) if (!found.has(code)) found.set(code, [row, kind])
  })
  return found
}

function findByCode(table: ReturnType<typeof byPlainWord>, said: readonly string[]): FailureKind | undefined {
  let first: readonly [row: number, kind: FailureKind] | undefined
  for (const word of said) {
    const entry = table.get(word)
    if (entry !== undefined && (first === undefined || entry[0] < first[0])) first = entry
  }
  return first?.[1]
}

function findByMessage(text: string): FailureKind | undefined {
  return text === '' ? undefined : MESSAGES.find(([, patterns]) => patterns.some((pattern) => pattern.test(text)))?.[0]
}

function plainWord(word: string): string {
  return word.toLowerCase().replace(/[_.-]/g, '')
}
