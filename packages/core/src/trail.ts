import type { LegIdentity } from './breaker/leg-key.js'
import type { Clock } from './clock.js'
import type { Failure } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import type { Leg } from './leg.js'
import type { AttemptRecord, SkipReason } from './report.js'
import type { RunJournal } from './run-journal.js'
import type { TailEnd } from './tail.js'
import { youngList } from './young-list.js'

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
  return new RunTrail(clock, journal)
}

type ServedRecord = Extract<AttemptRecord, { readonly outcome: 'served' }>

/** A class: one is made for every run. */
class RunTrail implements Trail {
  readonly rows = youngList<AttemptRecord>()
  readonly #clock: Clock
  readonly #journal: RunJournal | undefined
  #startedAt = 0
  #movedFrom: { readonly leg: Leg; readonly failure: Failure } | undefined

  constructor(clock: Clock, journal: RunJournal | undefined) {
    this.#clock = clock
    this.#journal = journal
  }

  started(leg: Leg, retried: number): void {
    const from = this.#movedFrom
    if (retried === 0 && from !== undefined) this.#journal?.failover(from.leg, from.failure, leg)
    this.#startedAt = this.#clock.now()
    this.#journal?.attemptStart(leg)
  }

  failed(leg: Leg, failure: Failure, health: Verdict): void {
    const latencyMs = this.#latencyMs()
    this.#movedFrom = { leg, failure }
    const { provider, model, region, configuredModel } = leg
    // As in `served`: while a provider is down this is on the way of each request.
    this.rows.push(
      region === undefined && configuredModel === undefined
        ? { outcome: 'failed', provider, model, latencyMs, failure, health }
        : { outcome: 'failed', ...identityOf(leg), latencyMs, failure, health },
    )
    this.#journal?.attemptFailure(leg, failure, health, latencyMs, false)
  }

  served(leg: Leg): void {
    const { provider, model, region, configuredModel } = leg
    const latencyMs = this.#latencyMs()
    this.rows.push(
      region === undefined && configuredModel === undefined
        ? servedRow(provider, model, latencyMs)
        : { outcome: 'served', ...identityOf(leg), latencyMs },
    )
    this.#journal?.runCommit(leg, latencyMs)
  }

  ended(leg: Leg, { failure, verdict, usage }: TailEnd): void {
    if (failure !== undefined) this.#journal?.attemptFailure(leg, failure, verdict, this.#latencyMs(), true, usage)
  }

  skipped(leg: Leg, reason: SkipReason, retryAfterMs?: number): void {
    const wait = retryAfterMs === undefined ? undefined : { retryAfterMs }
    this.rows.push({ outcome: 'skipped', ...identityOf(leg), reason, ...wait })
    this.#journal?.legSkipped(leg, reason)
  }

  unsayable(leg: Leg, feature: string): void {
    this.rows.push({ outcome: 'skipped', ...identityOf(leg), reason: 'untranslatable', feature })
    this.#journal?.legSkipped(leg, 'untranslatable')
  }

  #latencyMs(): number {
    return this.#clock.now() - this.#startedAt
  }
}

/** Hot: once a request. Not a literal, which V8 would come to make in the old generation. */
function servedRow(provider: string, model: string, latencyMs: number): ServedRecord {
  const row = {} as { -readonly [Member in keyof ServedRecord]: ServedRecord[Member] }
  row.outcome = 'served'
  row.provider = provider
  row.model = model
  row.latencyMs = latencyMs
  return row
}

function identityOf({ provider, model, region, configuredModel }: Leg): LegIdentity {
  return {
    provider,
    model,
    ...(region === undefined ? undefined : { region }),
    ...(configuredModel === undefined ? undefined : { configuredModel }),
  }
}
