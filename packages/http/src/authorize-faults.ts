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

/** A function of the host's that says who asks, or who may, did not say it. Content-free. */
export interface HostFault {
  /** Default `UNDERSTUDY_AUTHORIZE`. */
  readonly code?: 'UNDERSTUDY_AUTHORIZE' | 'UNDERSTUDY_IDENTIFY' | undefined
  /** What a log line carries beside its message. */
  readonly about: Readonly<Record<string, unknown>>
  /** `authorize threw a TypeError`. */
  readonly what: string
  /** Where it was thrown, innermost first. */
  readonly at: readonly string[]
  /** The rest of the sentence: what became of the request, and what would be right. */
  readonly rest: string
}

/** What is given names its members, of which there may be any number. */
const MOST_WARNED = 100

/** Tells of such faults: one error line each; without a logger, one warning for each that is new, since every request meets the same. */
export function createHostFaults(logger: Logger | undefined, warn: Warn): (fault: HostFault) => void {
  const warned = new Set<string>()

  return ({ code = 'UNDERSTUDY_AUTHORIZE', about, what, at, rest }) => {
    if (logger !== undefined) {
      logger.error({ ...about, code, at }, `${what}${rest}`)
      return
    }
    const message = `${[what, ...at.slice(0, 1)].join(' ')}${rest}`
    if (warned.has(message) || warned.size >= MOST_WARNED) return
    warned.add(message)
    warn(code, message)
  }
}

/** Tells of what the `authorize` of attempts did. What it threw or gave may quote a prompt or a key: only its kind and where it came from are said. */
export function createAuthorizeFaults(tell: (fault: HostFault) => void): (fault: AuthorizeFault) => void {
  return ({ trouble, ...about }) => {
    const { what, at } = trouble.type === 'threw' ? thrownWords(trouble.error) : { what: `gave ${kindOf(trouble.value)}, which is no verdict`, at: [] }
    tell({ about, what: `authorize ${what}`, at, rest: `, and the attempt was refused${advice(trouble)}` })
  }
}

function advice({ type }: AuthorizeFault['trouble']): string {
  return type === 'threw' ? '' : "; give nothing to let it go, or { refuse: 'skip' } or { refuse: 'stop' }"
}

/** What was thrown, by its kind, and where: `threw a TypeError`. */
export function thrownWords(error: unknown): { readonly what: string; readonly at: readonly string[] } {
  try {
    return { what: `threw ${error instanceof Error ? `${/^[AEIOU]/.test(error.name) ? 'an' : 'a'} ${error.name}` : kindOf(error)}`, at: framesOf(error) }
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
