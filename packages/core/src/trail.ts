import type { LegIdentity } from './breaker/leg-key.js'
import type { Clock } from './clock.js'
import type { Failure } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import type { Leg } from './leg.js'
import type { AttemptRecord, SkipReason } from './report.js'
import type { RunJournal } from './run-journal.js'
import type { TailEnd } from './tail.js'

/** What happens on the legs of one run: a row for the report and an event for the journal each time. */
export interface Trail {
  readonly rows: readonly AttemptRecord[]
  /** An attempt begins; `retried` = how often this leg was asked before. */
  readonly started: (leg: Leg, retried: number) => void
  readonly failed: (leg: Leg, failure: Failure, health: Verdict) => void
  /** The run is bound to this leg. */
  readonly served: (leg: Leg) => void
  /** The answer of the leg that serves is over, whole or not. */
  readonly ended: (leg: Leg, end: TailEnd) => void
  /** The leg is not called; `retryAfterMs` = when it is worth asking again, if that is known. */
  readonly skipped: (leg: Leg, reason: SkipReason, retryAfterMs?: number) => void
  /** The leg is not called, since it has no words for this of the request. */
  readonly unsayable: (leg: Leg, feature: string) => void
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
    failed(leg, failure, health) {
      const latencyMs = clock.now() - startedAt
      movedFrom = { leg, failure }
      rows.push({ outcome: 'failed', ...identityOf(leg), latencyMs, failure, health })
      journal?.attemptFailure(leg, failure, health, latencyMs, false)
    },
    served(leg) {
      const { provider, model, region, configuredModel } = leg
      const latencyMs = clock.now() - startedAt
      // Hot: once a request.
      rows.push(
        region === undefined && configuredModel === undefined
          ? { outcome: 'served', provider, model, latencyMs }
          : { outcome: 'served', ...identityOf(leg), latencyMs },
      )
      journal?.runCommit(leg, latencyMs)
    },
    ended(leg, { failure, verdict, usage }) {
      if (failure !== undefined) journal?.attemptFailure(leg, failure, verdict, clock.now() - startedAt, true, usage)
    },
    skipped(leg, reason, retryAfterMs) {
      const wait = retryAfterMs === undefined ? undefined : { retryAfterMs }
      rows.push({ outcome: 'skipped', ...identityOf(leg), reason, ...wait })
      journal?.legSkipped(leg, reason)
    },
    unsayable(leg, feature) {
      rows.push({ outcome: 'skipped', ...identityOf(leg), reason: 'untranslatable', feature })
      journal?.legSkipped(leg, 'untranslatable')
    },
  }
}

function identityOf({ provider, model, region, configuredModel }: Leg): LegIdentity {
  return {
    provider,
    model,
    ...(region === undefined ? undefined : { region }),
    ...(configuredModel === undefined ? undefined : { configuredModel }),
  }
}
