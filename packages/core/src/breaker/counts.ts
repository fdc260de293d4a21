import type { Failure, FailureKind } from '../failure/failure.js'
import { isFailureKind } from '../failure/failure.js'
import type { Verdict } from '../failure/verdict.js'
import { healthOf } from '../failure/verdict.js'

/** A named rule of which failures count: `table` is the health column of the failure table. */
export type Counts = 'table' | 'sdk'

/** Request faults and account trouble, where no status says that they are 4xx. */
const CLIENT_KINDS: ReadonlySet<FailureKind> = new Set([
  'auth_error',
  'not_found',
  'invalid_request',
  'context_length',
  'content_filter',
])

/** Our own stops say nothing about a provider. */
const NEVER: ReadonlySet<FailureKind> = new Set(['refused', 'aborted'])

/** What the end of an attempt says about its provider; no failure = it answered. */
export function verdictOf(failure: Failure | undefined, counts: Counts | readonly FailureKind[]): Verdict {
  if (failure === undefined) return 'success'
  const usual = healthOf(failure)
  if (counts === 'table' || NEVER.has(failure.kind) || failure.internal === true) return usual
  if (counts === 'sdk') {
    if (failure.kind === 'rate_limit') return 'charge'
    return isClientFault(failure) ? 'neutral' : usual
  }
  if (counts.includes(failure.kind)) return 'charge'
  return usual === 'charge' ? 'neutral' : usual
}

/** Throws a `TypeError` for a name that is no rule, or a kind that can never count. */
export function checkCounts(counts: unknown, path: string): void {
  if (counts === 'table' || counts === 'sdk') return
  if (!Array.isArray(counts)) {
    throw new TypeError(`\`${path}\` must be 'table', 'sdk' or a list of failure kinds; got ${shown(counts)}`)
  }
  const wrong: unknown = counts.find((kind) => !isFailureKind(kind) || NEVER.has(kind))
  if (wrong === undefined) return
  throw new TypeError(`\`${path}\` must hold failure kinds that a provider can cause; got ${shown(wrong)}`)
}

function isClientFault({ kind, status }: Failure): boolean {
  return CLIENT_KINDS.has(kind) || (status !== undefined && status >= 400 && status < 500)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : typeof value
}
