import type { FailoverEvent, RunEndEvent, RunEvents } from './events.js'
import type { Failure } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import type { Leg } from './leg.js'
import { legName } from './leg.js'
import type { Usage } from './part.js'
import type { SkipReason } from './report.js'

/** Writes down what happens in one run, as events. Made only when somebody listens. */
export interface RunJournal {
  readonly attemptStart: (leg: Leg) => void
  readonly attemptFailure: (
    leg: Leg,
    failure: Failure,
    verdict: Verdict,
    latencyMs: number,
    committed: boolean,
    usage?: Usage,
  ) => void
  readonly legSkipped: (leg: Leg, reason: SkipReason) => void
  readonly failover: (from: Leg, failure: Failure, to: Leg) => void
  readonly runCommit: (leg: Leg, latencyMs: number) => void
}

/** What every event of a run carries. */
export interface RunIdentity {
  readonly requestId: string
  readonly route: string
  readonly callerKeyId?: string | undefined
  /** Milliseconds since the epoch. */
  readonly epoch: () => number
}

/** Makes the journal of one run. */
export function createRunJournal(identity: RunIdentity, emit: (event: RunEvents) => void): RunJournal {
  const { requestId, route, callerKeyId, epoch } = identity
  let attempt = 0
  let failedAfterMs = 0

  // Hot, where somebody listens: several of them a request, and so no spreads.
  return {
    attemptStart({ provider, model, region }) {
      attempt += 1
      emit(placed({ type: 'attempt-start', requestId, route, provider, model, at: epoch(), attempt }, region))
    },
    attemptFailure({ provider, model, region }, failure, verdict, latencyMs, committed, usage = failure.usage) {
      failedAfterMs = latencyMs
      const { kind, phase, status, code } = failure
      const at = epoch()
      emit(placed(
        { type: 'attempt-failure', requestId, route, provider, model, at, attempt, kind, phase, status, code, verdict, usage, latencyMs, committed },
        region,
      ))
    },
    legSkipped({ provider, model, region }, reason) {
      emit(placed({ type: 'leg-skipped', requestId, route, provider, model, at: epoch(), reason }, region))
    },
    failover(from, failure, to) {
      const latencyMs = failedAfterMs
      emit({ type: 'failover', requestId, route, at: epoch(), from: legName(from), to: legName(to), reason: failure.kind, latencyMs, callerKeyId })
    },
    runCommit({ provider, model, region }, latencyMs) {
      emit(placed({ type: 'run-commit', requestId, route, provider, model, at: epoch(), attempt, latencyMs }, region))
    },
  }
}

function placed(event: Exclude<RunEvents, FailoverEvent | RunEndEvent>, region: string | undefined): RunEvents {
  return region === undefined ? event : { ...event, region }
}
