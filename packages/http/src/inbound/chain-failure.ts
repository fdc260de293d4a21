import type { AttemptRecord, Failure, FailedRun } from '@understudy/core'
import { legName, reasonOf } from '@understudy/core'
import type { ResolvedMount } from '@understudy/config'
import type { ClientError } from '@understudy/dialects'

import type { ErrorCode } from './client-errors.js'
import { errorType, REASON_MESSAGES } from './client-errors.js'
import { reportAttempts } from './report.js'

/** How a run that no leg served is told to its client. */
export interface ChainFailure {
  readonly status: number
  readonly code: string
  /** Seconds, for a client that may come back. */
  readonly retryAfter?: number | undefined
  readonly error: ClientError
}

/** What is said of a chain as a whole. */
export interface FailedChain {
  readonly route: string
  readonly requestId: string
  readonly mount: Pick<ResolvedMount, 'exposeProviderMessages' | 'exhaustedStatus'>
}

/** Status, code and body of a run that no leg served. */
export function chainFailure(run: FailedRun, chain: FailedChain): ChainFailure {
  const fault = run.cause === 'stopped' && run.failure !== undefined ? requestFault(run.failure) : undefined
  if (fault !== undefined) return told(fault.status, fault.code, fault.message, run, chain)
  const { status, code } = exhaustedAs(run, chain.mount.exhaustedStatus)
  const message =
    code === 'context_length_exceeded'
      ? REASON_MESSAGES.context_length
      : code === 'deadline_exceeded'
        ? `route '${chain.route}' found no answer in time`
        : code === 'no_leg_available'
          ? `no leg of route '${chain.route}' is available`
          : `all legs of route '${chain.route}' failed`
  return told(status, code, message, run, chain)
}

/**
 * A fault of the request itself: no leg would answer it better, so its client gets the provider's status class and words
 * (which are masked and bounded where they are read).
 */
function requestFault({ kind, status, code, providerMessage }: Failure) {
  switch (kind) {
    case 'invalid_request': {
      const own = status === 413 || status === 422 ? status : 400
      return { status: own, code: code ?? 'invalid_request_error', message: providerMessage ?? REASON_MESSAGES[kind] }
    }
    case 'content_filter':
      return { status: 400, code: 'content_filter', message: providerMessage ?? REASON_MESSAGES[kind] }
    case 'context_length':
      return { status: 400, code: 'context_length_exceeded', message: providerMessage ?? REASON_MESSAGES[kind] }
    default:
      return undefined
  }
}

function exhaustedAs(
  { cause, trail }: FailedRun,
  by: ResolvedMount['exhaustedStatus'],
): { readonly status: number; readonly code: ErrorCode } {
  const failures = trail.filter((record) => record.outcome === 'failed')
  const allOf = (kind: string): boolean =>
    failures.length > 0 && failures.every((record) => record.failure.kind === kind)
  if (allOf('context_length')) return { status: 400, code: 'context_length_exceeded' }
  if (by !== '502' && allOf('rate_limit')) return { status: 429, code: 'all_legs_failed' }
  if (by !== 'by_cause') return { status: 502, code: 'all_legs_failed' }
  if (cause === 'deadline') return { status: 504, code: 'deadline_exceeded' }
  return failures.length === 0 ? { status: 503, code: 'no_leg_available' } : { status: 502, code: 'all_legs_failed' }
}

function told(status: number, code: string, message: string, run: FailedRun, chain: FailedChain): ChainFailure {
  return {
    status,
    code,
    retryAfter: status === 429 || status === 503 ? retryAfterOf(run.trail) : undefined,
    error: {
      status,
      type: errorType(status),
      code,
      message,
      failures: legFailures(run.trail, chain.mount.exposeProviderMessages),
      attempts: reportAttempts(run.trail),
      requestId: chain.requestId,
    },
  }
}

/** Each leg once, with what its last attempt came to. */
function legFailures(trail: readonly AttemptRecord[], expose: boolean): readonly Record<string, unknown>[] {
  const byLeg = new Map<string, Record<string, unknown>>()
  for (const record of trail) {
    const reason = reasonOf(record)
    if (reason === undefined) continue
    const failure = record.outcome === 'failed' ? record.failure : undefined
    const words = expose ? failure?.providerMessage : undefined
    byLeg.set(legName(record), {
      provider: record.provider,
      model: record.model,
      message: words ?? REASON_MESSAGES[reason],
      reason,
      status: failure?.status,
      latency_ms: record.outcome === 'failed' ? Math.round(record.latencyMs) : 0,
    })
  }
  return [...byLeg.values()]
}

/** When the first of the legs may be asked again, in whole seconds; 1 where no leg said. */
function retryAfterOf(trail: readonly AttemptRecord[]): number {
  const waits = trail.flatMap((record) =>
    record.outcome === 'failed' && record.failure.retryAfterMs !== undefined ? [record.failure.retryAfterMs] : [],
  )
  return waits.length === 0 ? 1 : Math.max(1, Math.ceil(Math.min(...waits) / 1000))
}

/** Code and words for an answer that broke after its commit. */
export function brokenAnswer(failure: Failure, requestId: string): ClientError {
  const code = brokenCode(failure)
  return { status: 502, type: errorType(502), code, message: REASON_MESSAGES[failure.kind], requestId }
}

function brokenCode({ kind, phase }: Failure): ErrorCode {
  if (phase === 'idle') return 'idle_timeout'
  return kind === 'truncated' || kind === 'connection_error' || phase === 'stream' ? 'stream_truncated' : 'upstream_error'
}
