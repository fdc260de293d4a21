import { failureOf } from '@understudy/core'
import t from 'tap'
import type { FakeClock } from '../../../../test/kit/fake-clock.js'
import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import type { BreakerEvent } from '../../src/breaker/breaker-events.js'
import type { HealthOptions } from '../../src/breaker/health-options.js'
import type { HealthStore } from '../../src/breaker/health-store.js'
import { createMemoryStore } from '../../src/breaker/memory-store.js'
import { createHealthRegistry } from '../../src/breaker/registry.js'
import type { LegAdmission, RunHealth } from '../../src/breaker/run-health.js'

const leg = { provider: 'a', model: 'one' }
const broken = failureOf('server_error')

/** A store whose calls are noted, and which may be made slow, deaf or broken. */
function troubled(clock: FakeClock) {
  const calls: string[] = []
  const memory = createMemoryStore({ now: () => clock.now(), random: () => 0.5 })
  let mood: 'well' | 'rejects' | 'throws' | 'deaf' | number = 'well'
  async function through<Said>(name: string, call: () => Promise<Said>): Promise<Said> {
    calls.push(name)
    if (mood === 'rejects') throw new Error('down')
    if (mood === 'deaf') return new Promise(() => undefined)
    const waitMs = mood
    const said = await call()
    if (typeof waitMs === 'number') await new Promise<void>((resolve) => void clock.schedule(waitMs, resolve))
    return said
  }
  const store: HealthStore = {
    read: (key) => through('read', () => memory.read(key)),
    admit(key, settings) {
      if (mood === 'throws') throw new Error('down at once')
      return through('admit', () => memory.admit(key, settings))
    },
    settle: (key, ticket, verdict, settings) => through(`settle ${verdict}`, () => memory.settle(key, ticket, verdict, settings)),
    rest: (key, rest) => through('rest', () => memory.rest(key, rest)),
    restOf: (key) => through('restOf', () => memory.restOf(key)),
  }
  return { store, memory, calls, become: (next: typeof mood): void => void (mood = next) }
}

function start(options: Partial<HealthOptions> = {}) {
  const clock = createFakeClock(5_000)
  const trouble = troubled(clock)
  const warnings: string[] = []
  const make = (on?: HealthOptions['on']) =>
    createHealthRegistry({
      clock, random: () => 0.5, store: trouble.store, warn: (problem) => void warnings.push(problem), on, ...options,
    })
  return { clock, ...trouble, warnings, make, here: make(), there: make() }
}

type Registry = ReturnType<typeof start>['here']

async function attempt(registry: Registry, failure = undefined as typeof broken | undefined): Promise<void> {
  const admission = await registry.forRun().admit(leg)
  if (!admission.admitted) throw new Error(admission.reason)
  admission.settle(failure)
}

async function opened(options?: Partial<HealthOptions>) {
  const it = start(options)
  for (let index = 0; index < 3; index += 1) await attempt(it.here, broken)
  await it.clock.advance(0)
  return it
}

async function due(options?: Partial<HealthOptions>) {
  const it = await opened(options)
  await attemptRefused(it.there)
  await it.clock.advance(60_000)
  return it
}

/** Has the other process learn that the breaker is open: its first request reads it in the background. */
async function attemptRefused(registry: Registry): Promise<void> {
  registry.peek(leg)
  // The background read has to be made for a breaker that is there.
  await attempt(registry, failureOf('aborted'))
}

const isPromise = (value: LegAdmission | Promise<LegAdmission>): boolean => 'then' in value

t.test('a process that starts beside a store with a history announces no recovery that it never saw', async (t) => {
  const events: BreakerEvent[] = []
  const { clock, here, there, make } = start({ breaker: { failureThreshold: 1, recoveryMs: 1_000, jitter: 0, successThreshold: 1 } })
  await attempt(here, broken)
  await clock.advance(1_000)
  await attempt(here)
  const late = make((event) => void events.push(event))
  for (const registry of [late, there, late]) {
    await attempt(registry)
    await clock.advance(1_000)
  }
  t.strictSame(events.map(({ type }) => type), [])
  await attempt(here, broken)
  await clock.advance(1)
  await late.forRun().admit(leg)
  await clock.advance(5_000)
  await attempt(late).catch(() => undefined)
  t.equal(events[0]?.type, 'breaker-open', 'what happens from then on is told')
})

t.test('two processes count one row of failures', async (t) => {
  const { here, there, clock } = start()
  await attempt(here, broken)
  await attempt(there, broken)
  await attempt(here, broken)
  await clock.advance(0)
  t.equal(here.peek(leg).tier, 'out')
  await clock.advance(1_000)
  there.peek(leg)
  await clock.advance(0)
  t.equal(there.peek(leg).tier, 'out', 'the other learns of it within the time of a refresh')
})

t.test('a process says why a provider is left out only where it saw that itself', async (t) => {
  const events: BreakerEvent[] = []
  const { here, there, clock } = start({ on: (event) => events.push(event) })
  await attempt(there, failureOf('auth_error', { status: 401 }))
  await attempt(there, undefined)
  for (let index = 0; index < 3; index += 1) await attempt(here, broken)
  await clock.advance(1_000)
  there.peek(leg)
  await clock.advance(0)
  const opened = events.filter((event) => event.type === 'breaker-open')
  t.match(opened, [{ kind: broken.kind }, { kind: undefined, status: undefined }])
  t.equal(opened.length, 2)
})

t.test('a request waits for the store only if it would be the probe', async (t) => {
  const { here, there, clock, calls } = start()
  t.equal(isPromise(here.forRun().admit(leg)), false)
  for (let index = 0; index < 3; index += 1) await attempt(here, broken)
  await clock.advance(0)
  t.equal(isPromise(here.forRun().admit(leg)), false)
  await clock.advance(60_000)
  there.peek(leg)
  calls.length = 0
  const probe = here.forRun().admit(leg)
  t.equal(isPromise(probe), true)
  t.equal((await probe).admitted, true)
  t.ok(calls.includes('admit'))
  t.equal(isPromise(here.forRun().admit(leg)), false)
})

t.test('of two processes one has the probe, and both close with it', async (t) => {
  const { here, there, clock } = await due()
  const [one, other] = await Promise.all([here.forRun().admit(leg), there.forRun().admit(leg)])
  t.strictSame([one.admitted, other.admitted], [true, false])
  if (one.admitted) one.settle(undefined)
  await clock.advance(1_000)
  there.peek(leg)
  await clock.advance(0)
  await attempt(there)
  await clock.advance(1_000)
  here.peek(leg)
  await clock.advance(0)
  t.strictSame([here.peek(leg).tier, there.peek(leg).tier], ['closed', 'closed'])
})

for (const mood of ['rejects', 'throws', 'deaf', 60_000] as const) {
  t.test(`a store that is ${mood === 60_000 ? 'slow' : mood} stops no probe, and holds it for 25 ms at most`, async (t) => {
    const { here, clock, become, warnings, calls } = await due()
    become(mood)
    const asked: { admission?: LegAdmission } = {}
    const asking = Promise.resolve(here.forRun().admit(leg)).then((admission) => void (asked.admission = admission))
    await clock.advance(mood === 'rejects' || mood === 'throws' ? 0 : 25)
    t.match(asked.admission, { admitted: true, probe: true })
    await asking
    t.equal(warnings.length, 1)
    if (asked.admission?.admitted) asked.admission.settle(undefined)
    calls.length = 0
    const health: RunHealth = here.forRun()
    const next = health.admit(leg)
    t.equal(isPromise(next), false, 'and then it is left alone')
    if (!isPromise(next)) (next as LegAdmission & { settle: (failure: undefined) => void }).settle(undefined)
    t.equal(here.peek(leg).tier, 'closed', 'local state took over')
    t.strictSame(calls, [])
    await clock.drain()
    t.equal(clock.pending, 0)
  })
}

t.test('results that the store did not take count here', async (t) => {
  const { here, clock, become, warnings } = start()
  await attempt(here)
  await clock.advance(0)
  become('rejects')
  for (let index = 0; index < 3; index += 1) await attempt(here, broken)
  await clock.advance(0)
  t.strictSame([here.peek(leg).tier, warnings], ['out', ['failed']])
})

t.test('results that a deaf store never takes count here after a second', async (t) => {
  const { here, clock, become, warnings } = start()
  await attempt(here)
  await clock.advance(0)
  become('deaf')
  for (let index = 0; index < 3; index += 1) await attempt(here, broken)
  t.equal(here.peek(leg).tier, 'closed')
  await clock.advance(1_000)
  t.strictSame([here.peek(leg).tier, warnings], ['out', ['slow']])
})

t.test('a store that comes back is asked again, and its word counts', async (t) => {
  const { here, clock, become, memory } = start()
  become('rejects')
  for (let index = 0; index < 3; index += 1) await attempt(here, broken)
  await clock.advance(0)
  t.equal(here.peek(leg).tier, 'out')
  become('well')
  await clock.advance(5_000)
  here.peek(leg)
  await clock.advance(0)
  t.equal(here.peek(leg).tier, 'closed')
  t.match(await memory.read('a\n'), { state: 'closed' })
})

t.test('warns once an outage, and not more often than every ten minutes', async (t) => {
  const { here, clock, become, warnings } = start()
  become('rejects')
  async function rounds(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      here.peek(leg)
      await attempt(here)
      await clock.advance(10_000)
    }
  }
  await rounds(60)
  t.strictSame(warnings, ['failed'])
  await rounds(2)
  t.strictSame(warnings, ['failed', 'failed'])
})

t.test('a slot that the store gave too late is given back', async (t) => {
  const { here, clock, become, calls, memory } = await due()
  become(40)
  const asking = here.forRun().admit(leg)
  await clock.advance(25)
  t.equal((await asking).admitted, true)
  become('well')
  await clock.advance(15)
  t.equal(calls.at(-1), 'settle neutral')
  t.match(await memory.read('a\n'), { state: 'half-open', probe: undefined })
})

t.test('an older answer does not undo what a newer one said', async (t) => {
  const { here, clock, become } = start()
  await attempt(here)
  await clock.advance(1_000)
  become(300)
  here.peek(leg)
  become('well')
  for (let index = 0; index < 3; index += 1) await attempt(here, broken)
  await clock.advance(0)
  t.equal(here.peek(leg).tier, 'out')
  await clock.advance(300)
  t.equal(here.peek(leg).tier, 'out')
})

t.test('reads what it knows again after a second, and not at every look', async (t) => {
  const { here, clock, calls } = start({ cooldown: false })
  await attempt(here)
  await clock.advance(0)
  calls.length = 0
  for (let index = 0; index < 20; index += 1) here.peek(leg)
  await clock.advance(999)
  here.peek(leg)
  t.strictSame(calls, [])
  await clock.advance(1)
  here.peek(leg)
  here.peek(leg)
  await clock.advance(0)
  t.strictSame(calls, ['read'])
  await clock.advance(500)
  await attempt(here)
  await clock.advance(999)
  here.peek(leg)
  t.strictSame(calls, ['read', 'settle success'], 'the answer to a verdict is as good as a read')
})

t.test('the first request has the store read, and does not wait for it', async (t) => {
  const { here, there, clock, calls } = start({ cooldown: false })
  for (let index = 0; index < 3; index += 1) await attempt(here, broken)
  await clock.advance(0)
  calls.length = 0
  t.equal(isPromise(there.forRun().admit(leg)), false)
  t.strictSame(calls, ['read'])
  await clock.advance(0)
  t.equal(there.peek(leg).tier, 'out')
})

t.test('the rest of a leg is read every second at most, and not while the store is left alone', async (t) => {
  const { here, clock, calls, become } = start({ breaker: false })
  for (let index = 0; index < 3; index += 1) here.peek(leg)
  here.peek({ ...leg, model: 'two' })
  t.strictSame(calls, ['restOf', 'restOf'])
  await clock.advance(1_000)
  become('rejects')
  here.peek(leg)
  await clock.advance(1_000)
  here.peek(leg)
  await attempt(here, failureOf('rate_limit'))
  t.strictSame(calls, ['restOf', 'restOf', 'restOf'])
})

t.test('a rest is shared, in the background', async (t) => {
  const { here, there, clock, become } = start()
  await attempt(here, failureOf('rate_limit', { retryAfterMs: 30_000 }))
  await clock.advance(0)
  t.equal(there.peek(leg).tier, 'closed')
  await clock.advance(0)
  t.match(there.peek(leg), { tier: 'out', reason: 'cooldown', retryAfterMs: 30_000, afterRateLimit: true })
  become('rejects')
  await attempt(here, failureOf('server_error')).catch(() => undefined)
  await clock.advance(30_000)
  t.equal(there.peek(leg).tier, 'closed')
})

t.test('a provider that became another is another to the store too', async (t) => {
  const { here, memory, clock } = start({ providers: { a: { fingerprint: 'one' } } })
  await attempt(here, broken)
  here.reload({ providers: { a: { fingerprint: 'two' } } })
  await attempt(here, broken)
  await clock.advance(0)
  t.match([await memory.read('a\none'), await memory.read('a\ntwo')], [{ failures: 1 }, { failures: 1 }])
})
