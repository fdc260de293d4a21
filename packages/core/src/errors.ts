import type { Failure } from './failure/failure.js'
import type { AttemptRecord } from './report.js'

const LEG_FAILED = Symbol.for('understudy.LegFailedError')
const CHAIN_FAILED = Symbol.for('understudy.ChainFailedError')

/** Whether something is an error of ours, from whichever copy of its package: each class has a marker of its own. Never throws. */
export function isMarked(value: unknown, marker: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && Reflect.get(value, marker) === true
  } catch {
    // A getter or a proxy of a stranger threw: whatever it is, it is none of ours.
    return false
  }
}

function causeOf(failure: Failure | undefined): ErrorOptions | undefined {
  return failure?.cause === undefined ? undefined : { cause: failure.cause }
}

/** What a leg throws when it knows why it failed. Anything else that it throws is classified by what can be read off it. */
export class LegFailedError extends Error {
  static {
    Object.defineProperty(this.prototype, LEG_FAILED, { value: true })
  }

  readonly code = 'ERR_UNDERSTUDY_LEG_FAILED'
  readonly failure: Failure

  /** `cause` is what the leg threw: by default the failure's own. */
  constructor(failure: Failure, options = causeOf(failure)) {
    super(`leg failed: ${failure.kind}`, options)
    this.name = 'LegFailedError'
    this.failure = failure
  }
}

/**
 * The same without a stack, for a failure that a provider or a limit made and no code.
 *
 * Hot while a provider is down: the stack is most of what an error takes to make.
 */
export function legFailed(failure: Failure): LegFailedError {
  const { stackTraceLimit } = Error
  // Fails, and does no harm, where the host has frozen what the language brings.
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return new LegFailedError(failure)
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  }
}

/** Recognises a `LegFailedError`, from another copy of this package too. */
export function isLegFailedError(value: unknown): value is LegFailedError {
  return isMarked(value, LEG_FAILED)
}

/**
 * Every leg failed, or the chain was stopped. `failures` has a row for each attempt and each leg left out, in order; `cause` is
 * what the last leg threw, if it threw.
 */
export class ChainFailedError extends Error {
  readonly code = 'ERR_UNDERSTUDY_CHAIN_FAILED'
  /** What ended the chain: the last failure, or the chain's own limit. Absent when no leg could be tried. */
  readonly failure: Failure | undefined
  readonly failures: readonly AttemptRecord[]

  constructor(message: string, failure: Failure | undefined, failures: readonly AttemptRecord[]) {
    super(message, causeOf(failure))
    this.name = 'ChainFailedError'
    this.failure = failure
    this.failures = failures
    Object.defineProperty(this, CHAIN_FAILED, { value: true })
  }
}

/** Recognises a `ChainFailedError`, from another copy of this package too. */
export function isChainFailedError(value: unknown): value is ChainFailedError {
  return isMarked(value, CHAIN_FAILED)
}
