import { attempt, BoundAnswer } from './attempt.js'
import { createBudget } from './budget.js'
import { watchClient } from './client-watch.js'
import type { Permit, RunHealth } from './breaker/run-health.js'
import type { Clock } from './clock.js'
import type { CommitPoint } from './commit.js'
import { drilledFailure } from './failure/drilled-failure.js'
import type { Failure, FailureKind } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import { nextStep } from './failure/verdict.js'
import type { Leg, LegAnswer } from './leg.js'
import type { AttemptLimits, RunLimits } from './limits.js'
import { attemptLimits } from './limits.js'
import type { Arrival } from './part.js'
import type { NoLegAvailable, PlanSettings } from './plan.js'
import { AS_CONFIGURED } from './plan.js'
import { NO_MEMORY, walkPlan } from './plan-walk.js'
import type { Latencies } from './policy/latencies.js'
import type { OrderProblem } from './policy/order.js'
import type { RetryPolicy } from './policy/retry.js'
import { retryDelay } from './policy/retry.js'
import type { AttemptRecord } from './report.js'
import { reasonOf } from './report.js'
import type { ChatRequest } from './request.js'
import type { RunJournal } from './run-journal.js'
import { createAttemptScope, timedOut } from './scope.js'
import type { Tail, TailEnd } from './tail.js'
import { createTail } from './tail.js'
import { createTrail } from './trail.js'

/** How a chain behaves: everything about a route but its legs. */
export interface RunSettings {
  /** The failure kinds that move on to the next leg. */
  readonly advance: ReadonlySet<FailureKind>
  /** When a run is bound to a leg. A request that is not streamed has its whole answer read first, unless this is `established`. */
  readonly commit: CommitPoint
  readonly retry: RetryPolicy
  readonly limits: RunLimits
  /**
   * `safe`: once a provider may have processed the request, no other provider and no retry is asked. Default `always`: any
   * leg may follow any failure.
   */
  readonly idempotency?: 'always' | 'safe' | undefined
  /**
   * What becomes of a run that comes to a leg which has no words for the request: the leg is left out, or the run stops there.
   * Default `skip`.
   */
  readonly untranslatable?: 'skip' | 'refuse' | undefined
  /** In which order the legs are asked, and what becomes of those that are out. Default: as configured, and the next leg. */
  readonly plan?: PlanSettings | undefined
}

/**
 * What the host says of an attempt before it is made: this leg not; this leg not, since it has no words for what of the request
 * `untranslatable` names; or (a failure of kind `refused`, a fault of our own, or a timeout of the chain) none.
 */
export type GateRefusal = 'skip' | { readonly untranslatable: string } | Failure

/** What a run stands on. */
export interface RunHost {
  readonly clock: Clock
  /** In [0, 1). For the jitter of retries, and the order `weighted`. */
  readonly random: () => number
  /**
   * Asked before each attempt, retries included, with what the chain's limits leave; nothing = go. Never rejects. Nobody waits
   * for it once the client has left or the host has stopped the run.
   */
  readonly gate?: ((leg: Leg, leftMs: number) => GateRefusal | undefined | Promise<GateRefusal | undefined>) | undefined
  /** The remembered health of the legs, as this run sees and changes it. Absent = every leg is taken for well. */
  readonly health?: RunHealth | undefined
  /** How long each leg took lately; the run adds to it. For the order `latency`, and orders of one's own. */
  readonly latencies?: Latencies | undefined
  /** Prices of this request by `provider/model`, over the legs' own. For the order `cost`, and orders of one's own. */
  readonly prices?: Readonly<Record<string, number>> | undefined
  /** Told when the order could not be had as asked for. */
  readonly onOrderProblem?: ((problem: OrderProblem) => void) | undefined
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
  /** All of the answer, where all of it was there at the commit: `arrivals` then need not be read, and `end` is known. */
  readonly whole?: readonly Arrival[] | undefined
  readonly end: () => TailEnd | undefined
}

/** A class: one is made for every run that is served. */
class BoundRun implements CommittedRun {
  readonly type = 'committed'
  readonly leg: Leg
  readonly answer: LegAnswer
  readonly trail: readonly AttemptRecord[]
  readonly arrivals: AsyncIterableIterator<Arrival>
  readonly whole: readonly Arrival[] | undefined
  readonly end: () => TailEnd | undefined

  constructor(leg: Leg, answer: LegAnswer, trail: readonly AttemptRecord[], { arrivals, whole, end }: Tail) {
    this.leg = leg
    this.answer = answer
    this.trail = trail
    this.arrivals = arrivals
    this.whole = whole
    this.end = end
  }
}

/** A run that no leg served. */
export interface FailedRun {
  readonly type: 'failed'
  /**
   * `exhausted`: every leg that was asked failed. `no_leg`: every leg was left out. `circuit_open`: it came to a leg whose breaker
   * is open, with `whenOpen: 'stop'`. `untranslatable`: no leg has words for the request, or it came to one that has none, with
   * `untranslatable: 'refuse'`. `stopped`: a failure that does not move on. `deadline`, `window`: the chain's own limits.
   * `aborted`: the client left, or the host stopped the run.
   */
  readonly cause: 'exhausted' | 'no_leg' | 'circuit_open' | 'untranslatable' | 'stopped' | 'deadline' | 'window' | 'aborted'
  /** What a client is told, with the causes `no_leg` and `circuit_open`. */
  readonly noLeg?: NoLegAvailable | undefined
  /** What ended the run: the client's leaving, the chain's deadline, else the last failure. Absent if no leg was called. */
  readonly failure?: Failure | undefined
  /** A row for each attempt and each leg left out, in order. */
  readonly trail: readonly AttemptRecord[]
}

/** What became of a run: a leg is bound to it, or none served. */
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
  const { clock, random, health = NO_MEMORY, latencies, prices } = host
  // By itself: an open stream holds on to what the end of its answer needs, and must not hold the request.
  const isStreamed = request.stream
  const commit = isStreamed || settings.commit === 'established' ? settings.commit : 'complete'
  const trail = createTrail(clock, host.journal)
  const plan = { legs, request, settings: settings.plan ?? AS_CONFIGURED, health, random, latencies, prices }
  const walk = walkPlan(plan, trail, host.onOrderProblem)
  // Behind an attempt that a limit cut, the request may have been processed: then only legs of its own provider are left.
  const isSafe = settings.idempotency === 'safe'
  const budget = createBudget(clock, walk.legs, settings.limits, isSafe)
  const client = watchClient(clock, signal)
  let last: Failure | undefined
  let boundTo: string | undefined
  let verdict: Verdict = 'neutral'
  host.onStart?.(client.stop)

  chain: for (let leg = walk.next(); leg !== undefined; leg = walk.next()) {
    if (boundTo !== undefined && leg.provider !== boundTo) {
      trail.skipped(leg, 'refused')
      continue
    }
    const feature = leg.untranslatable?.(request)
    if (feature !== undefined) {
      trail.unsayable(leg, feature)
      if (settings.untranslatable === 'refuse') return failed('untranslatable')
      continue
    }
    const limits = attemptLimits(leg, {
      legsLeft: walk.hasMore(isSafe ? leg.provider : undefined),
      reasoning: request.reasoning === true,
      buffered: !request.stream && leg.wholeAnswers === true,
    })
    const retry = leg.retries === undefined ? settings.retry : { ...settings.retry, retries: leg.retries }

    for (let retried = 0; ; retried += 1) {
      if (client.left() !== undefined) return failed('aborted')
      const spent = budget.spent()
      if (spent !== undefined) {
        // A leg that was being retried has its rows already.
        walk.leaveOut(retried === 0 ? leg : undefined)
        return failed(spent)
      }

      const asked = host.gate?.(leg, budget.leftMs())
      const refusal = asked instanceof Promise ? await client.orLeft(asked) : asked
      if (client.left() !== undefined) return failed('aborted')
      if (typeof refusal === 'object' && 'untranslatable' in refusal) {
        trail.unsayable(leg, refusal.untranslatable)
        if (settings.untranslatable === 'refuse') return failed('untranslatable')
        continue chain
      }
      if (refusal !== undefined) {
        if (refusal !== 'skip' && refusal.phase === 'chain') {
          walk.leaveOut(retried === 0 ? leg : undefined)
          return failed(budget.spent() ?? 'deadline')
        }
        trail.skipped(leg, 'refused')
        if (refusal === 'skip') continue chain
        last = refusal
        verdict = 'neutral'
        return failed('stopped')
      }

      // Last of all, when nothing is left to wait for: what is admitted holds the slot of a probe.
      const admission = walk.admit(leg, retried)
      const permit = admission instanceof Promise ? await admission : admission
      if (permit === undefined) break

      trail.started(leg, retried)
      const startedAt = clock.now()
      const scope = createAttemptScope(clock)
      client.watch(scope)
      const chainLeftMs = budget.cutMs(limits.timeoutMs)
      const outcome = await attempt({ leg, request, commit, limits, chainLeftMs, clock }, scope)
      if (outcome instanceof BoundAnswer) return committed(leg, outcome, limits, permit, clock.now() - startedAt)

      last = leg.isDrilled?.() === true ? drilledFailure(outcome.failure) : outcome.failure
      verdict = permit.settle(last)
      trail.failed(leg, last, verdict)
      if (client.left() !== undefined) return failed('aborted')
      const mayRepeat = !isSafe || last.processed === 'no'
      const delayMs = mayRepeat ? retryDelay(last, retry, retried, budget.leftMs(), random) : undefined
      if (delayMs === undefined || walk.refusesRetry(leg)) break
      await client.sleep(delayMs)
    }

    // No leg was asked yet: those before were left out.
    if (last === undefined) continue
    if (last.phase === 'chain' && budget.isDeadlineSpent()) {
      walk.leaveOut()
      return failed('deadline')
    }
    if (nextStep(last, settings.advance) === 'stop') return failed('stopped')
    if (isSafe && last.processed !== 'no') boundTo = leg.provider
  }
  const { cause, noLeg } = walk.end()
  if (trail.rows.length > 0 && trail.rows.every((row) => reasonOf(row) === 'untranslatable')) return failed('untranslatable')
  return failed(cause, noLeg)

  function committed(
    leg: Leg,
    bound: BoundAnswer,
    limits: AttemptLimits,
    permit: Permit,
    firstContentMs: number,
  ): CommittedRun {
    trail.served(leg)
    const onEnd = (ended: TailEnd): void => {
      client.release()
      if (ended.failure === undefined) latencies?.record(leg, isStreamed, firstContentMs)
      trail.ended(leg, ended)
      host.onEnd?.(ended, leg)
    }
    return new BoundRun(leg, bound.answer, trail.rows, createTail(bound, limits, clock, permit, onEnd))
  }

  function failed(cause: FailedRun['cause'], noLeg?: NoLegAvailable): FailedRun {
    client.release()
    const failure = cause === 'aborted' ? client.left() : cause === 'deadline' ? timedOut('chain') : last
    host.onEnd?.({ failure, verdict: cause === 'aborted' ? 'neutral' : verdict }, undefined)
    return { type: 'failed', cause, noLeg, failure, trail: trail.rows }
  }
}
