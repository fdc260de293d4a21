import type { Attempt, BoundAnswer } from './attempt.js'
import { startAttempt } from './attempt.js'
import type { Clock } from './clock.js'
import type { CommitPoint } from './commit.js'
import type { Failure, FailureKind } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import { healthOf, nextStep } from './failure/verdict.js'
import type { Leg, LegAnswer } from './leg.js'
import type { AttemptLimits, ChainLimits } from './limits.js'
import { attemptLimits, chainDeadline, minAttempt } from './limits.js'
import type { Arrival } from './part.js'
import type { RetryPolicy } from './policy/retry.js'
import { retryDelay } from './policy/retry.js'
import type { AttemptRecord } from './report.js'
import type { ChatRequest } from './request.js'
import type { RunJournal } from './run-journal.js'
import { createRunHalt } from './run-halt.js'
import { timedOut } from './scope.js'
import type { TailEnd } from './tail.js'
import { createTail } from './tail.js'

/** How a chain behaves: everything about a route but its legs. */
export interface RunSettings {
  /** The failure kinds that move on to the next leg. */
  readonly advance: ReadonlySet<FailureKind>
  readonly commit: CommitPoint
  readonly retry: RetryPolicy
  readonly limits: ChainLimits
}

/** What a run stands on. */
export interface RunHost {
  readonly clock: Clock
  /** In [0, 1). For the jitter of retries. */
  readonly random: () => number
  /** Where what happens is written down; absent when nobody listens. */
  readonly journal?: RunJournal | undefined
  /** Called once, when everything of the run is over, its stream included; with the leg that served, if one did. */
  readonly onEnd?: ((end: TailEnd, leg: Leg | undefined) => void) | undefined
}

/** A run that is bound to a leg. */
export interface CommittedRun {
  readonly type: 'committed'
  readonly leg: Leg
  readonly answer: LegAnswer
  /** A row for each attempt, in order; the last one served. */
  readonly trail: readonly AttemptRecord[]
  /** The answer; ends early when it breaks, and `end` then says why. */
  readonly arrivals: AsyncIterableIterator<Arrival>
  readonly end: () => TailEnd | undefined
}

/** A run that no leg served. */
export interface FailedRun {
  readonly type: 'failed'
  /**
   * `exhausted`: every leg failed. `stopped`: a failure that does not move on. `deadline`, `window`: the chain's own limits.
   * `aborted`: the client left.
   */
  readonly cause: 'exhausted' | 'stopped' | 'deadline' | 'window' | 'aborted'
  /** The last failure; absent when no leg was called. */
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
  const { clock, journal } = host
  const startedAt = clock.now()
  const deadlineMs = chainDeadline(legs, settings.limits)
  // A deadline below the least that an attempt needs still lets the first leg try.
  const neededMs = Math.min(minAttempt(settings.limits), deadlineMs ?? Infinity)
  const windowMs = settings.limits.windowMs ?? Infinity
  const trail: AttemptRecord[] = []
  const halt = createRunHalt(clock, deadlineMs, signal)
  let last: Failure | undefined
  let movedFrom: { readonly leg: Leg; readonly failure: Failure } | undefined

  for (const [index, leg] of legs.entries()) {
    const limits = attemptLimits(leg, {
      legsLeft: index < legs.length - 1,
      reasoning: request.reasoning === true,
      buffered: !request.stream && leg.wholeAnswers === true,
    })
    for (let retried = 0; ; retried += 1) {
      const elapsedMs = clock.now() - startedAt
      const barred = halt.halted() !== undefined ? haltCause() : roomFor(elapsedMs)
      if (barred !== undefined) return leaveOut(index, retried, barred)
      if (movedFrom !== undefined) journal?.failover(movedFrom.leg, movedFrom.failure, leg)
      movedFrom = undefined
      journal?.attemptStart(leg)
      const attemptAt = clock.now()
      const attempt = startAttempt({ leg, request, commit: settings.commit, limits, clock })
      halt.watch(attempt)
      const outcome = await attempt.outcome
      const latencyMs = clock.now() - attemptAt
      if ('bound' in outcome) return commit(leg, outcome.bound, attempt, limits, latencyMs)
      last = outcome.failure
      recordFailure(leg, last, latencyMs)
      if (halt.halted() !== undefined) return leaveOut(index + 1, 0, haltCause())
      const leftMs = Math.min(deadlineMs ?? Infinity, windowMs) - (clock.now() - startedAt)
      const policy = leg.retries === undefined ? settings.retry : { ...settings.retry, retries: leg.retries }
      const delayMs = retryDelay(last, policy, retried, leftMs, host.random)
      if (delayMs === undefined) break
      await halt.sleep(delayMs)
    }
    if (nextStep(last, settings.advance) === 'stop') return failed('stopped')
    movedFrom = { leg, failure: last }
  }
  return failed('exhausted')

  function roomFor(elapsedMs: number): 'window' | 'deadline' | undefined {
    if (elapsedMs >= windowMs) return 'window'
    return deadlineMs !== undefined && deadlineMs - elapsedMs < neededMs ? 'deadline' : undefined
  }

  function haltCause(): 'aborted' | 'deadline' {
    return halt.halted()?.kind === 'aborted' ? 'aborted' : 'deadline'
  }

  /** The legs from `index` on are not called; one that was being retried has its rows already. */
  function leaveOut(index: number, retried: number, cause: FailedRun['cause']): FailedRun {
    if (cause !== 'aborted') {
      for (const { provider, model } of legs.slice(retried > 0 ? index + 1 : index)) {
        trail.push({ outcome: 'skipped', provider, model, reason: 'window' })
        journal?.legSkipped(provider, model, 'window')
      }
    }
    return failed(cause)
  }

  function recordFailure(leg: Leg, failure: Failure, latencyMs: number): void {
    const { provider, model } = leg
    trail.push({ outcome: 'failed', provider, model, latencyMs, failure, health: healthOf(failure) })
    journal?.attemptFailure(leg, failure, latencyMs, false)
  }

  function failed(cause: FailedRun['cause']): FailedRun {
    halt.release()
    const failure = last ?? (cause === 'aborted' ? failureOf('aborted') : cause === 'deadline' ? timedOut('chain') : undefined)
    host.onEnd?.({ failure, verdict: failure === undefined ? 'neutral' : healthOf(failure) }, undefined)
    return { type: 'failed', cause, failure, trail }
  }

  function commit(leg: Leg, bound: BoundAnswer, attempt: Attempt, limits: AttemptLimits, latencyMs: number): CommittedRun {
    const { provider, model } = leg
    trail.push({ outcome: 'served', provider, model, latencyMs })
    halt.bindTo(attempt)
    journal?.runCommit(leg, latencyMs)
    const committedAt = clock.now()
    const tail = createTail(bound, limits, clock, (end) => {
      halt.release()
      if (end.failure !== undefined) journal?.attemptFailure(leg, end.failure, latencyMs + clock.now() - committedAt, true, end.usage)
      host.onEnd?.(end, leg)
    })
    return { type: 'committed', leg, answer: bound.answer, trail, arrivals: tail.arrivals, end: tail.end }
  }
}

