import { chatRequestOf } from '@understudy/core'
import fc from 'fast-check'
import t from 'tap'
import type { Order, OrderCandidate, OrderFunction } from '../../src/policy/order.js'
import { orderCandidates } from '../../src/policy/order.js'

const request = chatRequestOf({ messages: [{ role: 'user', content: 'hello' }] })

function candidate(name: string, rest: Partial<Omit<OrderCandidate, 'leg'>> & { readonly weight?: number } = {}): OrderCandidate {
  const { weight, ...known } = rest
  const open = () => {
    throw new Error('not called')
  }
  return { leg: { provider: name, model: 'm', weight, open }, tier: 'closed', probeTurn: false, ...known }
}

const namesOf = (candidates: readonly OrderCandidate[]): string => candidates.map(({ leg }) => leg.provider).join('')

function ordered(order: Order, candidates: readonly OrderCandidate[], random = () => 0.5): string {
  return namesOf(orderCandidates(candidates, order, request, random).candidates)
}

const [a, b, c, d] = [candidate('a'), candidate('b'), candidate('c'), candidate('d')]

t.test('as configured, whatever is known', async (t) => {
  t.equal(ordered('configured', [candidate('a', { tier: 'due', price: 9, latencyMs: 9 }), b, candidate('c', { price: 1 })]), 'abc')
})

t.test('health puts closed before half-open before due, ties as configured', async (t) => {
  const all = [
    candidate('a', { tier: 'due' }), candidate('b', { tier: 'half-open' }), c, candidate('d', { tier: 'due' }), candidate('e'), candidate('f', { tier: 'half-open' }),
  ]
  t.equal(ordered('health', all), 'cebfad')
})

t.test('latency orders inside a tier, unknown last', async (t) => {
  const all = [
    candidate('a'), candidate('b', { latencyMs: 300 }), candidate('c', { latencyMs: 20, tier: 'due' }), candidate('d', { latencyMs: 100 }), candidate('e'),
  ]
  t.equal(ordered('latency', all), 'dbaec')
})

t.test('cost orders by price inside a tier, unknown last; only how prices compare matters', async (t) => {
  const all = [a, candidate('b', { price: 3 }), candidate('c', { price: 0 }), candidate('d', { price: 1e-9, tier: 'half-open' })]
  t.equal(ordered('cost', all), 'cbad')
  t.equal(ordered('cost', [candidate('a', { price: -1 }), candidate('b', { price: -2 })]), 'ba')
})

t.test('cost without any price is health, and says so', async (t) => {
  const all = [candidate('a', { tier: 'due' }), b, c]
  const { candidates, problem } = orderCandidates(all, 'cost', request, () => 0)
  t.strictSame([namesOf(candidates), problem], ['bca', 'no_prices'])
  t.equal(orderCandidates([a, candidate('b', { price: 1 })], 'cost', request, () => 0).problem, undefined)
})

t.test('weighted gives each leg its share of the first places, and of those behind', async (t) => {
  let seed = 1
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const all = [candidate('a', { weight: 8 }), candidate('b', { weight: 1 }), candidate('c')]
  const counts = new Map<string, number>()
  for (let index = 0; index < 20_000; index += 1) {
    const order = ordered('weighted', all, random)
    counts.set(order, (counts.get(order) ?? 0) + 1)
  }
  const share = (order: string): number => Math.round((100 * (counts.get(order) ?? 0)) / 20_000)
  t.strictSame(['abc', 'acb', 'bac', 'cab', 'bca', 'cba'].map(share).map((percent, index) => Math.abs(percent - [40, 40, 9, 9, 1, 1][index]!) <= 1), Array.from({ length: 6 }, () => true))
})

t.test('a weight of nothing comes last, in its tier', async (t) => {
  const all = [candidate('a', { weight: 0 }), candidate('b', { weight: NaN }), candidate('c', { weight: 1e-9 }), candidate('d', { tier: 'due' })]
  for (const value of [0, 0.5, 0.999_999_999]) t.equal(ordered('weighted', all, () => value), 'cabd')
})

t.test('a probe that is due stands in its configured place, and where it would stand if it were healthy', async (t) => {
  const probe = { tier: 'due', probeTurn: true } as const
  t.equal(ordered('health', [candidate('a', probe), b, c]), 'abc')
  t.equal(ordered('health', [a, candidate('b', probe), c]), 'abc')
  t.equal(ordered('latency', [a, candidate('b', { latencyMs: 5 }), candidate('c', { latencyMs: 1, ...probe })]), 'cba')
  t.equal(ordered('latency', [candidate('a', probe), candidate('b', { latencyMs: 5 }), c]), 'abc')
  t.equal(ordered('cost', [a, candidate('b', { price: 9, ...probe }), candidate('c', { price: 1 })]), 'cba')
  t.equal(ordered('weighted', [candidate('a', { weight: 1e9 }), b, candidate('c', { weight: 1e-9, ...probe })]), 'cab')
  t.equal(ordered((all) => all.toReversed(), [candidate('a', { tier: 'half-open', probeTurn: true }), b, c, d]), 'adcb')
  t.equal(ordered('health', [candidate('a', probe), b, candidate('c', probe), d]), 'abcd')
})

t.test('between two probes a leg that is due stands behind', async (t) => {
  t.equal(ordered('health', [candidate('a', { tier: 'half-open' }), b]), 'ba')
})

t.test('a function of one\'s own orders, and is told what is known', async (t) => {
  const told: unknown[] = []
  const all = [candidate('a', { latencyMs: 4, price: 2 }), b, c]
  const order: OrderFunction = (candidates, asked) => {
    told.push(candidates, asked)
    return candidates.toReversed()
  }
  t.equal(ordered(order, all), 'cba')
  t.strictSame(told, [all, request])
})

t.test('what a function made up is dropped, what it repeats is tried once, what it left out comes last', async (t) => {
  const all = [a, b, c, d]
  t.equal(ordered(() => [candidate('x'), c, { ...a }, c], all), 'cabd')
  t.equal(ordered(() => [], all), 'abcd')
})

t.test('a function cannot change the list that it was given', async (t) => {
  const all = [a, b, c]
  const order: OrderFunction = (candidates) => (candidates as OrderCandidate[]).splice(0, 3).slice(1)
  t.equal(ordered(order, all), 'bca')
  t.equal(all.length, 3)
})

t.test('a function that throws, or gives no list, leaves the configured order, and that is said', async (t) => {
  const wrong: readonly unknown[] = [undefined, null, 'ba', 7, {}, Promise.resolve([b, a]), Promise.reject(new Error('late'))]
  const functions = [
    ...wrong.map((value) => () => value),
    () => {
      throw new Error('no order')
    },
    () => new Proxy([], {
      get() {
        throw new Error('hostile')
      },
    }),
  ]
  for (const order of functions) {
    const { candidates, problem } = orderCandidates([a, b], order as OrderFunction, request, () => 0)
    t.strictSame([namesOf(candidates), problem], ['ab', 'order_failed'])
  }
})

t.test('a chain of one needs no order', async (t) => {
  const order = (): never => {
    throw new Error('not asked')
  }
  t.strictSame(orderCandidates([a], order, request, () => 0), { candidates: [a] })
})

t.test('no order adds, loses or repeats a leg, and a probe that is due is never behind its configured place', async (t) => {
  const some = fc.array(
    fc.record({
      tier: fc.constantFrom('closed', 'half-open', 'due'),
      turn: fc.boolean(),
      latencyMs: fc.option(fc.nat(5), { nil: undefined }),
      price: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
      weight: fc.constantFrom(undefined, 0, 1, 5),
    }),
    { maxLength: 6 },
  )
  const picks = fc.array(fc.nat(9), { maxLength: 8 })
  const orders = fc.constantFrom('configured', 'health', 'latency', 'cost', 'weighted', 'own')
  const draw = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))
  const property = fc.property(some, orders, picks, draw, (knowns, name, picked, draws) => {
    const all = knowns.map(({ turn, tier, ...rest }, index) =>
      candidate(`${index}`, { ...rest, tier, probeTurn: turn && tier !== 'closed' } as Partial<OrderCandidate>))
    const order = (name === 'own' ? () => picked.map((pick) => all[pick]) : name) as Order
    const { candidates } = orderCandidates(all, order, request, () => draws.next().value as number)
    if (new Set(candidates).size !== all.length || candidates.length !== all.length) throw new Error('not the same legs')
    for (const [place, one] of all.entries()) {
      if (one.probeTurn && candidates.indexOf(one) > place) throw new Error('behind its place')
    }
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1_000 }))
})
