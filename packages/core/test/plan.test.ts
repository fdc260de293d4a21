import { chatRequestOf } from '@understudy/core'
import type { Leg } from '@understudy/core'
import t from 'tap'
import type { LegHealth, Refusal } from '../src/breaker/run-health.js'
import type { Plan, PlanInput, PlanSettings } from '../src/plan.js'
import { makePlan, noLegAvailable } from '../src/plan.js'

const request = chatRequestOf({ messages: [{ role: 'user', content: 'hello' }] })

function leg(name: string): Leg {
  return {
    provider: name,
    model: 'm',
    open() {
      throw new Error('not called')
    },
  }
}

const open: Refusal = { admitted: false, reason: 'circuit_open', retryAfterMs: 800, afterRateLimit: false }
const resting: Refusal = { admitted: false, reason: 'cooldown', retryAfterMs: 1_500, afterRateLimit: true }

const STATES: Readonly<Record<string, LegHealth>> = {
  '+': { tier: 'closed', probeTurn: false },
  d: { tier: 'due', probeTurn: true },
  w: { tier: 'due', probeTurn: false },
  x: { tier: 'out', ...open },
  r: { tier: 'out', ...resting },
}

/** A plan for legs a, b, c... in these states. */
function plan(states: string, settings: Partial<PlanSettings> = {}, rest: Partial<PlanInput> = {}): Plan & { readonly input: readonly Leg[] } {
  const legs = [...states].map((_, index) => leg('abcdef'[index]!))
  const health = { peek: ({ provider }: { readonly provider: string }) => STATES[states['abcdef'.indexOf(provider)]!]! }
  const all: PlanSettings = { order: 'configured', whenOpen: 'next', whenAllOpen: 'skip', ...settings }
  return { ...makePlan({ legs, request, settings: all, health, random: () => 0.5, ...rest }), input: legs }
}

const names = (legs: readonly Leg[]): string => legs.map(({ provider }) => provider).join('')
const skipped = ({ skips }: Plan): string => skips.map((skip) => `${skip.leg.provider}@${skip.before}:${skip.refusal.reason}`).join(' ')
const shown = (made: Plan): readonly unknown[] => [names(made.legs), skipped(made), made.force]

t.test('a chain whose legs are all well is given back as it came', async (t) => {
  const made = plan('+d+')
  t.equal(made.legs, made.input)
  t.strictSame(shown(made), ['abc', '', false])
})

t.test('legs that are out are left out, each with its reason and its place among the others', async (t) => {
  t.strictSame(shown(plan('x+r+')), ['bd', 'a@0:circuit_open c@1:cooldown', false])
  t.strictSame(shown(plan('+xr')), ['a', 'b@1:circuit_open c@1:cooldown', false])
  t.strictSame(plan('x+').skips[0]?.refusal, open)
})

t.test('a leg that is due is asked in its configured place, with the rest of the chain behind it', async (t) => {
  for (const order of ['configured', 'health'] as const) t.strictSame(shown(plan('d++', { order })), ['abc', '', false])
})

t.test('an order changes the places of those that may be asked', async (t) => {
  t.strictSame(shown(plan('xw++', { order: 'health' })), ['cdb', 'a@0:circuit_open', false])
  t.strictSame(shown(plan('+x+', { order: (all) => all.toReversed() })), ['ca', 'b@1:circuit_open', false])
  t.equal(plan('++', { order: () => 7 as never }).problem, 'order_failed')
})

t.test('latencies and prices reach the order; a request\'s price wins over the leg\'s own', async (t) => {
  const medianOf = ({ provider }: { readonly provider: string }) => (provider === 'b' ? 5 : undefined)
  t.equal(names(plan('+++', { order: 'latency' }, { latencies: { medianOf } }).legs), 'bac')
  const legs = ['a', 'b', 'c'].map((name, index) => ({ ...leg(name), price: index }))
  const asked = (prices?: Readonly<Record<string, number>>) => names(plan('+++', { order: 'cost' }, { legs, prices }).legs)
  const odd = [{ 'a/m': NaN }, { 'c/m': -Infinity }, Object.create({ 'a/m': 9 }) as Readonly<Record<string, number>>]
  t.strictSame([asked(), asked({ 'a/m': 9 }), ...odd.map(asked)], ['abc', 'bca', 'abc', 'abc', 'abc'])
  t.equal(plan('++', { order: 'cost' }).problem, 'no_prices')
})

t.test('with every leg out there is nothing to ask', async (t) => {
  t.strictSame(shown(plan('xr')), ['', 'a@0:circuit_open b@0:cooldown', false])
})

t.test('or all are asked anyway, as configured', async (t) => {
  t.strictSame(shown(plan('xr', { whenAllOpen: 'try', order: 'health' })), ['ab', '', true])
  t.strictSame(shown(plan('x+', { whenAllOpen: 'try' })), ['b', 'a@0:circuit_open', false])
})

t.test('an open leg ends the run where it stands, if that is asked for', async (t) => {
  const stop = (states: string) => {
    const made = plan(states, { whenOpen: 'stop', whenAllOpen: 'try' })
    return [...shown(made), made.stop?.leg.provider]
  }
  t.strictSame(stop('x+'), ['', '', false, 'a'])
  t.strictSame(stop('+r+x+'), ['ac', 'b@1:cooldown', false, 'd'])
  t.strictSame(stop('r+'), ['b', 'a@0:cooldown', false, undefined])
  t.strictSame(stop('+d'), ['ab', '', false, undefined])
  t.strictSame(plan('+x', { whenOpen: 'stop' }).stop?.refusal, open)
})

t.test('says when it is worth asking again: the shortest wait, in whole seconds, one at least', async (t) => {
  const after = (...waits: readonly number[]) =>
    noLegAvailable(waits.map((retryAfterMs) => ({ ...open, retryAfterMs }))).retryAfterSeconds
  t.strictSame([after(800, 1_500), after(1_001), after(7_000, 3_000), after(0.5), after()], [1, 2, 3, 1, 1])
})

t.test('is a 429 only if every leg rests after one', async (t) => {
  const status = (...refusals: readonly Refusal[]) => noLegAvailable(refusals).status
  t.strictSame(
    [status(resting), status(resting, resting), status(resting, open), status({ ...resting, afterRateLimit: false }), status()],
    [429, 429, 503, 503, 503],
  )
})
