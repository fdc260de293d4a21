import type { Failure } from '@understudy/core'

import { framesOf } from './error-frames.js'

/** A fault in the code of a custom leg, without a word of what was thrown: that may quote a prompt. */
export interface CustomLegFault {
  readonly message: string
  /** Where it was thrown, innermost first. */
  readonly at: readonly string[]
}

/** What the language throws at code that is wrong. Other errors are for the chain to deal with. */
const FAULTS = ['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError']

/** How the code of a failure begins that names what is wrong with a part. */
const ODD_PART = 'odd_part.'

/** Finds the fault of the leg's own code in a failure; `undefined` if it failed for another reason. */
export function customLegFault({ kind, status, code, cause }: Failure): CustomLegFault | undefined {
  if (kind === 'malformed' && code === 'no_iterable') return { message: 'its open gives no async iterable', at: [] }
  if (kind === 'malformed' && code === 'no_part') return { message: 'it yields what is neither a text nor a part', at: [] }
  if (kind === 'malformed' && code?.startsWith(ODD_PART) === true) {
    return { message: `it yields a part that is none: ${code.slice(ODD_PART.length)} is not what it should be`, at: [] }
  }
  if (kind !== 'server_error' || status !== undefined) return undefined
  try {
    const name = cause instanceof Error ? cause.name : undefined
    if (name === undefined || !FAULTS.includes(name)) return undefined
    const at = framesOf(cause)
    return { message: `it threw a ${name}${at[0] === undefined ? '' : ` ${at[0]}`}`, at }
  } catch {
    // A getter of what was thrown threw: then it is no fault that the language found.
    return undefined
  }
}
