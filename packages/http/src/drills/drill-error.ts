import { isMarked } from '@understudy/core'

/** Why a drill was not started or ended. */
export type DrillCode =
  | 'unknown_route'
  | 'unknown_leg'
  | 'unknown_drill'
  /** A bound, a share, an actor or a reason that is none, or a fault that the route's clients would see. */
  | 'invalid_request'
  | 'closed'

const DRILL = Symbol.for('understudy.DrillError')

/** A drill was not started or ended. */
export class DrillError extends Error {
  readonly code: DrillCode

  constructor(code: DrillCode, message: string) {
    super(message)
    this.name = 'DrillError'
    this.code = code
    Object.defineProperty(this, DRILL, { value: true })
  }
}

/** Recognises a `DrillError`, from another copy of this package too. */
export function isDrillError(value: unknown): value is DrillError {
  return isMarked(value, DRILL)
}
