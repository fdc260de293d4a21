import { FAILURE_KINDS, type FailureKind } from '@understudy/core'
import { suggestName } from '../nearest-name.js'
import { quote } from '../show.js'
import { wrong } from './rule.js'

/** What a chain never moves on from, a retry never follows and a breaker never counts: they were meant. */
const MEANT: readonly FailureKind[] = ['refused', 'aborted']
const KINDS = FAILURE_KINDS.filter((kind) => !MEANT.includes(kind))

/** How a list of failure kinds is described. */
export const KINDS_LIST = `a list of failure kinds (${KINDS.join(', ')})`

function isKind(value: unknown): value is FailureKind {
  return KINDS.some((kind) => kind === value)
}

/** Whether a value is a list of failure kinds that can be asked for. */
export function isKinds(value: unknown): value is readonly FailureKind[] {
  return Array.isArray(value) && value.every(isKind)
}

/** The message of a list that holds something else, or of what is no list. */
export function kindsMessage(value: unknown, right: string): string {
  if (!Array.isArray(value)) return wrong(value, right)
  const stranger: unknown = value.find((item) => !isKind(item))
  return typeof stranger === 'string'
    ? `holds ${quote(stranger)}, which is none of the failure kinds; ${suggestName(stranger, KINDS)}`
    : `holds ${wrong(stranger, `one of ${KINDS.join(', ')}`).replace(/^is /, '')}`
}
