import type { Logger } from '@understudy/config'

import { framesOf } from './error-frames.js'
import type { Warn } from './warnings.js'

/** The host's `authorize` did not judge an attempt, which was therefore refused. */
export interface AuthorizeFault {
  readonly requestId: string
  readonly route: string
  /** `provider/model`. */
  readonly leg: string
  readonly trouble: { readonly type: 'threw'; readonly error: unknown } | { readonly type: 'gave'; readonly value: unknown }
}

/**
 * Tells of such faults: one error line each; without a logger, one warning for each that is new, since every request meets the same. What was
 * thrown or given may quote a prompt or a key, so only its kind and where it came from are said.
 */
export function createAuthorizeFaults(logger: Logger | undefined, warn: Warn): (fault: AuthorizeFault) => void {
  const warned = new Set<string>()

  return ({ trouble, ...about }) => {
    const { what, at } = trouble.type === 'threw' ? thrown(trouble.error) : { what: `gave ${kindOf(trouble.value)}, which is no verdict`, at: [] }
    if (logger !== undefined) {
      logger.error({ ...about, code: 'UNDERSTUDY_AUTHORIZE', at }, `authorize ${what}, and the attempt was refused${advice(trouble)}`)
      return
    }
    const message = `authorize ${[what, ...at.slice(0, 1)].join(' ')}, and the attempt was refused${advice(trouble)}`
    if (warned.has(message)) return
    warned.add(message)
    warn('UNDERSTUDY_AUTHORIZE', message)
  }
}

function advice({ type }: AuthorizeFault['trouble']): string {
  return type === 'threw' ? '' : "; give nothing to let it go, or { refuse: 'skip' } or { refuse: 'stop' }"
}

function thrown(error: unknown): { readonly what: string; readonly at: readonly string[] } {
  try {
    return { what: `threw ${error instanceof Error ? `a ${error.name}` : kindOf(error)}`, at: framesOf(error) }
  } catch {
    // A getter of what was thrown threw.
    return { what: 'threw an object', at: [] }
  }
}

function kindOf(value: unknown): string {
  if (typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return 'nothing'
  return typeof value === 'object' ? "an object whose `refuse` is neither 'skip' nor 'stop'" : `a ${typeof value}`
}
