import type { Failure } from './failure.js'
import { failureOf } from './failure.js'

/** The code of a failure that was made on purpose. */
const DRILL_CODE = 'drill'

/** A failure that a drill made: a fault of our own, which counts against nobody. What the client's leaving ended stays what it is. */
export function drilledFailure(failure: Failure): Failure {
  if (failure.kind === 'aborted') return failure
  return failureOf(failure.kind, { ...failure, code: DRILL_CODE, internal: true })
}

/** Whether a drill made this failure. */
export function isDrilledFailure({ code, internal }: Failure): boolean {
  return internal === true && code === DRILL_CODE
}
