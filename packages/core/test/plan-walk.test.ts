import type { Leg } from '@understudy/core'
import { chatRequestOf } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import type { AdmitOptions, LegHealth, Permit, Refusal } from '../src/breaker/run-health.js'
import type { PlanSettings } from '../src/plan.js'
import { NO_MEMORY, walkPlan } from '../src/plan-walk.js'
import { createTrail } from '../src/trail.js'

const request = chatRequestOf({ messages: [{ role: 'user', content: 'hello' }] })
const permit: Permit = { admitted: true, probe: false, settle: () => 'success' }
const open: Refusal = { admitted: false, reason: 'circuit_open', retryAfterMs: 800, afterRateLimit: false }
const resting: Refusal = { admitted: false, reason: 'cooldown', retryAfterMs: 1_500, afterRateLimit: true }
const refusals: Readonly<Record<string, Refusal>> = { x: open, r: resting }

/**
 * Walks over legs a, b, c... `seen` = what the plan sees of each (+ well, x open, r resting), `now` = what an admission then meets.
 */
function walk(seen: string, now: string, settings: Partial<PlanSettings> = {}) {
  const log: string[] = []
  const trail = createTrail(createFakeClock(), undefined)
  const legs = [...seen].map((_, index): Leg => ({ provider: 'abcdef'[index] ?? '', model: 'm', open: () => Promise.reject(new Error()) }))
  const state = (states: string, { provider }: { readonly provider: string }) => refusals[states['abcdef'.indexOf(provider)] ?? '+']
  const walking = walkPlan({
    legs,
    request,
    settings: { order: 'configured', whenOpen: 'next', whenAllOpen: 'skip', ...settings },
    random: () => 0.5,
    health: {
      peek(leg): LegHealth {
        const refusal = state(seen, leg)
        return refusal === undefined ? { tier: 'closed', probeTurn: false } : { tier: 'out', ...refusal }
      },
      admit: (leg, { force = false }: AdmitOptions = {}) => (force ? undefined : state(now, leg)) ?? permit,
      refusesRetry: () => false,
    },
  }, trail)
  return { walking, log, trail, play }

  /** Asks each leg in turn, as a run does whose legs all fail. */
  function play(): readonly unknown[] {
    for (let leg = walking.next(); leg !== undefined; leg = walking.next()) {
      const admission = walking.admit(leg, 0)
      log.push(`${admission === undefined ? 'refused' : 'asked'} ${leg.provider}${walking.hasMore() ? '' : ' last'}`)
    }
    const { cause, noLeg } = walking.end()
    const rows = trail.rows.map((row) => (row.outcome === 'skipped' ? `${row.provider}:${row.reason}:${row.retryAfterMs}` : ''))
    return [log.join(', '), rows.join(' '), cause, noLeg && [noLeg.status, noLeg.retryAfterSeconds]]
  }
}

t.test('asks the legs that the plan holds, and writes a row for each that it left out', async (t) => {
  t.strictSame(walk('++', '++').play(), ['asked a, asked b last', '', 'exhausted', undefined])
  t.strictSame(walk('x+r', '+++').play(), ['asked b last', 'a:circuit_open:800 c:cooldown:1500', 'exhausted', undefined])
})

t.test('writes no row for a leg that stands behind the one that is asked', async (t) => {
  const { walking, trail } = walk('x+x', '+++')
  walking.next()
  t.strictSame(trail.rows.map(({ provider }) => provider), ['a'])
})

t.test('a leg that goes out between plan and attempt is one more row', async (t) => {
  t.strictSame(walk('++', 'x+').play(), ['refused a, asked b last', 'a:circuit_open:800', 'exhausted', undefined])
})

t.test('with every leg out, says when it is worth asking again', async (t) => {
  t.strictSame(walk('xr', '++').play(), ['', 'a:circuit_open:800 b:cooldown:1500', 'no_leg', [503, 1]])
  t.strictSame(walk('rr', '++').play(), ['', 'a:cooldown:1500 b:cooldown:1500', 'no_leg', [429, 2]])
  t.strictSame(walk('+r', 'r+').play(), ['refused a last', 'a:cooldown:1500 b:cooldown:1500', 'no_leg', [429, 2]])
  t.strictSame(walk('', '').play(), ['', '', 'exhausted', undefined])
})

t.test('tries legs that are all out, where that is asked for', async (t) => {
  const whenAllOpen = 'try'
  t.strictSame(walk('xr', 'xr', { whenAllOpen }).play(), ['asked a, asked b last', '', 'exhausted', undefined])
  const second = walk('+r', 'xr', { whenAllOpen }).play()
  t.strictSame(second, ['refused a last, asked a last', 'a:circuit_open:800 b:cooldown:1500', 'exhausted', undefined])
})

t.test('stops at an open leg, where that is asked for', async (t) => {
  const whenOpen = 'stop'
  t.strictSame(walk('+rx+', '++++', { whenOpen }).play(), [
    'asked a last', 'b:cooldown:1500 c:circuit_open:800', 'circuit_open', [503, 1],
  ])
  const late = walk('+++r', '+x++', { whenOpen, whenAllOpen: 'try' }).play()
  t.strictSame(late, ['asked a, refused b last', 'b:circuit_open:800', 'circuit_open', [503, 1]])
})

t.test('a retry that is refused is no row', async (t) => {
  const { walking, trail } = walk('+', 'x', { whenOpen: 'stop' })
  const leg = walking.next()
  if (leg === undefined) throw new Error('no leg')
  t.strictSame([walking.admit(leg, 1), trail.rows, walking.end().cause], [undefined, [], 'exhausted'])
})

t.test('behind a spent limit every leg has its row, in its place', async (t) => {
  const { walking, trail } = walk('+x++r', '+++++')
  walking.leaveOut(walking.next())
  t.strictSame(trail.rows.map((row) => `${row.provider} ${row.outcome === 'skipped' ? row.reason : ''}`), [
    'a window', 'b circuit_open', 'c window', 'd window', 'e cooldown',
  ])
})

t.test('waits for a shared store that has to say who the probe is', async (t) => {
  const trail = createTrail(createFakeClock(), undefined)
  const leg: Leg = { provider: 'a', model: 'm', open: () => Promise.reject(new Error()) }
  const settings: PlanSettings = { order: 'configured', whenOpen: 'next', whenAllOpen: 'skip' }
  for (const [said, row] of [[permit, undefined], [open, 'circuit_open']] as const) {
    const health = { ...NO_MEMORY, admit: () => Promise.resolve(said) }
    const walking = walkPlan({ legs: [leg], request, settings, random: () => 0.5, health }, trail)
    walking.next()
    t.equal(await walking.admit(leg, 0), row === undefined ? permit : undefined)
    t.match(trail.rows, row === undefined ? [] : [{ reason: row }])
  }
})

t.test('tells why an order could not be had', async (t) => {
  const told: string[] = []
  const settings: PlanSettings = { order: 'cost', whenOpen: 'next', whenAllOpen: 'skip' }
  const legs = ['a', 'b'].map((provider): Leg => ({ provider, model: 'm', open: () => Promise.reject(new Error()) }))
  const input = { legs, request, settings, random: () => 0.5, health: NO_MEMORY }
  walkPlan(input, createTrail(createFakeClock(), undefined), (problem) => told.push(problem))
  walkPlan(input, createTrail(createFakeClock(), undefined))
  t.strictSame(told, ['no_prices'])
})
