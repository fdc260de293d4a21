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

t.test('a change of settings reaches a breaker that is there', async (t) => {
  const store = createMemoryStore({ now: () => 0, random: () => 0 })
  const first = breakerSettings({})!
  const strict = breakerSettings({ failureThreshold: 1 })!
  const { admission } = await store.admit('key', first)
  t.ok(admission.admitted)
  if (admission.admitted) t.match(await store.settle('key', admission.ticket, 'charge', strict), { state: 'open', dueInMs: 48_000 })
})
