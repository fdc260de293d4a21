import t from 'tap'
import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { healthStoreContract } from '../../../../test/kit/health-store-contract.js'
import { breakerSettings } from '../../src/breaker/breaker-settings.js'
import { createMemoryStore } from '../../src/breaker/memory-store.js'

healthStoreContract({
  name: 'the memory of a process',
  async makeHarness() {
    const clock = createFakeClock(7_000)
    const store = createMemoryStore(clock)
    return { here: store, there: store, elapse: clock.advance, close: async () => undefined }
  },
})

t.test('remembers ten thousand breakers and rests, and lets the oldest go first that nobody misses', async (t) => {
  let now = 0
  const store = createMemoryStore({ now: () => now })
  const strict = breakerSettings({ failureThreshold: 1 })!
  async function open(key: string): Promise<void> {
    const { admission } = await store.admit(key, strict)
    if (admission.admitted) await store.settle(key, admission.ticket, 'charge', strict)
  }
  await open('open')
  await store.admit('closed', strict)
  await store.rest('long', { leftMs: 900, afterRateLimit: true })
  await store.rest('short', { leftMs: 100, afterRateLimit: true })
  now = 100
  for (let index = 0; index < 9_999; index += 1) {
    await open(`${index}`)
    await store.rest(`${index}`, { leftMs: 900, afterRateLimit: true })
  }
  t.equal((await store.read('open')).state, 'open')
  t.ok(await store.restOf('long'))
  await open('one more')
  await store.rest('one more', { leftMs: 900, afterRateLimit: true })
  t.equal((await store.read('open')).state, 'closed')
  t.equal(await store.restOf('long'), undefined)
})

t.test('a change of settings reaches a breaker that is there', async (t) => {
  const store = createMemoryStore({ now: () => 0, random: () => 0 })
  const first = breakerSettings({})!
  const strict = breakerSettings({ failureThreshold: 1 })!
  const { admission } = await store.admit('key', first)
  t.ok(admission.admitted)
  if (admission.admitted) t.match(await store.settle('key', admission.ticket, 'charge', strict), { state: 'open', dueInMs: 48_000 })
})
