import type { Failure, FailureKind, TimeoutPhase } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'

/** Why a leg was left out of a run without being called. */
export type SkipReason =
  | 'circuit_open'
  | 'cooldown'
  | 'window'
  | 'untranslatable'
  | 'refused'
  | 'no_credentials'

/** What happened on one attempt, or that a leg was left out: one row of a trail. Content-free but for `failure.providerMessage`. */
export type AttemptRecord =
  | {
      readonly outcome: 'served'
      readonly provider: string
      readonly model: string
      readonly region?: string | undefined
      readonly configuredModel?: string | undefined
      readonly latencyMs: number
    }
  | {
      readonly outcome: 'failed'
      readonly provider: string
      readonly model: string
      readonly region?: string | undefined
      readonly configuredModel?: string | undefined
      readonly latencyMs: number
      readonly failure: Failure
      readonly health: Verdict
    }
  | {
      readonly outcome: 'skipped'
      readonly provider: string
      readonly model: string
      readonly region?: string | undefined
      readonly configuredModel?: string | undefined
      readonly reason: SkipReason
      /** When it is worth asking again, with reason `circuit_open` or `cooldown`. */
      readonly retryAfterMs?: number | undefined
      /** What the leg's dialect cannot say, with reason `untranslatable`. */
      readonly feature?: string | undefined
    }

/** The reason of a row as trails and reports print it. */
export function reasonOf(record: AttemptRecord): FailureKind | SkipReason | undefined {
  switch (record.outcome) {
    case 'served':
      return undefined
    case 'failed':
      return record.failure.kind
    case 'skipped':
      return record.reason
  }
}

/** The timeout phase of a row, if it has one. */
export function phaseOf(record: AttemptRecord): TimeoutPhase | undefined {
  return record.outcome === 'failed' ? record.failure.phase : undefined
}
