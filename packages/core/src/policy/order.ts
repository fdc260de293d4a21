import { isThenable } from '../host-code.js'
import type { Leg } from '../leg.js'
import type { ChatRequest } from '../request.js'

/** A leg that may be asked, as an order sees it. */
export interface OrderCandidate {
  readonly leg: Leg
  /** The health of its provider; `due` = it was left out, and its time is up. */
  readonly tier: 'closed' | 'half-open' | 'due'
  /**
   * Whether some request has to probe it now: it is then moved up to its configured place, if the order put it behind
   * that.
   */
  readonly probeTurn: boolean
  /** The median of its last first-content times, in ms; `undefined` = unknown. */
  readonly latencyMs?: number | undefined
  /** Its price in this request; `undefined` = unknown. */
  readonly price?: number | undefined
}

/**
 * An order of one's own. Gets the candidates in their configured order, and gives them back in the order to be tried.
 */
export type OrderFunction = (candidates: readonly OrderCandidate[], request: ChatRequest) => readonly OrderCandidate[]

/** Every order that has a name. */
export const ORDERS = ['configured', 'health', 'latency', 'cost', 'weighted'] as const

/** In which order the legs of a chain are tried. Default `configured`. */
export type Order = (typeof ORDERS)[number] | OrderFunction

/** Why an order could not be had as asked for. */
export type OrderProblem = 'no_prices' | 'order_failed'

/** The legs in the order they are to be tried. */
export interface Ordered {
  readonly candidates: readonly OrderCandidate[]
  readonly problem?: OrderProblem | undefined
}

const TIERS = { closed: 0, 'half-open': 1, due: 2 } as const satisfies Record<OrderCandidate['tier'], number>

/**
 * Orders the candidates of one request. Pure but for `random`, in [0, 1). An order never adds or removes a leg: what a
 * function of somebody's own leaves out is put behind, as configured; what it made up is dropped; if it throws or gives
 * no list, the order is the configured one.
 */
export function orderCandidates(
  candidates: readonly OrderCandidate[],
  order: Order,
  request: ChatRequest,
  random: () => number,
): Ordered {
  if (order === 'configured' || candidates.length < 2) return { candidates }
  const ordered = typeof order === 'function' ? own(candidates, order, request) : named(candidates, order, random)
  return { candidates: withProbes(candidates, ordered.candidates), problem: ordered.problem }
}

function named(
  candidates: readonly OrderCandidate[],
  order: Exclude<Order, 'configured' | OrderFunction>,
  random: () => number,
): Ordered {
  switch (order) {
    case 'health':
      return { candidates: byTier(candidates, () => 0) }
    case 'latency':
      return { candidates: byTier(candidates, ({ latencyMs = Infinity }) => latencyMs) }
    case 'cost': {
      const problem = candidates.some(({ price }) => price !== undefined) ? undefined : 'no_prices'
      return { candidates: byTier(candidates, ({ price = Infinity }) => price), problem }
    }
    case 'weighted': {
      const draws = new Map(candidates.map((candidate) => [candidate, draw(candidate, random)]))
      return { candidates: byTier(candidates, (candidate) => draws.get(candidate) ?? Infinity) }
    }
  }
}

/**
 * A leg whose probe is due stands where it would if it were healthy. Ties are as configured, since the sort is stable.
 */
function byTier(
  candidates: readonly OrderCandidate[],
  rank: (candidate: OrderCandidate) => number,
): readonly OrderCandidate[] {
  return candidates
    .map((candidate) => ({ candidate, tier: candidate.probeTurn ? 0 : TIERS[candidate.tier], rank: rank(candidate) }))
    .sort((one, other) => one.tier - other.tier || compare(one.rank, other.rank))
    .map(({ candidate }) => candidate)
}

/** Not by difference: two unknown ranks are both infinite. */
function compare(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/**
 * An exponential draw with the weight as its rate: the smallest of several is each one's with a chance in proportion to
 * its weight, and so on for those behind it. A probe that is due is drawn first: otherwise a small weight would put it
 * off for ever.
 */
function draw({ leg, probeTurn }: OrderCandidate, random: () => number): number {
  const { weight = 1 } = leg
  if (!(weight > 0)) return Infinity
  return probeTurn ? -1 : -Math.log(1 - random()) / weight
}

function own(candidates: readonly OrderCandidate[], order: OrderFunction, request: ChatRequest): Ordered {
  try {
    const given: unknown = order([...candidates], request)
    // Its rejection is nobody's business: an order has to be known now.
    if (isThenable(given)) given.then(undefined, () => undefined)
    if (!Array.isArray(given)) return { candidates, problem: 'order_failed' }
    const known = new Set<unknown>(candidates)
    // A set keeps the first of each: nobody's leg is tried twice, and what was left out comes last.
    return { candidates: [...new Set([...given.filter((candidate) => isOneOf(candidate, known)), ...candidates])] }
  } catch {
    return { candidates, problem: 'order_failed' }
  }
}

function isOneOf(value: unknown, known: ReadonlySet<unknown>): value is OrderCandidate {
  return known.has(value)
}

/** Moves each leg whose probe is due up to its configured place, so that no order keeps it from coming back. */
function withProbes(
  configured: readonly OrderCandidate[],
  ordered: readonly OrderCandidate[],
): readonly OrderCandidate[] {
  if (!configured.some(({ probeTurn }) => probeTurn)) return ordered
  const moved = [...ordered]
  for (const [place, candidate] of configured.entries()) {
    if (!candidate.probeTurn) continue
    const at = moved.indexOf(candidate)
    if (at > place) moved.splice(place, 0, ...moved.splice(at, 1))
  }
  return moved
}
