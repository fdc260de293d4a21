import { isLegFailedError } from '../errors.js'
import type { Failure } from './failure.js'
import { causedBy, failureOf } from './failure.js'
import { field, textField } from './field.js'
import { KIND_OF_CODE, KIND_OF_NAME, kindOfStatus, processedOfConnection } from './known-errors.js'
import { codeField, readFailure } from './read-failure.js'

/** How deep a chain of causes is followed; deeper ones are hostile or helpless. */
const MAX_CAUSES = 5

/**
 * Reads any thrown value: the only place that does. Never throws, whatever getters, proxies and cycles it is handed; what
 * cannot be read is a `server_error`. What was thrown is the failure's `cause`.
 */
export function classify(thrown: unknown): Failure {
  const values = withCauses(thrown)
  // A name is the weakest evidence: a "connection error" says less than the code of what caused it.
  const failure = first(values, readEvidence) ?? first(values, readName) ?? failureOf('server_error')
  return thrown === undefined ? failure : causedBy(failure, thrown)
}

function withCauses(thrown: unknown): readonly unknown[] {
  const values: unknown[] = []
  let current = thrown
  while (values.length < MAX_CAUSES && current !== undefined) {
    values.push(current)
    current = field(current, 'cause') ?? field(field(current, 'errors'), '0')
  }
  return values
}

function first(values: readonly unknown[], read: (value: unknown) => Failure | undefined): Failure | undefined {
  for (const value of values) {
    const failure = read(value)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** What an error says by itself, its code or its status. */
function readEvidence(value: unknown): Failure | undefined {
  if (isLegFailedError(value)) return readFailure(field(value, 'failure')) ?? failureOf('server_error')
  const code = textField(value, 'code')
  const status = statusOf(value)
  const known = code === undefined ? undefined : KIND_OF_CODE.get(code)
  if (known !== undefined) return failureOf(known, { status, code })
  if (status !== undefined) return failureOf(kindOfStatus(status), { status, code: codeField(value) })
  const processed = code === undefined ? undefined : processedOfConnection(code)
  return processed === undefined ? undefined : failureOf('connection_error', { processed, code: codeField(value) })
}

/** The vendors' SDKs set no `name` on some of their errors; then the name of their class says it. */
function readName(value: unknown): Failure | undefined {
  for (const name of [textField(value, 'name'), textField(field(value, 'constructor'), 'name')]) {
    const kind = name === undefined ? undefined : KIND_OF_NAME.get(name)
    if (kind !== undefined) return failureOf(kind, { code: codeField(value) })
  }
  return undefined
}

/** Where the SDKs put the status: on the error, on its response, or in AWS's metadata. */
function statusOf(value: unknown): number | undefined {
  const places = [
    field(value, 'status'),
    field(value, 'statusCode'),
    field(field(value, 'response'), 'status'),
    field(field(value, '$metadata'), 'httpStatusCode'),
  ]
  for (const status of places) {
    if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status
  }
  return undefined
}
