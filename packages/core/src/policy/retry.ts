import type { Failure, FailureKind } from '../failure/failure.js'

/** When the same leg is asked again. */
export interface RetryPolicy {
  /** How often, beyond the first attempt. Default 0. */
  readonly retries: number
  readonly retryOn: ReadonlySet<FailureKind>
  /** A longer `Retry-After` is not waited for. `undefined` = no cap. Default 5 000. */
  readonly maxRetryAfterMs: number | undefined
}

/** The kinds that are retried unless somebody says otherwise. */
export const DEFAULT_RETRY_ON: readonly FailureKind[] = ['rate_limit', 'connection_error', 'server_error', 'overloaded']
/** The longest `Retry-After` that a retry waits for unless somebody says otherwise, in ms. */
export const DEFAULT_MAX_RETRY_AFTER_MS = 5_000

const BACKOFF_BASE_MS = 500
const BACKOFF_CAP_MS = 8_000
/** What has to be left after the wait, or the retry would only be cut. */
const ROOM_MS = 1_000

/**
 * How long to wait before the same leg is asked again, or `undefined` for not at all.
 * `retried` = how often it was already; `leftMs` = what the chain's limits leave; `random` in [0, 1).
 */
export function retryDelay(
  failure: Failure,
  policy: RetryPolicy,
  retried: number,
  leftMs: number,
  random: () => number,
): number | undefined {
  if (retried >= policy.retries || !policy.retryOn.has(failure.kind)) return undefined
  // Our own code would fail in the same way again.
  if (failure.shouldRetry === false || failure.internal === true) return undefined
  // A leg that was silent until a limit fired would be silent again, for a second full wait.
  if (failure.phase !== undefined) return undefined
  const delay = delayOf(failure, policy, retried, random)
  return delay !== undefined && delay + ROOM_MS <= leftMs ? delay : undefined
}

function delayOf(failure: Failure, policy: RetryPolicy, retried: number, random: () => number): number | undefined {
  const asked = failure.retryAfterMs
  if (asked !== undefined && policy.maxRetryAfterMs !== undefined && asked > policy.maxRetryAfterMs) return undefined
  if (failure.kind === 'rate_limit') return asked
  // Full jitter: anywhere between nothing and the step, so that clients that failed together do not come back together.
  const step = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** retried)
  return Math.max(asked ?? 0, Math.floor(random() * step))
}
