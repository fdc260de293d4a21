import type { Failure, Processed } from '@understudy/core'
import { failureOf } from '@understudy/core'

import { internalFault } from '../internal-fault.js'

const MAX_CAUSES = 5

/**
 * What an error of the connection means. Only its code is kept: messages and other members may quote addresses and
 * bytes of the answer.
 */
export function transportFailure(error: unknown, processed: Processed): Failure {
  // Refused before it was sent, since what we made of the request is none.
  if (codeOf(error) === 'UND_ERR_INVALID_ARG') return internalFault(error)
  return failureOf('connection_error', { processed, code: codeOf(error) })
}

function codeOf(error: unknown): string | undefined {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const code = 'code' in current ? current.code : undefined
    if (typeof code === 'string' && /^[\w.-]{1,64}$/.test(code)) return code
    current = current instanceof AggregateError ? current.errors[0] : current.cause
  }
  // An answer that is no HTTP has a name and no code.
  return error instanceof Error && /^HTTP\w{1,60}$/.test(error.name) ? error.name : undefined
}
