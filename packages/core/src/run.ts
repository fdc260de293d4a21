import type { BoundAnswer } from './attempt.js'
import { attempt } from './attempt.js'
import { createBudget } from './budget.js'
import { watchClient } from './client-watch.js'
import type { Clock } from './clock.js'
import type { CommitPoint } from './commit.js'
import type { Failure, FailureKind } from './failure/failure.js'
import { healthOf, nextStep } from './failure/verdict.js'
import type { Leg, LegAnswer } from './leg.js'
import type { AttemptLimits, ChainLimits } from './limits.js'
import { attemptLimits } from './limits.js'
import type { Arrival } from './part.js'
import type { RetryPolicy } from './policy/retry.js'
import { retryDelay } from './policy/retry.js'
import type { AttemptRecord } from './report.js'
import type { ChatRequest } from './request.js'
import type { RunJournal } from './run-journal.js'
import { createAttemptScope, timedOut } from './scope.js'
import type { TailEnd } from './tail.js'
import { createTail } from './tail.js'
import { createTrail } from './trail.js'

/** How a chain behaves: everything about a route but its legs. */
export interface RunSettings {
  /** The failure kinds that move on to the next leg. */
  readonly advance: ReadonlySet<FailureKind>
  /** When a run is bound to a leg. A request that is not streamed has its whole answer read first, unless this is `established`. */
  readonly commit: CommitPoint
  readonly retry: RetryPolicy
  readonly limits: ChainLimits
  /**
   * `safe`: once a provider may have processed the request, no other provider and no retry is asked. Default `always`: any
   * leg may follow any failure.
   */
  readonly idempotency?: 'always' | 'safe' | undefined
}

/** What the host says of an attempt before it is made: this leg not, or (a failure of kind `refused`) no leg at all. */
export type GateRefusal = 'skip' | Failure

/** What a run stands on. */
export interface RunHost {
  readonly clock: Clock
  /** In [0, 1). For the jitter of retries. */
  readonly random: () => number
  /**
   * Asked before each attempt, retries included, with what the chain's limits leave; nothing = go. Never rejects, and settles
   * soon after the client has left.
   */
  readonly gate?: ((leg: Leg, leftMs: number) => GateRefusal | undefined | Promise<GateRefusal | undefined>) | undefined
  /** Where what happens is written down; absent when nobody listens. */
  readonly journal?: RunJournal | undefined
  /**
   * Given, before a leg is asked, what stops the run as the client's leaving does. Of kind `aborted`, the failure charges nobody;
   * its `code` says whose it is.
   */
  readonly onStart?: ((stop: (failure: Failure) => void) => void) | undefined
  /**
   * Called once, when the legs are done with: at the final failure, or at the end of the answer; with the leg that served, if one
   * did. Where the whole answer is there at the commit, that is before `run` resolves.
   */
  readonly onEnd?: ((end: TailEnd, leg: Leg | undefined) => void) | undefined
}

/** A run that is bound to a leg. */
export interface CommittedRun {
  readonly type: 'committed'
  readonly leg: Leg
  readonly answer: LegAnswer
  /** A row for each attempt, in order; the last one served. */
  readonly trail: readonly AttemptRecord[]
  /** The answer; ends early when it breaks, and `end` then says why. Must be read to its end or closed with `return`. */
  readonly arrivals: AsyncIterableIterator<Arrival>
  readonly end: () => TailEnd | undefined
}

/** A run that no leg served. */
export interface FailedRun {
  readonly type: 'failed'
  /**
   * `exhausted`: every leg failed. `stopped`: a failure that does not move on. `deadline`, `window`: the chain's own limits.
   * `aborted`: the client left, or the host stopped the run.
   */
  readonly cause: 'exhausted' | 'stopped' | 'deadline' | 'window' | 'aborted'
  /** What ended the run: the client's leaving, the chain's deadline, else the last failure. Absent if no leg was called. */
  readonly failure?: Failure | undefined
  /** A row for each attempt and each leg left out, in order. */
  readonly trail: readonly AttemptRecord[]
}

export type RunOutcome = CommittedRun | FailedRun

/**
 * One request through its chain: asks the legs in order, one at a time, until one of them commits. Resolves at the commit or at
 * the final failure; never rejects.
 */
export async function run(
  legs: readonly Leg[],
  request: ChatRequest,
  settings: RunSettings,
  host: RunHost,
  signal?: AbortSignal,
): Promise<RunOutcome> {
  const { clock } = host
  const commit = request.stream || settings.commit === 'established' ? settings.commit : 'complete'
  const budget = createBudget(clock, legs, settings.limits)
  const client = watchClient(clock, signal)
  const trail = createTrail(clock, host.journal)
  let last: Failure | undefined
  let boundTo: string | undefined
  host.onStart?.(client.stop)

  chain: for (const [index, leg] of legs.entries()) {
    if (boundTo !== undefined && leg.provider !== boundTo) continue
    const limits = attemptLimits(leg, {
      legsLeft: index < legs.length - 1,
      reasoning: request.reasoning === true,
      buffered: !request.stream && leg.wholeAnswers === true,
    })
    const retry = leg.retries === undefined ? settings.retry : { ...settings.retry, retries: leg.retries }

    for (let retried = 0; ; retried += 1) {
      if (client.left() !== undefined) return failed('aborted')
      const spent = budget.spent()
      // A leg that was being retried has its rows already.
      if (spent !== undefined) return failed(spent, legs.slice(retried === 0 ? index : index + 1))

      const asked = host.gate?.(leg, budget.leftMs())
      const refusal = asked instanceof Promise ? await asked : asked
      if (client.left() !== undefined) return failed('aborted')
      if (refusal !== undefined) {
        trail.skipped(leg, 'refused')
        if (refusal === 'skip') continue chain
        last = refusal
        return failed('stopped')
      }

      trail.started(leg, retried)
      const scope = createAttemptScope(clock)
      client.watch(scope)
      const chainLeftMs = budget.cutMs(limits.timeoutMs)
      const outcome = await attempt({ leg, request, commit, limits, chainLeftMs, clock }, scope)
      if ('bound' in outcome) return committed(leg, outcome.bound, limits)

      last = outcome.failure
      trail.failed(leg, last)
      if (client.left() !== undefined) return failed('aborted')
      const mayRepeat = settings.idempotency !== 'safe' || last.processed === 'no'
      const delayMs = mayRepeat ? retryDelay(last, retry, retried, budget.leftMs(), host.random) : undefined
      if (delayMs === undefined) break
      await client.sleep(delayMs)
    }

    if (last.phase === 'chain' && budget.spent() === 'deadline') return failed('deadline', legs.slice(index + 1))
    if (nextStep(last, settings.advance) === 'stop') return failed('stopped')
    if (settings.idempotency === 'safe' && last.processed !== 'no') boundTo = leg.provider
  }
  return failed('exhausted')

  function committed(leg: Leg, bound: BoundAnswer, limits: AttemptLimits): CommittedRun {
    trail.served(leg)
    const { arrivals, end } = createTail(bound, limits, clock, (ended) => {
      client.release()
      trail.ended(leg, ended)
      host.onEnd?.(ended, leg)
    })
    return { type: 'committed', leg, answer: bound.answer, trail: trail.rows, arrivals, end }
  }

  function failed(cause: FailedRun['cause'], leftOut: readonly Leg[] = []): FailedRun {
    client.release()
    trail.leftOut(leftOut)
    const failure = cause === 'aborted' ? client.left() : cause === 'deadline' ? timedOut('chain') : last
    const verdict = cause === 'aborted' || last === undefined ? 'neutral' : healthOf(last)
    host.onEnd?.({ failure, verdict }, undefined)
    return { type: 'failed', cause, failure, trail: trail.rows }
  }
}
