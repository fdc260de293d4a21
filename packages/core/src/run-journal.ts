import type { LegIdentity } from './breaker/leg-key.js'
import type { RunEvents } from './events.js'
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

  return {
    attemptStart(leg) {
      attempt += 1
      emit({ type: 'attempt-start', ...at(leg), attempt })
    },
    attemptFailure(leg, failure, verdict, latencyMs, committed, usage) {
      failedAfterMs = latencyMs
      const { kind, phase, status, code } = failure
      const counted = usage ?? failure.usage
      emit({ type: 'attempt-failure', ...at(leg), attempt, kind, phase, status, code, verdict, usage: counted, latencyMs, committed })
    },
    legSkipped(leg, reason) {
      emit({ type: 'leg-skipped', ...at(leg), reason })
    },
    failover(from, failure, to) {
      const latencyMs = failedAfterMs
      emit({ type: 'failover', requestId, route, at: epoch(), from: legName(from), to: legName(to), reason: failure.kind, latencyMs, callerKeyId })
    },
    runCommit(leg, latencyMs) {
      emit({ type: 'run-commit', ...at(leg), attempt, latencyMs })
    },
  }

  function at({ provider, model, region }: LegIdentity) {
    return { requestId, route, provider, model, ...(region === undefined ? undefined : { region }), at: epoch() }
  }
}
