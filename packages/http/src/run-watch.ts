import type { Logger } from '@understudy/config'
import type { Clock, Leg, RunJournal, RunOutcome, TailEnd } from '@understudy/core'
import { createRunJournal } from '@understudy/core'

import type { EventHub } from './event-hub.js'
import { brokenCode } from './inbound/chain-failure.js'
import { thrownInside } from './internal-fault.js'
import type { LegWatch } from './leg-watch.js'
import type { OpenRun, OpenRuns } from './open-runs.js'
import { isClosing } from './open-runs.js'
import { createRunEnd, type RunEndIdentity } from './run-end.js'
import { logBroken, logFault, logOutcome } from './run-log.js'

/** Who wants to know of the runs of a `Fallback`. */
export interface RunWatchHost {
  readonly clock: Clock
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  readonly hub: EventHub
  readonly legs: LegWatch
  readonly openRuns: OpenRuns
  readonly logger: Logger | undefined
}

/** Everybody who wants to know of one run, in one place: events, log, leg watch, the count of open runs. */
export interface RunWatch {
  readonly open: OpenRun
  /** Absent when nobody listens. */
  readonly journal: RunJournal | undefined
  /** The core is done with the legs. */
  readonly ended: (end: TailEnd, leg: Leg | undefined) => void
  /** The run is bound to a leg, or has failed. */
  readonly cameOut: (outcome: RunOutcome) => void
  /** What the client is told: no status if it had left before it got one. */
  readonly answered: (status: number | undefined, errorCode?: string) => void
  /** Something of our own failed. */
  readonly faulted: (error: unknown) => void
}

/** Begins to watch a run. */
export function watchRun(
  { clock, wallClock, hub, legs, openRuns, logger }: RunWatchHost,
  run: RunEndIdentity,
): RunWatch {
  const { requestId, route, callerKeyId } = run
  const isHeard = hub.active()
  const runEnd = isHeard
    ? createRunEnd(run, { now: () => clock.now(), epoch: wallClock, emit: hub.emit, codeOfBroken })
    : undefined

  return {
    open: openRuns.begin(),
    journal: isHeard ? createRunJournal({ requestId, route, callerKeyId, epoch: wallClock }, hub.emit) : undefined,
    ended(end, leg) {
      const { failure } = end
      if (leg !== undefined && failure !== undefined && failure.kind !== 'aborted') {
        legs.broke(leg, failure)
        logBroken(logger, { requestId, route }, leg, failure)
      }
      runEnd?.ended(end, leg)
    },
    cameOut(outcome) {
      legs.record(outcome.trail)
      for (const record of outcome.trail) {
        const fault = record.outcome === 'failed' ? thrownInside(record.failure) : undefined
        if (fault !== undefined) logFault(logger, requestId, fault.error)
      }
      logOutcome(logger, { requestId, route }, outcome)
    },
    answered: (status, errorCode) => runEnd?.answered(status, errorCode),
    faulted(error) {
      logFault(logger, requestId, error)
    },
  }
}

function codeOfBroken({ failure }: TailEnd): string | undefined {
  if (failure === undefined) return undefined
  return failure.kind === 'aborted' && !isClosing(failure) ? 'aborted' : brokenCode(failure)
}
