import type { Clock, Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'

/** One attempt's connection: a signal of our own, and the limit over all of it, headers, body and stream. */
export interface Hop {
  /** Given to the SDK in place of the caller's: it is nobody's but this attempt's. */
  readonly signal: AbortSignal
  /** Ends the connection. */
  readonly abort: () => void
  /** The limit's failure, once it was over. */
  readonly expired: () => Failure | undefined
  /** Takes the limit back. */
  readonly release: () => void
}

/** Starts an attempt's limit. What aborts `outer` ends the connection too. */
export function createHop(outer: AbortSignal, timeoutMs: number, clock: Clock): Hop {
  const controller = new AbortController()
  let expired: Failure | undefined
  const cancel = clock.schedule(timeoutMs, () => {
    expired = failureOf('timeout', { phase: 'stream' })
    controller.abort()
  })
  if (outer.aborted) controller.abort()
  else outer.addEventListener('abort', () => controller.abort(), { once: true })

  return { signal: controller.signal, abort: () => controller.abort(), expired: () => expired, release: cancel }
}
