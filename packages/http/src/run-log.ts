import type { Logger } from '@understudy/config'
import type { AttemptRecord, Failure, FailedRun, FailureKind, Leg, RunOutcome, SkipReason, TimeoutPhase } from '@understudy/core'
import { legName, reasonOf } from '@understudy/core'

import { framesOf } from './error-frames.js'

/** What every line about a run carries. */
export interface RunLine {
  readonly requestId: string
  readonly route: string
}

/**
 * One line where there is something to say: a rescued request is good news, a failed one is not, and one that no leg would have
 * served better is its client's. Content-free.
 */
export function logOutcome(logger: Logger | undefined, run: RunLine, outcome: RunOutcome): void {
  if (logger === undefined || (outcome.type === 'failed' && outcome.cause === 'aborted')) return
  if (outcome.type === 'committed' && outcome.trail.length === 1) return
  const { requestId, route } = run
  const attempts = outcome.trail.map(attemptOf)
  const fields = { requestId, route, attempts }
  if (outcome.type === 'committed') {
    const served = legName(outcome.leg)
    logger.info({ requestId, route, attempts, served }, `route '${route}': rescued by ${served}`)
  } else if (isRequestFault(outcome)) {
    logger.warn({ ...fields, cause: outcome.cause }, `route '${run.route}': the request was refused`)
  } else {
    logger.error({ ...fields, cause: outcome.cause }, `route '${run.route}': no leg answered`)
  }
}

interface LoggedAttempt {
  leg: string
  outcome: AttemptRecord['outcome']
  reason: FailureKind | SkipReason | undefined
  status?: number
  code?: string
  phase?: TimeoutPhase
  feature?: string
}

/** With what helps to find out why, where it is known. Hot while a provider is down: a row or more of each request, and so no spreads. */
function attemptOf(record: AttemptRecord): LoggedAttempt {
  const attempt: LoggedAttempt = { leg: legName(record), outcome: record.outcome, reason: reasonOf(record) }
  if (record.outcome === 'failed') {
    const { status, code, phase } = record.failure
    if (status !== undefined) attempt.status = status
    if (code !== undefined) attempt.code = code
    if (phase !== undefined) attempt.phase = phase
  }
  if (record.outcome === 'skipped' && record.feature !== undefined) attempt.feature = record.feature
  return attempt
}

/** An answer broke off after its commit: its client has half of it. */
export function logBroken(logger: Logger | undefined, run: RunLine, leg: Leg, { kind, phase }: Failure): void {
  const name = legName(leg)
  const { requestId, route } = run
  logger?.error({ requestId, route, leg: name, reason: kind, phase }, `route '${route}': the answer of ${name} broke off`)
}

/** Something of our own failed. What was thrown may quote a prompt, so only its name and where it came from are said. */
export function logFault(logger: Logger | undefined, requestId: string, error: unknown): void {
  if (logger === undefined) return
  const fields = { requestId, error: error instanceof Error ? error.name : typeof error, at: framesOf(error) }
  logger.error(fields, 'a request failed inside Understudy')
}

const REQUEST_FAULTS: ReadonlySet<FailureKind | undefined> = new Set(['invalid_request', 'content_filter', 'refused', 'context_length'])

/** A fault that its client can repeat as often as it likes: no person has to be woken by it. */
function isRequestFault({ cause, failure, trail }: FailedRun): boolean {
  if (cause === 'untranslatable' || (cause === 'stopped' && REQUEST_FAULTS.has(failure?.kind))) return true
  return trail.length > 0 && trail.every((record) => reasonOf(record) === 'refused')
}
