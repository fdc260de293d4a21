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
  return new EmittedJournal(identity, emit)
}

/** What is handed over is a literal, which would grow old with a stream. */
class KeptIdentity implements RunIdentity {
  readonly requestId: string
  readonly route: string
  readonly callerKeyId: string | undefined
  readonly epoch: () => number

  constructor({ requestId, route, callerKeyId, epoch }: RunIdentity) {
    this.requestId = requestId
    this.route = route
    this.callerKeyId = callerKeyId
    this.epoch = epoch
  }
}

/** A class: one is made for every run. Hot, where somebody listens: several events a run, and so no spreads. */
class EmittedJournal implements RunJournal {
  readonly #run: RunIdentity
  readonly #emit: (event: RunEvents) => void
  #attempt = 0
  #failedAfterMs = 0

  constructor(run: RunIdentity, emit: (event: RunEvents) => void) {
    this.#run = new KeptIdentity(run)
    this.#emit = emit
  }

  attemptStart({ provider, model, region }: Leg): void {
    const { requestId, route, epoch } = this.#run
    this.#attempt += 1
    this.#tell({ type: 'attempt-start', requestId, route, provider, model, at: epoch(), attempt: this.#attempt }, region)
  }

  attemptFailure(
    { provider, model, region }: Leg,
    { kind, phase, status, code, usage: counted }: Failure,
    verdict: Verdict,
    latencyMs: number,
    committed: boolean,
    usage = counted,
  ): void {
    const { requestId, route, epoch } = this.#run
    const attempt = this.#attempt
    this.#failedAfterMs = latencyMs
    const at = epoch()
    this.#tell(
      { type: 'attempt-failure', requestId, route, provider, model, at, attempt, kind, phase, status, code, verdict, usage, latencyMs, committed },
      region,
    )
  }

  legSkipped({ provider, model, region }: Leg, reason: SkipReason): void {
    const { requestId, route, epoch } = this.#run
    this.#tell({ type: 'leg-skipped', requestId, route, provider, model, at: epoch(), reason }, region)
  }

  failover(from: Leg, { kind }: Failure, to: Leg): void {
    const { requestId, route, callerKeyId, epoch } = this.#run
    const latencyMs = this.#failedAfterMs
    this.#emit({ type: 'failover', requestId, route, at: epoch(), from: legName(from), to: legName(to), reason: kind, latencyMs, callerKeyId })
  }

  runCommit({ provider, model, region }: Leg, latencyMs: number): void {
    const { requestId, route, epoch } = this.#run
    this.#tell({ type: 'run-commit', requestId, route, provider, model, at: epoch(), attempt: this.#attempt, latencyMs }, region)
  }

  #tell(event: Exclude<RunEvents, FailoverEvent | RunEndEvent>, region: string | undefined): void {
    this.#emit(region === undefined ? event : { ...event, region })
  }
}
