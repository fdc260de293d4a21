import type { AdmitOptions, LegAdmission, LegHealth, Permit, Refusal, RunHealth } from './breaker/run-health.js'
import { healthOf } from './failure/verdict.js'
import type { Leg } from './leg.js'
import type { NoLegAvailable, Plan, PlanInput } from './plan.js'
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
  const plan = makePlan(input)
  if (plan.problem !== undefined) onProblem?.(plan.problem)
  return new Walk(input, plan, trail)
}

/** A class: one is made for every run. */
class Walk implements PlanWalk {
  readonly legs: readonly Leg[]
  readonly #input: PlanWalkInput
  readonly #trail: Trail
  readonly #skips: Plan['skips']
  #refused: Leg[] | undefined
  #refusals: Refusal[] | undefined
  #legs: readonly Leg[]
  #force: boolean
  #stop: Plan['stop']
  #isAsked = false
  #place = -1
  #skipped = 0

  constructor(input: PlanWalkInput, { legs, skips, force, stop }: Plan, trail: Trail) {
    this.legs = legs
    this.#input = input
    this.#trail = trail
    this.#skips = skips
    this.#legs = legs
    this.#force = force
    this.#stop = stop
  }

  next(): Leg | undefined {
    this.#place += 1
    this.#skipUpTo(this.#place)
    if (this.#place < this.#legs.length) return this.#legs[this.#place]
    // Those that the plan held went out since it was made: then every leg is out now.
    const { whenOpen, whenAllOpen } = this.#input.settings
    if (this.#isAsked || this.#force || whenAllOpen === 'skip' || whenOpen === 'stop') return undefined
    this.#legs = this.#refused ?? []
    this.#force = true
    this.#place = 0
    return this.#legs[this.#place]
  }

  hasMore(boundTo?: string): boolean {
    for (let behind = this.#place + 1; behind < this.#legs.length; behind += 1) {
      const leg = this.#legs[behind]
      if (leg === undefined || (boundTo !== undefined && leg.provider !== boundTo)) continue
      if (leg.untranslatable?.(this.#input.request) === undefined) return true
    }
    return false
  }

  admit(leg: Leg, retried: number): Permit | undefined | Promise<Permit | undefined> {
    const said = this.#input.health.admit(leg, retried > 0 ? RETRIED : this.#force ? FORCED : undefined)
    return 'then' in said ? said.then((admission) => this.#take(leg, retried, admission)) : this.#take(leg, retried, said)
  }

  refusesRetry(leg: Leg): boolean {
    return this.#input.health.refusesRetry(leg)
  }

  leaveOut(leg?: Leg): void {
    if (leg !== undefined) this.#trail.skipped(leg, 'window')
    for (this.#place += 1; this.#place < this.#legs.length; this.#place += 1) {
      this.#skipUpTo(this.#place)
      const other = this.#legs[this.#place]
      if (other !== undefined) this.#trail.skipped(other, 'window')
    }
    this.#skipUpTo(this.#place)
  }

  end(): WalkEnd {
    if (this.#stop !== undefined) {
      const { leg, refusal } = this.#stop
      this.#trail.skipped(leg, 'circuit_open', refusal.retryAfterMs)
      return { cause: 'circuit_open', noLeg: { ...noLegAvailable([refusal]), status: 503 } }
    }
    if (this.#isAsked || this.#refusals === undefined) return { cause: 'exhausted' }
    return { cause: 'no_leg', noLeg: noLegAvailable(this.#refusals) }
  }

  #take(leg: Leg, retried: number, admission: LegAdmission): Permit | undefined {
    if (admission.admitted) {
      this.#isAsked = true
      return admission
    }
    // A leg that was being retried has its rows already.
    if (retried > 0) return undefined
    if (this.#input.settings.whenOpen === 'stop' && admission.reason === 'circuit_open') {
      this.#stop = { leg, refusal: admission }
      this.#place = this.#legs.length
      this.#skipped = this.#skips.length
    } else {
      const refused = (this.#refused ??= [])
      refused.push(leg)
      this.#leftOut(leg, admission)
    }
    return undefined
  }

  #skipUpTo(index: number): void {
    for (let skip = this.#skips[this.#skipped]; skip !== undefined && skip.before <= index; skip = this.#skips[this.#skipped]) {
      this.#leftOut(skip.leg, skip.refusal)
      this.#skipped += 1
    }
  }

  #leftOut(leg: Leg, refusal: Refusal): void {
    const refusals = (this.#refusals ??= [])
    refusals.push(refusal)
    this.#trail.skipped(leg, refusal.reason, refusal.retryAfterMs)
  }
}
