import type { ConfigIssue } from '@understudy/config'
import { isMarked } from '@understudy/core'

/** Why a change of a chain was not made. */
export type ChainControlCode =
  /** There is no source, or one that can only be read. */
  | 'no_writable_source'
  | 'unknown_route'
  | 'unknown_preset'
  /** No entry of the history has that version. */
  | 'unknown_version'
  /** Nothing is known of how the route was before. */
  | 'nothing_to_revert'
  /** An actor, a reason, a time or a limit that is none. */
  | 'invalid_request'
  /** The document that would come of it cannot be run in this process: `issues` says why. */
  | 'invalid_change'
  /** The source could not be read or written. Unless the message says that nothing was changed, a write may have reached it all the same. */
  | 'source_unavailable'
  | 'closed'

const CHAIN_CONTROL = Symbol.for('understudy.ChainControlError')

/** A change of a chain was not made. */
export class ChainControlError extends Error {
  readonly code: ChainControlCode
  /** What is wrong with the document that would come of the change; empty otherwise. */
  readonly issues: readonly ConfigIssue[]

  constructor(code: ChainControlCode, message: string, options: { readonly issues?: readonly ConfigIssue[]; readonly cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'ChainControlError'
    this.code = code
    this.issues = options.issues ?? []
    Object.defineProperty(this, CHAIN_CONTROL, { value: true })
  }
}

/** Recognises a `ChainControlError`, from another copy of this package too. */
export function isChainControlError(value: unknown): value is ChainControlError {
  return isMarked(value, CHAIN_CONTROL)
}
