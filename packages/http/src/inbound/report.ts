import type { AttemptRecord, Failure, FailureKind, SkipReason } from '@understudy/core'
import { legKey, legName, reasonOf } from '@understudy/core'

import { OWN_CODE_MESSAGES, REASON_MESSAGES } from './client-errors.js'

/** One row of the report, as JSON. */
export interface ReportAttempt {
  readonly model: string
  readonly status: AttemptRecord['outcome']
  readonly reason?: FailureKind | SkipReason | undefined
  readonly latency_ms: number
}

/** What an error says of one leg, as JSON. */
export type LegFailure = {
  readonly provider: string
  readonly model: string
  readonly message: string
  readonly reason: FailureKind | SkipReason
  readonly status?: number | undefined
  readonly latency_ms: number
}

/** What an answer says of its run, as JSON. */
export interface Report {
  readonly served_model: string
  readonly requested_model: string
  /** Absent for a chain of one leg. */
  readonly failover?: { readonly occurred: boolean; readonly attempts: readonly ReportAttempt[] } | undefined
}

/** The rows of a trail as a client reads them. */
export function reportAttempts(trail: readonly AttemptRecord[]): readonly ReportAttempt[] {
  return trail.map((record) => ({
    model: legName(record),
    status: record.outcome,
    reason: reasonOf(record),
    latency_ms: latencyOf(record),
  }))
}

/** Each leg once, with what its last attempt came to; `expose` puts the provider's words in place of ours. */
export function legFailures(trail: readonly AttemptRecord[], expose: boolean): readonly LegFailure[] {
  const byLeg = new Map<string, LegFailure>()
  for (const record of trail) {
    const reason = reasonOf(record)
    if (reason === undefined) continue
    const failure = record.outcome === 'failed' ? record.failure : undefined
    const words = expose ? failure?.providerMessage : undefined
    byLeg.set(legKey(record), {
      provider: record.provider,
      model: record.model,
      message: words ?? messageOf(record, reason),
      reason,
      status: failure?.status,
      latency_ms: latencyOf(record),
    })
  }
  return [...byLeg.values()]
}

function messageOf(record: AttemptRecord, reason: FailureKind | SkipReason): string {
  if (record.outcome === 'skipped' && record.feature !== undefined) return `${REASON_MESSAGES[reason]}: ${record.feature}`
  return record.outcome === 'failed' ? (neverAsked(record.failure) ?? REASON_MESSAGES[reason]) : REASON_MESSAGES[reason]
}

/** An attempt that ended before the provider was asked: it cannot have refused anything. */
function neverAsked({ kind, status, code }: Failure): string | undefined {
  if (kind !== 'auth_error' || status !== undefined || code === undefined) return undefined
  return Object.entries(OWN_CODE_MESSAGES).find(([own]) => own === code)?.[1]
}

/** The report of a run that `served` won, on a chain that begins with `first`. */
export function reportOf(first: string, served: string, chainLength: number, trail: readonly AttemptRecord[]): Report {
  if (chainLength === 1) return { served_model: served, requested_model: first }
  const last = trail.at(-1)
  // A leg that served when it was asked again has stood in for nobody.
  const occurred = last !== undefined && trail.some((record) => legKey(record) !== legKey(last))
  return { served_model: served, requested_model: first, failover: { occurred, attempts: reportAttempts(trail) } }
}

function latencyOf(record: AttemptRecord): number {
  return record.outcome === 'skipped' ? 0 : Math.round(record.latencyMs)
}
