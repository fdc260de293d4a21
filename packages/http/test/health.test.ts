import type { CustomLeg, FallbackEvent } from '@understudy/core'
import { createMemoryStore, failureOf, LegFailedError } from '@understudy/core'
import type { HealthStore } from '@understudy/core'
import type { FallbackOptions, RoutesInput } from '@understudy/config'
import t from 'tap'
import type { Test } from 'tap'

import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { EPOCH, fallbackOf, MESSAGES, post } from './kit.js'

type Failure = ReturnType<typeof failureOf>

/** A leg that fails as it is told to, and answers when it is told nothing. */
function legOf(name: string): { readonly leg: CustomLeg; failure: Failure | undefined; calls: number } {
  const told: ReturnType<typeof legOf> = {
    failure: undefined,
    calls: 0,
    leg: {
      name,
      async *open() {
        told.calls += 1
        if (told.failure !== undefined) throw new LegFailedError(told.failure)
        yield `from ${name}`
      },
    },
  }
  return told
}

const broken = failureOf('server_error', { status: 500 })

function stage(t: Test, routes: (legs: ReturnType<typeof legsOf>) => RoutesInput, options: FallbackOptions = {}) {
  const clock = createFakeClock()
  const legs = legsOf()
  const lines: string[] = []
  const line = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void lines.push(`${level} ${String(fields.code ?? '-')} ${message}`)
  const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const ground = { clock, random: () => 0.5, wallClock: () => EPOCH + clock.now() }
  const fallback = fallbackOf(t, routes(legs), { logger, ...options }, ground)
  const events: FallbackEvent[] = []
  fallback.on((event) => events.push(event))
  return { clock, legs, lines, fallback, events, ask }

  /** Status, code and trail, short. */
  async function ask(body: object = {}) {
    const response = await fallback.handle(post({ messages: MESSAGES, ...body }))
    const text = Buffer.from(response.body instanceof Uint8Array ? response.body : []).toString()
    const code: unknown = response.status === 200 ? undefined : JSON.parse(text).error.code
    const trail = String(response.headers['understudy-trail'] ?? '').replace(/;ms=\d+/g, '').replace(/"(\w)\/\w"/g, '$1')
    return { status: response.status, code, trail, headers: response.headers }
  }
}

function legsOf() {
  return { a: legOf('a'), b: legOf('b') }
}

const heard = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
const both: Parameters<typeof stage>[1] = ({ a, b }) => ({ chat: [a.leg, b.leg] })

t.test('a provider that keeps failing is left out, probed in its place, and comes back', async (t) => {
  const { ask, clock, legs, lines, fallback, events } = stage(t, both)
  legs.a.failure = broken
  for (let request = 0; request < 3; request += 1) await ask()
  t.equal((await ask()).trail, 'a;outcome=skipped;reason=circuit_open, b;outcome=served')
  t.equal(legs.a.calls, 3)
  t.strictSame(fallback.snapshot().breakers, [
    { provider: 'a', state: 'open', failures: 3, lastVerdict: 'charge', openUntil: EPOCH + 60_000 },
    { provider: 'b', state: 'closed', failures: 0, lastVerdict: 'success' },
  ])
  legs.a.failure = undefined
  await clock.advance(60_000)
  t.strictSame([(await ask()).trail, (await ask()).trail], ['a;outcome=served', 'a;outcome=served'])
  await heard()
  t.strictSame(events.map(({ type }) => type).filter((type) => type.startsWith('breaker')), ['breaker-open', 'breaker-half-open', 'breaker-closed'])
  t.strictSame(lines.filter((line) => line.includes('provider')), [
    "warn UNDERSTUDY_BREAKER_OPEN provider 'a' keeps failing (server_error, 500) and is left out",
    "debug - provider 'a' is probed",
    "info - provider 'a' answers again",
  ])
})

t.test('the warning of a provider that is left out says how it failed last', async (t) => {
  const told = async (...failures: readonly Failure[]) => {
    const { ask, legs, lines, events } = stage(t, both, { breaker: { failureThreshold: failures.length } })
    for (const failure of failures) {
      legs.a.failure = failure
      await ask()
    }
    await heard()
    const [event] = events.filter(({ type }) => type === 'breaker-open')
    return [lines.filter((line) => line.includes('BREAKER_OPEN')), event?.type === 'breaker-open' && [event.kind, event.status]]
  }
  const line = (how: string) => [`warn UNDERSTUDY_BREAKER_OPEN provider 'a' keeps failing (${how}) and is left out`]
  const refused = failureOf('auth_error', { status: 401, providerMessage: 'secret-words' })
  t.strictSame(await told(broken, refused), [line('auth_error, 401'), ['auth_error', 401]])
  t.strictSame(await told(refused, failureOf('timeout', { phase: 'connect' })), [line('timeout'), ['timeout', undefined]])
})

t.test('with every leg out the client is told when to come back', async (t) => {
  const { ask, legs } = stage(t, both, { breaker: { failureThreshold: 1, recoveryMs: 9_500 } })
  legs.a.failure = legs.b.failure = broken
  await ask()
  const { status, code, headers, trail } = await ask()
  t.strictSame([status, code, headers['retry-after'], headers['cache-control']], [503, 'no_leg_available', '10', 'no-store'])
  t.equal(trail, 'a;outcome=skipped;reason=circuit_open, b;outcome=skipped;reason=circuit_open')
})

t.test('a wait that a client would take for a hang is not slept through by its SDK', async (t) => {
  const told = async (seconds: number, options: FallbackOptions, failure: Failure) => {
    const { ask, legs } = stage(t, both, { breaker: { failureThreshold: 1, recoveryMs: seconds * 1000, jitter: 0 }, ...options })
    legs.a.failure = legs.b.failure = failure
    const first = await ask()
    const { status, headers } = await ask()
    return [first.headers['x-should-retry'], status, headers['retry-after'], headers['x-should-retry']]
  }
  const limited = (seconds: number): Failure => failureOf('rate_limit', { status: 429, retryAfterMs: seconds * 1000 })
  t.strictSame(await told(6, {}, broken), ['false', 503, '6', 'false'])
  t.strictSame(await told(5, {}, broken), ['false', 503, '5', undefined], 'a short wait is worth it')
  t.strictSame(await told(6, { whenOpen: 'stop' }, broken), ['false', 503, '6', 'false'])
  t.strictSame(await told(6, {}, limited(6)), ['false', 429, '6', 'false'], 'all rate limits, and all at rest after them')
  t.strictSame(await told(6, {}, limited(5)), [undefined, 429, '5', undefined])
  t.strictSame(await told(6, { clientRetries: true }, broken), [undefined, 503, '6', undefined])
})

t.test('with every leg resting after a 429 it is a 429', async (t) => {
  for (const [exhaustedStatus, wanted] of [['by_cause', 429], ['429_or_502', 429], ['502', 502]] as const) {
    const { ask, legs, fallback } = stage(t, both, { exhaustedStatus })
    legs.a.failure = failureOf('rate_limit', { status: 429, retryAfterMs: 30_000 })
    legs.b.failure = failureOf('rate_limit', { status: 429, retryAfterMs: 4_000 })
    await ask()
    const { status, headers } = await ask()
    t.strictSame([status, headers['retry-after']], [wanted, wanted === 429 ? '4' : undefined])
    t.strictSame(fallback.snapshot().cooldowns, [
      { provider: 'a', model: 'a', until: EPOCH + 30_000 },
      { provider: 'b', model: 'b', until: EPOCH + 4_000 },
    ])
  }
})

t.test('an open breaker stops the chain, or does not matter, where that is asked for', async (t) => {
  const stopping = stage(t, both, { breaker: { failureThreshold: 1 }, whenOpen: 'stop' })
  stopping.legs.a.failure = broken
  await stopping.ask()
  const { status, code, headers } = await stopping.ask()
  t.strictSame([status, code, headers['retry-after']], [503, 'circuit_open', '60'])

  const trying = stage(t, ({ a }) => ({ chat: [a.leg] }), { breaker: { failureThreshold: 1 }, whenAllOpen: 'try' })
  trying.legs.a.failure = broken
  await trying.ask()
  trying.legs.a.failure = undefined
  t.equal((await trying.ask()).status, 200)
})

t.test('without breaker and cooldown every request asks every leg', async (t) => {
  const { ask, legs, fallback } = stage(t, both, { breaker: false, cooldown: false })
  for (const failure of [broken, failureOf('rate_limit', { retryAfterMs: 9_000 })]) {
    legs.a.failure = failure
    for (let request = 0; request < 4; request += 1) t.equal((await ask()).status, 200)
  }
  t.strictSame([legs.a.calls, fallback.snapshot().breakers, fallback.snapshot().cooldowns], [8, [], []])
})

t.test('a leg that looks misspelt is told of once, and marked until it answers otherwise', async (t) => {
  const { ask, clock, legs, lines, fallback, events } = stage(t, both)
  const marks = () => fallback.snapshot().routes[0]?.legs.map(({ misconfigured }) => misconfigured)
  legs.a.failure = failureOf('not_found', { status: 404 })
  await clock.advance(5)
  for (let request = 0; request < 5; request += 1) await ask()
  await heard()
  t.strictSame(marks(), [true, undefined])
  t.strictSame(events.filter(({ type }) => type === 'leg-misconfigured'), [
    { type: 'leg-misconfigured', provider: 'a', model: 'a', kind: 'not_found', at: EPOCH + 5 },
  ])
  t.strictSame(lines.filter((line) => line.startsWith('warn')), [
    "warn UNDERSTUDY_LEG_MISCONFIGURED leg 'a/a' ended its last 3 attempts in not_found while another leg served: "
      + 'check its model, credentials and settings',
  ])
  legs.a.failure = undefined
  await ask()
  t.strictSame(fallback.snapshot().routes[0]?.legs, [
    { provider: 'a', model: 'a', lastServedAt: EPOCH + 5 },
    { provider: 'b', model: 'b', lastServedAt: EPOCH + 5 },
  ])
})

t.test('faults that no other leg makes good are the requests\' own', async (t) => {
  const { ask, legs, fallback, lines } = stage(t, both)
  legs.a.failure = legs.b.failure = failureOf('not_found', { status: 404 })
  for (let request = 0; request < 4; request += 1) await ask()
  t.match(fallback.snapshot().routes, [{ legs: [{ lastServedAt: undefined, misconfigured: undefined }, {}] }])
  t.strictSame(lines.filter((line) => line.startsWith('warn')), [])
})

t.test('the cheaper leg first: by its price, by the host\'s hints, and as before where neither helps', async (t) => {
  const served = async (options: FallbackOptions, price?: number) => {
    const { ask, lines } = stage(t, ({ a, b }) => ({ chat: [a.leg, { ...b.leg, price }] }), { order: 'cost', ...options })
    const first = await ask()
    await ask()
    return [first.trail.slice(0, 1), lines.filter((line) => line.startsWith('warn')).map((line) => line.split(' ')[1])]
  }
  t.strictSame(await served({}, 1), ['b', []])
  t.strictSame(await served({ priceHints: () => ({ 'a/a': 3, 'b/b': 2 }) }), ['b', []])
  t.strictSame(await served({}), ['a', ['UNDERSTUDY_ORDER']])
  const fails = () => {
    throw new Error('CANARY')
  }
  t.strictSame(await served({ priceHints: fails }, 1), ['b', ['UNDERSTUDY_PRICE_HINTS']])
  t.strictSame(await served({ priceHints: fails, order: 'configured' }, 1), ['a', []])
})

type Mood = 'well' | 'deaf' | 'rejects' | 'throws' | 'lies'

/** A store whose moods change, with the memory of another process in it. */
function moody() {
  const told = { mood: 'well' as Mood, calls: 0 }
  const memory = createMemoryStore({ now: () => 0, random: () => 0.5 })
  const through = <Said>(call: () => Promise<Said>): Promise<Said> => {
    told.calls += 1
    switch (told.mood) {
      case 'well':
        return call()
      case 'deaf':
        return new Promise(() => undefined)
      case 'rejects':
        return Promise.reject(new Error('down'))
      case 'throws':
        throw new Error('down at once')
      case 'lies':
        return Promise.resolve({ state: 'open', episode: 1e99, failures: 'many', dueInMs: Infinity, admission: { admitted: false } } as never)
    }
  }
  const store: HealthStore = {
    read: (key) => through(() => memory.read(key)),
    admit: (key, settings) => through(() => memory.admit(key, settings)),
    settle: (key, ticket, verdict, settings) => through(() => memory.settle(key, ticket, verdict, settings)),
    rest: (key, rest) => through(() => memory.rest(key, rest)),
    restOf: (key) => through(() => memory.restOf(key)),
  }
  return { told, store }
}

t.test('two fallbacks with one store share breakers and rests', async (t) => {
  const { store } = moody()
  const [here, there] = [stage(t, both, { health: { store } }), stage(t, both, { health: { store } })]
  t.strictSame([(await here.ask()).trail, (await there.ask()).trail], ['a;outcome=served', 'a;outcome=served'])
  here.legs.a.failure = broken
  for (let request = 0; request < 3; request += 1) await here.ask()
  await there.clock.advance(1_000)
  // The first one has it read, and does not wait for that.
  await there.ask()
  t.equal((await there.ask()).trail, 'a;outcome=skipped;reason=circuit_open, b;outcome=served')
  t.match(there.fallback.snapshot().breakers, [{ provider: 'a', state: 'open', failures: 3 }, { provider: 'b', state: 'closed' }])
  here.legs.b.failure = failureOf('rate_limit', { status: 429, retryAfterMs: 30_000 })
  await here.ask()
  await there.clock.advance(1_000)
  await there.ask()
  t.match(there.fallback.snapshot().cooldowns, [{ provider: 'b', model: 'b' }])
})

t.test('a store that is deaf, down or lies fails and delays no request; local state takes over, with one warning', async (t) => {
  for (const mood of ['deaf', 'rejects', 'throws', 'lies'] as const) {
    const { store, told } = moody()
    told.mood = mood
    const { ask, clock, legs, lines } = stage(t, both, { health: { store }, breaker: { jitter: 0 } })
    legs.a.failure = broken
    for (let request = 0; request < 4; request += 1) {
      // No time passes: nobody waits.
      t.equal((await ask()).status, 200, mood)
    }
    await clock.advance(1_000)
    t.equal((await ask()).trail, 'a;outcome=skipped;reason=circuit_open, b;outcome=served', mood)
    const warnings = lines.filter((line) => line.includes('HEALTH_STORE'))
    const words = mood === 'deaf' ? 'takes too long' : 'failed, or said what cannot be'
    t.strictSame(warnings, [`warn UNDERSTUDY_HEALTH_STORE the health store ${words}; this process goes by what it knows itself`])

    legs.a.failure = undefined
    await clock.advance(60_000)
    const probing = ask()
    await clock.advance(25)
    t.equal((await probing).trail, 'a;outcome=served', `${mood}: the probe waits for 25 ms at most`)

    told.mood = 'well'
    await clock.advance(6_000)
    await ask()
    await heard()
    t.ok(lines.includes('info - the health store answers again'), mood)
    t.equal(lines.filter((line) => line.includes('HEALTH_STORE')).length, 1)
  }
})

t.test('closed, a fallback asks its store nothing more', async (t) => {
  const { store, told } = moody()
  const { ask, fallback, clock } = stage(t, both, { health: { store } })
  await ask()
  told.mood = 'deaf'
  await ask()
  const closing = fallback.close()
  await clock.advance(1_000)
  await closing
  const { calls } = told
  t.equal((await ask()).status, 503)
  t.strictSame([told.calls, clock.pending], [calls, 0])
})
