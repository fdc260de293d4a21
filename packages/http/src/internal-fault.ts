import type { Failure } from '@understudy/core'
import { failureOf, isDrilledFailure, isLegFailedError, LegFailedError } from '@understudy/core'

/** What our own code threw before a provider was asked, as a failure: it counts against nobody. */
export function internalFault(error: unknown): Failure {
  return failureOf('server_error', { processed: 'no', internal: true, code: 'internal_error', cause: error })
}

/** Runs our own code of before a request is sent. Whatever it throws but a `LegFailedError` is a fault of ours. */
export function orInternalFault<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw isLegFailedError(error) ? error : new LegFailedError(internalFault(error))
  }
}

/** What was thrown, where a failure is a fault of ours and none that a drill made. May quote a prompt. */
export function thrownInside(failure: Failure): { readonly error: unknown } | undefined {
  const { internal, cause } = failure
  if (internal !== true || isDrilledFailure(failure)) return undefined
  return { error: isLegFailedError(cause) ? cause.cause : cause }
}
