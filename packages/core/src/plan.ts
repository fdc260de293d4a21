import type { LegHealth, Refusal, RunHealth } from './breaker/run-health.js'
import type { Leg } from './leg.js'
import type { Latencies } from './policy/latencies.js'
import type { Order, OrderCandidate, OrderProblem } from './policy/order.js'
import { orderCandidates } from './policy/order.js'
import type { ChatRequest } from './request.js'

/** How a chain deals with the health of its legs. */
export interface PlanSettings {
  /** In which order the legs are tried. Default `configured`. */
  readonly order: Order
  /**
   * What becomes of a run that reaches a leg whose breaker is open: the next leg, or 503 `circuit_open`. Default
   * `next`.
   */
  readonly whenOpen: 'next' | 'stop'
  /**
   * What becomes of a run whose legs are all out: 503 or 429 at once, or each is tried all the same. Default `skip`.
   */
  readonly whenAllOpen: 'skip' | 'try'
}

/** The plan settings of a chain that says nothing else. */
export const AS_CONFIGURED: PlanSettings = { order: 'configured', whenOpen: 'next', whenAllOpen: 'skip' }

/** What a plan is made from. */
export interface PlanInput {
  /** As configured. */
  readonly legs: readonly Leg[]
  readonly request: ChatRequest
  readonly settings: PlanSettings
  /** Takes no slot here: admission is asked right before each attempt. */
  readonly health: Pick<RunHealth, 'peek'>
  /** In [0, 1). */
  readonly random: () => number
  /** For the order `latency`, and functions. */
  readonly latencies?: Pick<Latencies, 'medianOf'> | undefined
  /** Prices of this request by `provider/model`; they win over a leg's own. For the order `cost`, and functions. */
  readonly prices?: Readonly<Record<string, number>> | undefined
}

/** A leg that a plan leaves out. */
export interface PlannedSkip {
  readonly leg: Leg
  readonly refusal: Refusal
  /** The place in `Plan.legs` that it comes before; its row belongs there in the trail. */
  readonly before: number
}

/** Which legs are asked, in which order, and why the others are not. */
export interface Plan {
  /** To be tried, in this order. The input's own array where nothing is left out or moved. */
  readonly legs: readonly Leg[]
  /** Those left out, by `before`. */
  readonly skips: readonly PlannedSkip[]
  /** Whether the legs are out, and tried all the same: each attempt is then admitted with `force`. */
  readonly force: boolean
  /** With `whenOpen: 'stop'`: the open leg that ends the run behind the last of `legs`. It has no row in `skips`. */
  readonly stop?: { readonly leg: Leg; readonly refusal: Refusal } | undefined
  /** Why the order is not the one that was asked for; to be warned of once. */
  readonly problem?: OrderProblem | undefined
}

/** What a client is told when no leg could be tried. */
export interface NoLegAvailable {
  /** 429 if every leg rests after a rate limit, else 503. */
  readonly status: 429 | 503
  /** The shortest wait of any leg, in whole seconds, 1 at least. */
  readonly retryAfterSeconds: number
}

const NO_SKIPS: readonly PlannedSkip[] = []

/**
 * Makes the plan of one run. It only looks: between the plan and an attempt another run may take the slot of a probe,
 * or a breaker open. So the run goes through `legs` by index, and for each
 *
 * 1. writes the rows of the `skips` whose `before` is that index;
 * 2. asks `health.admit(leg, { force: plan.force })` last of all, when nothing is left to wait for. A refusal is one
 *    more row, and the run goes on with the next leg; with `whenOpen: 'stop'` and reason `circuit_open` it ends;
 * 3. settles the permit: with the failure before commit, with the end of the answer behind it;
 * 4. before a retry's sleep asks `health.refusesRetry(leg)`, and behind it `health.admit(leg, { retried: true })`.
 *
 * Behind the last leg it writes the rows of the `skips` that are left, and ends as `circuit_open` if the plan has a
 * `stop`. If no leg was asked, `noLegAvailable` of all refusals says what to answer; where the plan held legs and all
 * of them were refused since, `whenAllOpen: 'try'` takes them once more, with `force`.
 *
 * Hot: a chain in its configured order whose legs are all well is given back as it came.
 */
export function makePlan(input: PlanInput): Plan {
  const { legs, settings, health } = input
  if (settings.order === 'configured' && legs.every((leg) => health.peek(leg).tier !== 'out')) {
    return { legs, skips: NO_SKIPS, force: false }
  }
  const states = legs.map((leg) => health.peek(leg))
  const out = states.flatMap((state, place) => {
    const leg = legs[place]
    return state.tier === 'out' && leg !== undefined ? [{ leg, refusal: refusalOf(state), place }] : []
  })
  if (out.length === legs.length && settings.whenAllOpen === 'try' && settings.whenOpen === 'next') {
    return { legs, skips: NO_SKIPS, force: true }
  }
  const { order, whenOpen } = settings
  const { candidates, problem } = orderCandidates(candidatesOf(input, states), order, input.request, input.random)
  const ordered = candidates.map(({ leg }) => leg)
  // A leg that is out keeps its configured place among the others, where its row is looked for.
  const skips = out.map(({ leg, refusal, place }, index) => ({ leg, refusal, before: place - index }))
  if (whenOpen === 'next') return { legs: ordered, skips, force: false, problem }
  return stopped(ordered, skips, problem)
}

/** What to answer when every leg of a run was refused. */
export function noLegAvailable(refusals: readonly Refusal[]): NoLegAvailable {
  const shortestMs = Math.min(...refusals.map(({ retryAfterMs }) => retryAfterMs))
  const limited = refusals.length > 0 && refusals.every(({ afterRateLimit }) => afterRateLimit)
  return {
    status: limited ? 429 : 503,
    retryAfterSeconds: Number.isFinite(shortestMs) ? Math.max(1, Math.ceil(shortestMs / 1_000)) : 1,
  }
}

function candidatesOf({ legs, request, latencies, prices }: PlanInput, states: readonly LegHealth[]): readonly OrderCandidate[] {
  return legs.flatMap((leg, place) => {
    const state = states[place]
    if (state === undefined || state.tier === 'out') return []
    const { tier, probeTurn } = state
    return [{ leg, tier, probeTurn, latencyMs: latencies?.medianOf(leg, request.stream), price: priceOf(leg, prices) }]
  })
}

function priceOf(leg: Leg, prices: PlanInput['prices']): number | undefined {
  const name = `${leg.provider}/${leg.model}`
  const hint: unknown = prices !== undefined && Object.hasOwn(prices, name) ? prices[name] : undefined
  return typeof hint === 'number' && Number.isFinite(hint) ? hint : leg.price
}

function stopped(legs: readonly Leg[], skips: readonly PlannedSkip[], problem: OrderProblem | undefined): Plan {
  const stop = skips.find(({ refusal }) => refusal.reason === 'circuit_open')
  if (stop === undefined) return { legs, skips, force: false, problem }
  const { leg, refusal, before } = stop
  return {
    legs: legs.slice(0, before),
    skips: skips.slice(0, skips.indexOf(stop)),
    force: false,
    stop: { leg, refusal },
    problem,
  }
}

function refusalOf({ reason, retryAfterMs, afterRateLimit }: Refusal): Refusal {
  return { admitted: false, reason, retryAfterMs, afterRateLimit }
}
