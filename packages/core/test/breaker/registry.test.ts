import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import type { BreakerEvent } from '../../src/breaker/breaker-events.js'
import type { HealthOptions } from '../../src/breaker/health-options.js'
import { createHealthRegistry } from '../../src/breaker/registry.js'
import type { AdmitOptions, LegAdmission, Permit, RunHealth } from '../../src/breaker/run-health.js'

const EPOCH = 1_800_000_000_000
const a = { provider: 'a', model: 'one' }
const b = { provider: 'b', model: 'one' }

function start(options: Partial<HealthOptions> = {}) {
  const clock = createFakeClock(5_000)
  const events: BreakerEvent[] = []
  const registry = createHealthRegistry({
    clock,
    random: () => 0.5,
    epoch: () => EPOCH + clock.now() - 5_000,
    on: (event) => void events.push(event),
    ...options,
  })
  /** Each in a run of its own. */
  function end(leg: typeof a, ...failures: readonly (Failure | undefined)[]): void {
    for (const failure of failures) permit(registry.forRun(), leg).settle(failure)
  }
  const open = (leg: typeof a): void => end(leg, broken, broken, broken)
  return { clock, events, registry, end, open, run: registry.forRun, peek: registry.peek, snapshot: registry.snapshot }
}

const broken = failureOf('server_error', { status: 500 })
const limited = (retryAfterMs?: number): Failure => failureOf('rate_limit', { status: 429, retryAfterMs })

function admit(run: RunHealth, leg: typeof a, options?: AdmitOptions): LegAdmission {
  const admission = run.admit(leg, options)
  if ('then' in admission) throw new Error('a promise without a store')
  return admission
}

function permit(run: RunHealth, leg: typeof a, options?: AdmitOptions): Permit {
  const admission = admit(run, leg, options)
  if (!admission.admitted) throw new Error(admission.reason)
  return admission
}

t.test('a provider has one breaker, whatever its legs; another has another', async (t) => {
  const { end, peek } = start()
  end(a, broken, broken)
  end({ ...a, model: 'two' }, broken)
  t.strictSame(peek({ ...a, model: 'three' }), {
    tier: 'out', admitted: false, reason: 'circuit_open', retryAfterMs: 60_000, afterRateLimit: false,
  })
  t.strictSame(peek(b), { tier: 'closed', probeTurn: false })
})

t.test('a region has its own', async (t) => {
  const { open, peek } = start()
  open({ ...a, region: 'eu' } as typeof a)
  t.strictSame([peek({ ...a, region: 'eu' }).tier, peek({ ...a, region: 'us' }).tier, peek(a).tier], ['out', 'closed', 'closed'])
})

t.test('a run charges a provider once, however many of its legs fail', async (t) => {
  const { run, snapshot, peek } = start()
  const two = { ...a, model: 'two' }
  for (const failures of [1, 2]) {
    const health = run()
    t.equal(permit(health, a).settle(broken), 'charge')
    t.equal(permit(health, two).settle(broken), 'charge')
    t.equal(permit(health, b).settle(broken), 'charge')
    t.strictSame(snapshot().breakers.map((breaker) => breaker.failures), [failures, failures])
  }
  t.equal(peek(a).tier, 'closed')
})

t.test('a run that charged a provider still opens it again with a failed probe', async (t) => {
  const { run, end, clock, peek } = start()
  const health = run()
  permit(health, a).settle(broken)
  end(a, broken, broken)
  await clock.advance(60_000)
  const probe = permit(health, a)
  t.equal(probe.probe, true)
  probe.settle(broken)
  t.match(peek(a), { tier: 'out', retryAfterMs: 60_000 })
})

t.test('only the first end of an attempt counts', async (t) => {
  const { run, snapshot } = start()
  const attempt = permit(run(), a)
  t.strictSame([attempt.settle(undefined), attempt.settle(broken)], ['success', 'success'])
  t.match(snapshot().breakers, [{ failures: 0, lastVerdict: 'success' }])
})

t.test('an open breaker refuses, with the time that is left', async (t) => {
  const { run, open, clock } = start()
  open(a)
  await clock.advance(10_000)
  t.strictSame(admit(run(), a), { admitted: false, reason: 'circuit_open', retryAfterMs: 50_000, afterRateLimit: false })
})

t.test('fifty requests in one tick: one probe, and the next is let in when it went well', async (t) => {
  const { run, open, clock, peek } = start({ breaker: { successThreshold: 1 } })
  open(a)
  await clock.advance(60_000)
  const admissions = Array.from({ length: 50 }, () => admit(run(), a))
  const [probe, ...rest] = admissions
  t.strictSame([probe?.admitted, rest.filter(({ admitted }) => admitted).length], [true, 0])
  if (probe?.admitted) probe.settle(undefined)
  t.equal(peek(a).tier, 'closed')
})

t.test('the client\'s leaving and our own refusals say nothing, and free the slot', async (t) => {
  const { run, open, clock, snapshot } = start()
  open(a)
  await clock.advance(60_000)
  for (const kind of ['aborted', 'refused', 'invalid_request'] as const) {
    const probe = permit(run(), a)
    t.equal(probe.probe, true, kind)
    t.equal(probe.settle(failureOf(kind)), 'neutral')
    t.match(snapshot().breakers, [{ state: 'half-open', lastVerdict: kind === 'invalid_request' ? 'neutral' : 'charge' }])
  }
})

t.test('twenty bad requests and twenty clients who leave close nothing', async (t) => {
  const { end, peek } = start()
  for (const kind of ['invalid_request', 'content_filter', 'context_length', 'not_found', 'aborted'] as const) {
    end(a, ...Array.from({ length: 20 }, () => failureOf(kind)))
  }
  t.equal(peek(a).tier, 'closed')
})

t.test('a 429 rests its leg and not its provider', async (t) => {
  const { end, run, peek, clock, snapshot } = start()
  end(a, limited(2_000))
  t.strictSame(admit(run(), a), { admitted: false, reason: 'cooldown', retryAfterMs: 2_000, afterRateLimit: true })
  t.strictSame(peek(a), { tier: 'out', admitted: false, reason: 'cooldown', retryAfterMs: 2_000, afterRateLimit: true })
  t.equal(peek({ ...a, model: 'two' }).tier, 'closed')
  t.match(snapshot().breakers, [{ state: 'closed', failures: 0, lastVerdict: 'cooldown' }])
  await clock.advance(2_000)
  t.equal(admit(run(), a).admitted, true)
})

t.test('a 503 with a Retry-After charges and rests', async (t) => {
  const { end, peek, clock, snapshot } = start()
  end(a, failureOf('server_error', { status: 503, retryAfterMs: 250 }))
  t.match(peek(a), { tier: 'out', reason: 'cooldown', retryAfterMs: 250, afterRateLimit: false })
  t.match(snapshot().breakers, [{ failures: 1 }])
  await clock.advance(250)
  t.equal(peek(a).tier, 'closed')
})

t.test('the retry of a leg is not kept by the rest that it waited out, but by a breaker', async (t) => {
  const { run, open } = start()
  const health = run()
  permit(health, a).settle(limited(2_000))
  t.equal(health.refusesRetry(a), false)
  t.equal(admit(health, a, { retried: true }).admitted, true)
  open({ ...a, model: 'two' })
  t.equal(health.refusesRetry(a), true)
  t.match(admit(health, a, { retried: true }), { admitted: false, reason: 'circuit_open' })
})

t.test('a leg that is out twice over waits for the later end', async (t) => {
  const { end, open, peek } = start()
  end(a, limited(90_000))
  open({ ...a, model: 'two' })
  t.match(peek(a), { reason: 'circuit_open', retryAfterMs: 90_000, afterRateLimit: false })
})

t.test('a leg that rests takes no slot of its provider', async (t) => {
  const { end, open, clock, run, peek } = start()
  end(a, limited(90_000))
  open({ ...a, model: 'two' })
  await clock.advance(60_000)
  t.match(admit(run(), a), { admitted: false, reason: 'cooldown' })
  t.equal(peek({ ...a, model: 'two' }).tier, 'due')
})

t.test('what is forced is let in, and moves no breaker', async (t) => {
  const { run, open, end, snapshot } = start()
  open(a)
  const forced = permit(run(), a, { force: true })
  t.equal(forced.probe, false)
  forced.settle(undefined)
  t.match(snapshot().breakers, [{ state: 'open', failures: 3 }])
  end(b, limited(9_000))
  permit(run(), b, { force: true }).settle(undefined)
})

t.test('what is forced when it is due is the probe', async (t) => {
  const { run, open, clock } = start()
  open(a)
  await clock.advance(60_000)
  t.equal(permit(run(), a, { force: true }).probe, true)
})

t.test('without a breaker, or a cooldown, nobody is kept out', async (t) => {
  const { end, run, peek, snapshot } = start({ breaker: false, cooldown: false })
  end(a, broken, broken, broken, limited(9_000))
  t.equal(permit(run(), a).settle(broken), 'charge')
  t.strictSame([admit(run(), a).admitted, peek(a).tier], [true, 'closed'])
  t.equal(run().refusesRetry(a), false)
  t.strictSame(snapshot(), { breakers: [], cooldowns: [] })
})

t.test('a provider may have options of its own', async (t) => {
  const { end, peek } = start({ providers: { a: { breaker: { failureThreshold: 1 } }, b: { breaker: false } } })
  end(a, broken)
  end(b, broken, broken, broken)
  t.strictSame([peek(a).tier, peek(b).tier], ['out', 'closed'])
  t.throws(() => start({ providers: { a: { breaker: { recoveryMs: 0 } } } }), {
    message: '`providers.a.breaker.recoveryMs` must be an integer of at least 1; got 0',
  })
})

t.test('which failures count is the provider\'s option', async (t) => {
  const { end, peek } = start({ breaker: { counts: 'sdk' }, cooldown: false })
  end(a, limited(), limited(), limited())
  end(b, failureOf('auth_error'), failureOf('auth_error'), failureOf('auth_error'))
  t.strictSame([peek(a).tier, peek(b).tier], ['out', 'closed'])
})

t.test('tells of each change of state, once', async (t) => {
  const { open, end, clock, events } = start()
  open({ ...a, region: 'eu' } as typeof a)
  await clock.advance(60_000)
  end({ ...a, region: 'eu' } as typeof a, undefined, undefined)
  const told = { provider: 'a', region: 'eu' }
  t.strictSame(events, [
    { type: 'breaker-open', state: 'open', ...told, failures: 3, at: EPOCH, openUntil: EPOCH + 60_000, kind: 'server_error', status: 500 },
    { type: 'breaker-half-open', state: 'half-open', ...told, failures: 3, at: EPOCH + 60_000 },
    { type: 'breaker-closed', state: 'closed', ...told, failures: 0, at: EPOCH + 60_000 },
  ])
})

t.test('says how the provider failed last when it is left out, and nothing of what it said', async (t) => {
  const { end, clock, events } = start({ breaker: { failureThreshold: 2 } })
  const opened = () => events.flatMap((event) => (event.type === 'breaker-open' ? [[event.kind, event.status]] : []))
  end(a, failureOf('timeout', { phase: 'idle' }), failureOf('auth_error', { status: 401, providerMessage: 'secret-words' }))
  t.strictSame(opened(), [['auth_error', 401]])
  await clock.advance(60_000)
  end(a, failureOf('connection_error'))
  t.strictSame(opened(), [['auth_error', 401], ['connection_error', undefined]], 'that of a probe that failed')
  t.notMatch(JSON.stringify(events), 'secret-words')
})

t.test('a listener that throws disturbs nothing', async (t) => {
  const { open, peek } = start({
    on() {
      throw new Error('listener')
    },
  })
  open(a)
  t.equal(peek(a).tier, 'out')
})

t.test('the snapshot shows breakers and rests in the time of the day', async (t) => {
  const { open, end, snapshot, clock } = start()
  open(a)
  end(b, undefined, limited(4_000))
  end({ ...b, region: 'eu' } as typeof b, limited(8_000))
  await clock.advance(1_000)
  t.strictSame(snapshot(), {
    breakers: [
      { provider: 'a', state: 'open', failures: 3, lastVerdict: 'charge', openUntil: EPOCH + 60_000 },
      { provider: 'b', state: 'closed', failures: 0, lastVerdict: 'cooldown' },
      { provider: 'b', region: 'eu', state: 'closed', failures: 0, lastVerdict: 'cooldown' },
    ],
    cooldowns: [
      { provider: 'b', model: 'one', until: EPOCH + 4_000 },
      { provider: 'b', model: 'one', region: 'eu', until: EPOCH + 8_000 },
    ],
  })
})

t.test('a breaker whose first attempt is under way has no last verdict', async (t) => {
  const { run, snapshot } = start()
  permit(run(), a)
  t.strictSame(snapshot(), { breakers: [{ provider: 'a', state: 'closed', failures: 0 }], cooldowns: [] })
})

t.test('a reload keeps what is the same provider, and starts afresh what is not', async (t) => {
  const providers = { a: { fingerprint: '1' }, b: { fingerprint: '1' }, c: { fingerprint: '1' } }
  const c = { provider: 'c', model: 'one' }
  const d = { provider: 'd', model: 'one' }
  const { open, end, registry, peek, snapshot } = start({ providers })
  for (const leg of [a, b, c, d]) open(leg)
  for (const leg of [a, b, c, d]) permit(registry.forRun(), leg, { force: true }).settle(limited(90_000))
  registry.reload({ providers: { a: { fingerprint: '1', breaker: { failureThreshold: 1 } }, b: { fingerprint: '2' } } })
  t.strictSame(snapshot().breakers.map(({ provider, state }) => `${provider} ${state}`), ['a open', 'd open'])
  t.strictSame([a, b, c, d].map((leg) => peek(leg).tier), ['out', 'closed', 'closed', 'out'])
  t.strictSame(snapshot().cooldowns.map(({ provider }) => provider), ['a', 'd'])
  end(b, broken, broken)
  t.equal(peek(b).tier, 'closed')
})

t.test('the end of an attempt that began before a reload does not charge the new provider of that name', async (t) => {
  const { run, registry, snapshot, end } = start({ providers: { a: { fingerprint: '1' } } })
  const attempts = [permit(run(), a), permit(run(), a), permit(run(), a)]
  registry.reload({ providers: { a: { fingerprint: '2' } } })
  end(a, undefined)
  for (const attempt of attempts) attempt.settle(broken)
  t.match(snapshot().breakers, [{ state: 'closed', failures: 0 }])
})

t.test('a reload may change the options of what stays, or take its breaker away', async (t) => {
  const { open, end, registry, peek } = start()
  end(a, undefined)
  registry.reload({ breaker: { failureThreshold: 1, counts: ['timeout'] }, cooldown: false })
  end(a, broken)
  t.equal(peek(a).tier, 'closed')
  end(a, failureOf('timeout'))
  t.equal(peek(a).tier, 'out')
  end(b, limited(9_000))
  t.equal(peek(b).tier, 'closed')
  registry.reload({ breaker: false, cooldown: true })
  end(b, limited(9_000))
  t.equal(peek(b).tier, 'out')
  registry.reload({ breaker: false, cooldown: false })
  registry.reload({ breaker: false })
  t.equal(peek(b).tier, 'closed')
  t.equal(peek(a).tier, 'closed')
  open(a)
  t.equal(peek(a).tier, 'closed')
})

t.test('a reload that is wrong changes nothing', async (t) => {
  const { registry, open, peek, end } = start()
  open(a)
  t.throws(() => registry.reload({ breaker: { jitter: 2 }, cooldown: false }), { name: 'TypeError' })
  end(b, limited(9_000))
  t.strictSame([peek(a).tier, peek(b).tier], ['out', 'out'])
})

t.test('names that every object has are names like any other', async (t) => {
  const { open, peek } = start({ providers: {} })
  const odd = { provider: 'constructor', model: '__proto__' }
  t.equal(peek(odd).tier, 'closed')
  open(odd)
  t.equal(peek(odd).tier, 'out')
})

t.test('remembers a thousand providers, and lets closed ones go first', async (t) => {
  const { open, end, snapshot, peek } = start()
  open(a)
  for (let index = 0; index < 1_005; index += 1) end({ provider: `p${index}`, model: 'm' }, undefined)
  t.equal(snapshot().breakers.length, 1_000)
  t.equal(peek(a).tier, 'out')
})

t.test('needs no timers', async (t) => {
  const { open, end, clock } = start()
  open(a)
  end(b, limited(9_000))
  t.equal(clock.pending, 0)
})
