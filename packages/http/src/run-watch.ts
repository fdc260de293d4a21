import type { Logger } from '@understudy/config'
import type { Clock, Leg, RunJournal, RunOutcome, TailEnd } from '@understudy/core'
import { createRunJournal } from '@understudy/core'

import type { EventHub } from './event-hub.js'
import { brokenCode } from './inbound/chain-failure.js'
import { thrownInside } from './internal-fault.js'
import type { LegWatch } from './leg-watch.js'
import type { OpenRun, OpenRuns } from './open-runs.js'
import { isClosing } from './open-runs.js'
import { createRunEnd, type RunEnd, type RunEndIdentity, type RunEndOptions } from './run-end.js'
import { logBroken, logFault, logOutcome, type RunLine } from './run-log.js'

/** Who wants to know of the runs of a `Fallback`. */
export interface RunWatchHost {
  readonly clock: Clock
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  readonly hub: EventHub
  readonly legs: LegWatch
  readonly openRuns: OpenRuns
  readonly logger: Logger | undefined
  /** As `runEndOptions` makes them. */
  readonly runEnd: RunEndOptions
}

/** With what the last event of every run is put together. */
export function runEndOptions({ clock, wallClock, hub }: Pick<RunWatchHost, 'clock' | 'wallClock' | 'hub'>): RunEndOptions {
  return { now: () => clock.now(), epoch: wallClock, emit: hub.emit, codeOfBroken }
}

/** Everybody who wants to know of one run, in one place: events, log, leg watch, the count of open runs. */
export interface RunWatch {
  readonly open: OpenRun
  /** Absent when nobody listens. */
  readonly journal: RunJournal | undefined
  /** The core is done with the legs. */
  readonly ended: (end: TailEnd, leg: Leg | undefined) => void
  /** The run is bound to a leg, or has failed. */
  cameOut(outcome: RunOutcome): void
  /** What the client is told: no status if it had left before it got one. */
  answered(status: number | undefined, errorCode?: string): void
  /** Something of our own failed. */
  faulted(error: unknown): void
}

/** Begins to watch a run. */
export function watchRun(host: RunWatchHost, run: RunEndIdentity): RunWatch {
  return new WatchedRun(host, run)
}

/** A class: one is made for every run, and an open stream holds it. */
class WatchedRun implements RunWatch, RunLine {
  readonly open: OpenRun
  readonly journal: RunJournal | undefined
  readonly requestId: string
  readonly route: string
  readonly #host: RunWatchHost
  readonly #runEnd: RunEnd | undefined

  constructor(host: RunWatchHost, run: RunEndIdentity) {
    const { hub, openRuns, wallClock } = host
    const isHeard = hub.active()
    const { requestId, route, callerKeyId } = run
    this.requestId = requestId
    this.route = route
    this.#host = host
    this.#runEnd = isHeard ? createRunEnd(run, host.runEnd) : undefined
    this.open = openRuns.begin()
    this.journal = isHeard ? createRunJournal({ requestId, route, callerKeyId, epoch: wallClock }, hub.emit) : undefined
  }

  readonly ended = (end: TailEnd, leg: Leg | undefined): void => {
    const { legs, logger } = this.#host
    const { failure } = end
    if (leg !== undefined && failure !== undefined && failure.kind !== 'aborted') {
      legs.broke(leg, failure)
      logBroken(logger, this, leg, failure)
    }
    this.#runEnd?.ended(end, leg)
  }

  cameOut(outcome: RunOutcome): void {
    const { legs, logger } = this.#host
    legs.record(outcome.trail)
    for (const record of outcome.trail) {
      const fault = record.outcome === 'failed' ? thrownInside(record.failure) : undefined
      if (fault !== undefined) this.faulted(fault.error)
    }
    logOutcome(logger, this, outcome)
  }

  answered(status: number | undefined, errorCode?: string): void {
    this.#runEnd?.answered(status, errorCode)
  }

  faulted(error: unknown): void {
    logFault(this.#host.logger, this.requestId, error)
  }
}

function codeOfBroken({ failure }: TailEnd): string | undefined {
  if (failure === undefined) return undefined
  return failure.kind === 'aborted' && !isClosing(failure) ? 'aborted' : brokenCode(failure)
}
