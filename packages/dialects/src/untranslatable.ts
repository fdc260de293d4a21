import { isMarked } from '@understudy/core'
import type { ChatRequest, Dialect } from '@understudy/core'
import { sanitiseName } from './sanitise-name.js'

const marker = Symbol.for('understudy.UntranslatableRequestError')

/**
 * A request says something that a leg's dialect has no words for. Names structure only, never what the request holds.
 * Recognise it with `isUntranslatableRequestError`, which also holds between two copies of this package.
 */
export class UntranslatableRequestError extends Error {
  readonly code = 'ERR_UNDERSTUDY_UNTRANSLATABLE_REQUEST'
  /** The dialect that the request came in; absent when it never was on a wire. */
  readonly source: Dialect | undefined
  readonly target: Dialect
  /** What cannot be said: a field or block name such as `logit_bias` or `file-url`. At most 64 of `[A-Za-z0-9_.-]`, a letter first. */
  readonly feature: string
  readonly [marker] = true

  constructor(where: { readonly source: Dialect | undefined; readonly target: Dialect; readonly feature: string }) {
    const feature = structuralName(where.feature)
    super(`The ${where.target} dialect cannot say ${feature} of a request from ${where.source ?? 'code'}`)
    this.name = 'UntranslatableRequestError'
    this.source = where.source
    this.target = where.target
    this.feature = feature
  }
}

/** Says that a dialect cannot say something, by its structural name. */
export type Refuse = (feature: string) => never

/** What refuses parts of a request on the way to a dialect: it throws an `UntranslatableRequestError`. */
export function createRefuse({ dialect: source }: Pick<ChatRequest, 'dialect'>, target: Dialect): Refuse {
  return (feature) => {
    throw new UntranslatableRequestError({ source, target, feature })
  }
}

/** Fields are named by clients, and the name stands in headers and labels. */
function structuralName(name: string): string {
  const plain = sanitiseName(name)
  return /^[A-Za-z]/.test(plain) ? plain : `field${plain}`.slice(0, 64)
}

/** Whether `error` is an `UntranslatableRequestError`, from this copy of the package or another. */
export function isUntranslatableRequestError(error: unknown): error is UntranslatableRequestError {
  return isMarked(error, marker)
}
