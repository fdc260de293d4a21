import type { Clock } from './clock.js'
import type { Failure } from './failure/failure.js'
import { healthOf } from './failure/verdict.js'
import type { Leg } from './leg.js'
import type { AttemptRecord, SkipReason } from './report.js'
import type { RunJournal } from './run-journal.js'
import type { TailEnd } from './tail.js'

/** What happens on the legs of one run: a row for the report and an event for the journal each time. */
export interface Trail {
  readonly rows: readonly AttemptRecord[]
  /** An attempt begins; `retried` = how often this leg was asked before. */
  readonly started: (leg: Leg, retried: number) => void
  readonly failed: (leg: Leg, failure: Failure) => void
  /** The run is bound to this leg. */
  readonly served: (leg: Leg) => void
  /** The answer of the leg that serves is over, whole or not. */
  readonly ended: (leg: Leg, end: TailEnd) => void
  /** This leg is not called. */
  readonly skipped: (leg: Leg, reason: SkipReason) => void
  /** These legs are not called, because a limit of the chain is spent. */
  readonly leftOut: (legs: readonly Leg[]) => void
}

/** Starts the trail of one run. */
export function createTrail(clock: Clock, journal: RunJournal | undefined): Trail {
  const rows: AttemptRecord[] = []
  let startedAt = 0
  let movedFrom: { readonly leg: Leg; readonly failure: Failure } | undefined

  return {
    rows,
    started(leg, retried) {
      if (retried === 0 && movedFrom !== undefined) journal?.failover(movedFrom.leg, movedFrom.failure, leg)
      startedAt = clock.now()
      journal?.attemptStart(leg)
    },
    failed(leg, failure) {
      const { provider, model } = leg
      const latencyMs = clock.now() - startedAt
      movedFrom = { leg, failure }
      rows.push({ outcome: 'failed', provider, model, latencyMs, failure, health: healthOf(failure) })
      journal?.attemptFailure(leg, failure, latencyMs, false)
    },
    served(leg) {
      const { provider, model } = leg
      const latencyMs = clock.now() - startedAt
      rows.push({ outcome: 'served', provider, model, latencyMs })
      journal?.runCommit(leg, latencyMs)
    },
    ended(leg, { failure, usage }) {
      if (failure !== undefined) journal?.attemptFailure(leg, failure, clock.now() - startedAt, true, usage)
    },
    skipped,
    leftOut(legs) {
      for (const leg of legs) skipped(leg, 'window')
    },
  }

  function skipped({ provider, model }: Leg, reason: SkipReason): void {
    rows.push({ outcome: 'skipped', provider, model, reason })
    journal?.legSkipped(provider, model, reason)
  }
}
