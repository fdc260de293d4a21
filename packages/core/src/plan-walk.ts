import type { AdmitOptions, LegAdmission, LegHealth, Permit, Refusal, RunHealth } from './breaker/run-health.js'
import { healthOf } from './failure/verdict.js'
import type { Leg } from './leg.js'
import type { NoLegAvailable, PlanInput } from './plan.js'
import { makePlan, noLegAvailable } from './plan.js'
import type { OrderProblem } from './policy/order.js'
import type { Trail } from './trail.js'

/** How a walk ended that no leg served. */
export interface WalkEnd {
  /**
   * `exhausted`: the legs that were asked failed. `no_leg`: every leg was left out. `circuit_open`: the chain came to a
   * leg whose breaker is open, and stops there (`whenOpen: 'stop'`).
   */
  readonly cause: 'exhausted' | 'no_leg' | 'circuit_open'
  /** What a client is told, but where legs were asked and failed. */
  readonly noLeg?: NoLegAvailable | undefined
}

/** Goes through the plan of one run, leg by leg, and writes a row for each leg that is left out, in its place. */
export interface PlanWalk {
  /** Those that the plan would ask. */
  readonly legs: readonly Leg[]
  /** The next leg; `undefined` behind the last one. */
  readonly next: () => Leg | undefined
  /**
   * Whether another leg that has words for the request stands behind the one that `next` gave; with `boundTo`, one of that
   * provider.
   */
  readonly hasMore: (boundTo?: string) => boolean
  /**
   * Whether an attempt may start, asked right before it; `retried` = how often the leg was asked already. What it gives
   * is owed a `settle`. `undefined` = the leg is left out. A promise only where a shared store has to say who the probe is.
   */
  readonly admit: (leg: Leg, retried: number) => Permit | undefined | Promise<Permit | undefined>
  /** Whether a retry would be refused, so that the sleep before it can be saved. */
  readonly refusesRetry: (leg: Leg) => boolean
  /** No further leg is asked, because a limit of the chain is spent: the rows of `leg` and of all behind it. */
  readonly leaveOut: (leg?: Leg) => void
  /** To be asked behind the last leg. */
  readonly end: () => WalkEnd
}

const RETRIED: AdmitOptions = { retried: true }
const FORCED: AdmitOptions = { force: true }
const WELL: LegHealth = { tier: 'closed', probeTurn: false }
const FREE: Permit = {
  admitted: true,
  probe: false,
  settle: (failure) => (failure === undefined ? 'success' : healthOf(failure)),
}

/** The health of legs that nobody keeps a memory of. */
export const NO_MEMORY: RunHealth = { peek: () => WELL, admit: () => FREE, refusesRetry: () => false }

/** What a walk is made with. */
export interface PlanWalkInput extends Omit<PlanInput, 'health'> {
  readonly health: RunHealth
}

/**
 * Makes the plan of a run and begins with it.
 *
 * Hot: where every leg is well, a leg costs a look at its health and an admission, and no promise.
 */
export function walkPlan(
  input: PlanWalkInput,
  trail: Trail,
  onProblem?: (problem: OrderProblem) => void,
): PlanWalk {
  const { health, settings } = input
  const plan = makePlan(input)
  const { skips, problem } = plan
  const refused: Leg[] = []
  const refusals: Refusal[] = []
  let { legs, force, stop } = plan
  let isAsked = false
  let place = -1
  let skipped = 0
  if (problem !== undefined) onProblem?.(problem)

  return {
    legs: plan.legs,
    next() {
      place += 1
      skipUpTo(place)
      if (place < legs.length) return legs[place]
      // Those that the plan held went out since it was made: then every leg is out now.
      const { whenOpen, whenAllOpen } = settings
      if (isAsked || force || whenAllOpen === 'skip' || whenOpen === 'stop') return undefined
      legs = refused
      force = true
      place = 0
      return legs[place]
    },
    hasMore(boundTo) {
      for (let behind = place + 1; behind < legs.length; behind += 1) {
        const leg = legs[behind]
        if (leg === undefined || (boundTo !== undefined && leg.provider !== boundTo)) continue
        if (leg.untranslatable?.(input.request) === undefined) return true
      }
      return false
    },
    admit(leg, retried) {
      const said = health.admit(leg, retried > 0 ? RETRIED : force ? FORCED : undefined)
      return 'then' in said ? said.then((admission) => take(leg, retried, admission)) : take(leg, retried, said)
    },
    refusesRetry: health.refusesRetry,
    leaveOut(leg) {
      if (leg !== undefined) trail.skipped(leg, 'window')
      for (place += 1; place < legs.length; place += 1) {
        skipUpTo(place)
        const other = legs[place]
        if (other !== undefined) trail.skipped(other, 'window')
      }
      skipUpTo(place)
    },
    end() {
      if (stop !== undefined) {
        trail.skipped(stop.leg, 'circuit_open', stop.refusal.retryAfterMs)
        return { cause: 'circuit_open', noLeg: { ...noLegAvailable([stop.refusal]), status: 503 } }
      }
      if (isAsked || refusals.length === 0) return { cause: 'exhausted' }
      return { cause: 'no_leg', noLeg: noLegAvailable(refusals) }
    },
  }

  function take(leg: Leg, retried: number, admission: LegAdmission): Permit | undefined {
    if (admission.admitted) {
      isAsked = true
      return admission
    }
    // A leg that was being retried has its rows already.
    if (retried > 0) return undefined
    if (settings.whenOpen === 'stop' && admission.reason === 'circuit_open') {
      stop = { leg, refusal: admission }
      place = legs.length
      skipped = skips.length
    } else {
      refused.push(leg)
      leftOut(leg, admission)
    }
    return undefined
  }

  function skipUpTo(index: number): void {
    for (let skip = skips[skipped]; skip !== undefined && skip.before <= index; skip = skips[skipped]) {
      leftOut(skip.leg, skip.refusal)
      skipped += 1
    }
  }

  function leftOut(leg: Leg, refusal: Refusal): void {
    refusals.push(refusal)
    trail.skipped(leg, refusal.reason, refusal.retryAfterMs)
  }
}
