import t from 'tap'
import { breakerSettings } from '../../src/breaker/breaker-settings.js'
import { checkedStore } from '../../src/breaker/checked-store.js'
import type { HealthStore } from '../../src/breaker/health-store.js'

const settings = breakerSettings({})!
const ticket = { probe: false, episode: 0 }

/** A store that says this, whatever it is asked. */
function saying(said: unknown): HealthStore {
  const say = () => Promise.resolve(said as never)
  return checkedStore({ read: say, admit: say, settle: say, rest: say, restOf: say })
}

const settle = (said: unknown) => saying(said).settle('key', ticket, 'charge', settings)

t.test('what a breaker can be goes through, without what is beside it', async (t) => {
  const counted = { episode: 3, failures: 2 }
  for (const status of [
    { state: 'closed', ...counted },
    { state: 'open', ...counted, dueInMs: 0.5 },
    { state: 'half-open', ...counted, successes: 1, probe: undefined },
    { state: 'half-open', ...counted, successes: 1, probe: { lease: 4, leftMs: 700 } },
  ]) {
    t.strictSame(await saying({ ...status, more: 1 }).read('key'), status)
    t.strictSame(await settle(status), status)
    for (const admission of [
      { admitted: true, ticket: { probe: true, episode: 3, lease: 4 } },
      { admitted: false, reason: 'circuit_open', retryAfterMs: 60_000 },
    ]) {
      t.strictSame(await saying({ admission, status }).admit('key', settings), { admission, status })
    }
  }
  t.match(await saying({ state: 'half-open', ...counted, successes: 0, probe: null }).read('key'), { probe: undefined })
  t.equal(await saying(undefined).restOf('leg'), undefined)
  t.strictSame(await saying({ leftMs: 1, afterRateLimit: true, more: 1 }).restOf('leg'), { leftMs: 1, afterRateLimit: true })
  t.equal(await saying(undefined).rest('leg', { leftMs: 1, afterRateLimit: true }), undefined)
})

t.test('what cannot be is a failure of the store', async (t) => {
  const open = { state: 'open', episode: 1, failures: 3, dueInMs: 100 }
  const half = { state: 'half-open', episode: 1, failures: 3, successes: 0 }
  const throwing = Object.defineProperty({}, 'state', { get: () => { throw new Error('no') } })
  for (const lie of [
    undefined, null, 'open', 7, [], {}, throwing,
    { ...open, state: 'OPEN' }, { ...open, episode: -1 }, { ...open, episode: 1.5 }, { ...open, failures: '3' },
    { ...open, failures: NaN }, { ...open, dueInMs: Infinity }, { ...open, dueInMs: -1 }, { ...open, dueInMs: 1e12 },
    { ...half, successes: undefined }, { ...half, probe: true }, { ...half, probe: { lease: 1 } }, { ...half, probe: { leftMs: 1 } },
  ]) {
    await t.rejects(saying(lie).read('key'), { name: 'TypeError', message: /^the store says of `\w+` what cannot be$/ })
    await t.rejects(settle(lie))
    await t.rejects(saying({ admission: { admitted: true, ticket }, status: lie }).admit('key', settings))
  }
  for (const lie of [
    undefined, {}, { admitted: 'yes' }, { admitted: true }, { admitted: true, ticket: { episode: 1 } },
    { admitted: true, ticket: { probe: false, episode: -1 } }, { admitted: true, ticket: { probe: true, episode: 1, lease: 'a' } },
    { admitted: false, retryAfterMs: NaN },
  ]) {
    await t.rejects(saying({ admission: lie, status: open }).admit('key', settings))
  }
  for (const lie of [null, 7, {}, { leftMs: 5 }, { leftMs: -5, afterRateLimit: true }]) await t.rejects(saying(lie).restOf('leg'))
})
