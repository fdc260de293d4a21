import t from 'tap'
import type { BreakerSettings } from '../../packages/core/src/breaker/breaker-settings.js'
import { breakerSettings } from '../../packages/core/src/breaker/breaker-settings.js'
import type { HealthStore, StoreAdmission } from '../../packages/core/src/breaker/health-store.js'

/** One memory, as two processes hold it. */
export interface StoreHarness {
  readonly here: HealthStore
  readonly there: HealthStore
  /** Lets so much of the store's time pass. */
  readonly elapse: (ms: number) => Promise<void>
  readonly close: () => Promise<void>
}

export interface StoreUnderTest {
  /** As the test report shows it. */
  readonly name: string
  readonly makeHarness: () => Promise<StoreHarness>
}

/** Short enough for a store whose time is real: a lease lasts a second at least. */
const RECOVERY_MS = 300
const LEASE_MS = 1_000

function settings(options: Parameters<typeof breakerSettings>[0] = {}): BreakerSettings {
  const made = breakerSettings({ recoveryMs: RECOVERY_MS, jitter: 0, ...options })
  if (made === undefined) throw new Error('no breaker')
  return made
}

function ticketOf({ admission }: StoreAdmission) {
  if (!admission.admitted) throw new Error('refused')
  return admission.ticket
}

const admitted = ({ admission }: StoreAdmission): boolean => admission.admitted

/** What every shared store promises. */
export function healthStoreContract({ name, makeHarness }: StoreUnderTest): void {
  t.test(name, async (t) => {
    type Test = typeof t
    const key = 'provider'
    const usual = settings()

    async function start(t: Test): Promise<StoreHarness> {
      const harness = await makeHarness()
      t.teardown(() => harness.close())
      return harness
    }

    async function opened(t: Test): Promise<StoreHarness> {
      const harness = await start(t)
      const { here, there } = harness
      for (const store of [here, there, here]) await store.settle(key, ticketOf(await store.admit(key, usual)), 'charge', usual)
      return harness
    }

    async function due(t: Test): Promise<StoreHarness> {
      const harness = await opened(t)
      await harness.elapse(RECOVERY_MS)
      return harness
    }

    t.test('a breaker that nobody told of is closed', async (t) => {
      const { here } = await start(t)
      t.match(await here.read(key), { state: 'closed', episode: 0, failures: 0 })
      t.match(await here.admit(key, usual), { admission: { admitted: true, ticket: { probe: false } }, status: { state: 'closed' } })
    })

    t.test('failures in a row count wherever they happen, and open it for everybody', async (t) => {
      const { here, there } = await opened(t)
      for (const store of [here, there]) {
        const { admission, status } = await store.admit(key, usual)
        t.match(admission, { admitted: false, reason: 'circuit_open' })
        t.match(status, { state: 'open', failures: 3 })
        t.ok(status.state === 'open' && status.dueInMs > 0 && status.dueInMs <= RECOVERY_MS)
        t.match(await store.read(key), { state: 'open', episode: status.episode })
      }
    })

    t.test('a success breaks the row, what is neutral does not', async (t) => {
      const { here, there } = await start(t)
      for (const verdict of ['charge', 'charge', 'success', 'charge', 'neutral', 'cooldown', 'charge'] as const) {
        await here.settle(key, ticketOf(await here.admit(key, usual)), verdict, usual)
      }
      t.match(await there.read(key), { state: 'closed', failures: 2 })
    })

    t.test('keys have nothing to do with each other', async (t) => {
      const { here, there } = await opened(t)
      t.ok(admitted(await here.admit('another', usual)))
      t.match(await there.read('another'), { state: 'closed', failures: 0 })
    })

    t.test('of all that ask at once, in all processes, one is the probe', async (t) => {
      const { here, there } = await due(t)
      const asked = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? here : there).admit(key, usual))
      const admissions = await Promise.all(asked)
      t.equal(admissions.filter(admitted).length, 1)
      t.match(await there.read(key), { state: 'half-open', probe: {} })
    })

    t.test('probes that end well close it, wherever they ran', async (t) => {
      const { here, there } = await due(t)
      t.match(await here.settle(key, ticketOf(await here.admit(key, usual)), 'success', usual), { state: 'half-open', successes: 1 })
      t.match(await there.settle(key, ticketOf(await there.admit(key, usual)), 'success', usual), { state: 'closed', failures: 0 })
      t.match(await here.read(key), { state: 'closed' })
    })

    t.test('one failed probe opens it again', async (t) => {
      const { here, there } = await due(t)
      await here.settle(key, ticketOf(await here.admit(key, usual)), 'charge', usual)
      t.notOk(admitted(await there.admit(key, usual)))
      t.match(await there.read(key), { state: 'open' })
    })

    t.test('a neutral end frees the slot', async (t) => {
      const { here, there } = await due(t)
      for (const verdict of ['neutral', 'cooldown'] as const) {
        await here.settle(key, ticketOf(await here.admit(key, usual)), verdict, usual)
        const status = await there.read(key)
        t.ok(status.state === 'half-open' && status.probe === undefined)
      }
      t.ok(admitted(await there.admit(key, usual)))
    })

    t.test('the slot of a process that died comes back when its lease ends', async (t) => {
      const { here, there, elapse } = await due(t)
      const lost = ticketOf(await here.admit(key, usual))
      t.notOk(admitted(await there.admit(key, usual)))
      await elapse(LEASE_MS)
      const next = await there.admit(key, usual)
      t.ok(admitted(next))
      await here.settle(key, lost, 'neutral', usual)
      t.notOk(admitted(await here.admit(key, usual)), 'who held it once frees no slot of another')
    })

    t.test('late results of an earlier episode change nothing', async (t) => {
      const { here, there, elapse } = await start(t)
      const late = ticketOf(await here.admit(key, usual))
      for (let index = 0; index < 3; index += 1) await there.settle(key, ticketOf(await there.admit(key, usual)), 'charge', usual)
      t.match(await here.settle(key, late, 'charge', usual), { state: 'open', failures: 3 })
      await elapse(RECOVERY_MS)
      const probe = ticketOf(await there.admit(key, usual))
      t.match(await here.settle(key, late, 'success', usual), { state: 'half-open', successes: 0 })
      t.match(await here.settle(key, late, 'charge', usual), { state: 'half-open', successes: 0 })
      await there.settle(key, probe, 'success', usual)
      await there.settle(key, ticketOf(await there.admit(key, usual)), 'success', usual)
      t.match(await here.settle(key, late, 'charge', usual), { state: 'closed', failures: 0 })
      t.match(await here.settle(key, probe, 'charge', usual), { state: 'closed', failures: 0 })
    })

    t.test('each change of state is a new episode', async (t) => {
      const { here, elapse } = await due(t)
      const episodes = [(await here.read(key)).episode]
      const probe = await here.admit(key, usual)
      episodes.push(probe.status.episode, (await here.settle(key, ticketOf(probe), 'charge', usual)).episode)
      await elapse(RECOVERY_MS)
      for (let index = 0; index < 2; index += 1) {
        const next = await here.admit(key, usual)
        episodes.push(next.status.episode, (await here.settle(key, ticketOf(next), 'success', usual)).episode)
      }
      const [first = NaN] = episodes
      t.strictSame(episodes.map((episode) => episode - first), [0, 1, 2, 3, 3, 3, 4])
    })

    t.test('the share of failures is counted over all processes', async (t) => {
      const { here, there } = await start(t)
      const byRatio = settings({ ratio: { threshold: 0.5, windowMs: 10_000, minimumCalls: 4 } })
      const settle = async (store: HealthStore, verdict: 'charge' | 'success') =>
        (await store.settle(key, ticketOf(await store.admit(key, byRatio)), verdict, byRatio)).state
      t.strictSame(
        [await settle(here, 'charge'), await settle(there, 'success'), await settle(here, 'success'), await settle(there, 'charge')],
        ['closed', 'closed', 'closed', 'open'],
      )
    })

    t.test('a rest is known everywhere until it ends; a longer one stays', async (t) => {
      const { here, there, elapse } = await start(t)
      t.equal(await there.restOf('leg'), undefined)
      await here.rest('leg', { leftMs: 800, afterRateLimit: true })
      await there.rest('leg', { leftMs: 100, afterRateLimit: false })
      const rest = await there.restOf('leg')
      t.equal(rest?.afterRateLimit, true)
      t.ok(rest !== undefined && rest.leftMs > 500 && rest.leftMs <= 800)
      t.equal(await here.restOf('another'), undefined)
      await elapse(800)
      t.equal(await here.restOf('leg'), undefined)
    })
  })
}
