import type { AttemptRecord, Failure, FailureKind, SkipReason } from '@understudy/core'
import { legKey, legName, reasonOf } from '@understudy/core'
import { providerMessageOf } from '@understudy/dialects'

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
    const words = expose ? providerMessageOf(failure?.providerMessage) : undefined
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
function neverAsked({ kind, status, code, internal }: Failure): string | undefined {
  const isOwn = kind === 'auth_error' || kind === 'not_found' || internal === true
  if (!isOwn || status !== undefined || code === undefined) return undefined
  return Object.entries(OWN_CODE_MESSAGES).find(([own]) => own === code)?.[1]
}

/**
 * The report of a run that `served` won, on a chain that begins with `first`, as JSON text. Hot: once a request, so the text is put together
 * rather than made of an object.
 */
export function reportJson(first: string, served: string, chainLength: number, trail: readonly AttemptRecord[]): string {
  if (chainLength === 1) return `{${namesJson(first, served)}}`
  return `${reportStart(first, served, hasMoved(trail))}${trail.map(attemptJson).join(',')}${REPORT_END}`
}

/** The report of a run that this leg served at its first attempt, up to its milliseconds. */
export function reportBefore(first: string, leg: { readonly provider: string; readonly model: string }): string {
  return `${reportStart(first, legName(leg), false)}${attemptBefore(leg, 'served', undefined)}`
}

const REPORT_END = ']}}'

/** What stands behind those milliseconds. */
export const reportBehind = `}${REPORT_END}`

function reportStart(first: string, served: string, moved: boolean): string {
  return `{${namesJson(first, served)},"failover":{"occurred":${String(moved)},"attempts":[`
}

function namesJson(first: string, served: string): string {
  return `"served_model":${JSON.stringify(served)},"requested_model":${JSON.stringify(first)}`
}

/** A leg that served when it was asked again has stood in for nobody. */
function hasMoved(trail: readonly AttemptRecord[]): boolean {
  const last = trail.length > 1 ? trail.at(-1) : undefined
  return last !== undefined && trail.some((record) => legKey(record) !== legKey(last))
}

function attemptJson(record: AttemptRecord): string {
  return `${attemptBefore(record, record.outcome, reasonOf(record))}${String(latencyOf(record))}}`
}

function attemptBefore(
  leg: { readonly provider: string; readonly model: string },
  outcome: AttemptRecord['outcome'],
  reason: ReturnType<typeof reasonOf>,
): string {
  const why = reason === undefined ? '' : `,"reason":"${reason}"`
  return `{"model":${JSON.stringify(legName(leg))},"status":"${outcome}"${why},"latency_ms":`
}

function latencyOf(record: AttemptRecord): number {
  return record.outcome === 'skipped' ? 0 : Math.round(record.latencyMs)
}
