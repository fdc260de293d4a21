import type { AuthorizeAttempt, FallbackOptions } from '@understudy/config'
import type { CustomLeg, Leg } from '@understudy/core'
import { advanceKinds, createLatencies, failureOf, LegFailedError } from '@understudy/core'
import t from 'tap'

import { deferred } from '../../../../test/kit/deferred.js'
import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { policyCheck } from '../../src/inbound/policy-check.js'
import type { RunnableRoute } from '../../src/inbound/routes.js'
import { chat, fallbackOf, fails, jsonOf, MESSAGES, post, providersOn, says, simulate } from '../kit.js'

t.test('says what would become of a request, and asks no provider', async (t) => {
  const simulator = await simulate(t)
  const attempts: AuthorizeAttempt[] = []
  const fallback = fallbackOf(t, { default: ['a/one', 'b/two', 'c/three'], other: ['b/two', 'a/one'] }, {
    providers: providersOn(simulator),
    identify: ({ headers }) => ({ keyId: 'k', failoverDefaults: { models: headers['x-api-key'] === undefined ? [] : ['c/three', 'b/two'] } }),
    authorize(attempt) {
      attempts.push(attempt)
      if (attempt.leg.provider === 'a') return { refuse: 'skip' }
      return attempt.leg.provider === 'b' ? { refuse: 'stop', reason: 'not today' } : undefined
    },
  })
  const check = async (fields: object, headers = {}, path = '/v1/policy-check') => {
    const response = await fallback.handle(post({ messages: MESSAGES, ...fields }, { path, headers }))
    return { status: response.status, ...(await jsonOf(response)) }
  }
  t.strictSame(await check({}), {
    status: 200,
    dry_run: true,
    allowed: false,
    checks: [{ check: 'chain', passed: true }, { check: 'authorize', passed: false, why: 'refused', message: 'not today' }],
    plan: [
      { model: 'a/one', admitted: false, why: 'refused' },
      { model: 'b/two', admitted: false, why: 'refused' },
      { model: 'c/three', admitted: true },
    ],
  })
  t.match(await check({ models: ['a/one', 'c/three'] }, {}, '/policy-check'), {
    allowed: true, plan: [{ model: 'a/one', admitted: false }, { model: 'c/three', admitted: true }],
  })
  t.match(await check({ model: 'c/three' }, { 'x-api-key': 'x' }), { allowed: true, plan: [{ model: 'c/three' }, { model: 'b/two', admitted: false }] })
  t.match(await check({ models: ['a/one', 'a/secret'] }), { allowed: false, checks: [{ check: 'chain', passed: false, why: 'unknown_model' }], plan: [] })
  t.match(await check({ messages: 1 }), { status: 400, error: { code: 'invalid_request_error' } })
  t.ok(attempts.every(({ dryRun, bytes }) => dryRun && bytes.length > 0))
  t.equal(simulator.calls.length, 0)
})

t.test('without a judge, every leg of the chain is admitted', async (t) => {
  const simulator = await simulate(t)
  const fallback = fallbackOf(t, { chat: ['a/one'] }, { providers: providersOn(simulator) })
  const response = await fallback.handle(post({ messages: MESSAGES }, { path: '/policy-check' }))
  t.match(await jsonOf(response), { dry_run: true, allowed: true, plan: [{ model: 'a/one', admitted: true }] })
})

t.test('the legs stand in the order in which they would be asked, and those that are out say why', async (t) => {
  const down = new LegFailedError(failureOf('server_error', { processed: 'yes' }))
  const checked = async (options: FallbackOptions, legs: readonly CustomLeg[]) => {
    const fallback = fallbackOf(t, { chat: legs }, { breaker: { failureThreshold: 1 }, ...options })
    await fallback.handle(chat())
    const response = await fallback.handle(post({ messages: MESSAGES }, { path: '/policy-check' }))
    const { allowed, checks, plan } = await jsonOf(response)
    return { allowed, checks, plan }
  }
  const [a, b, c] = [fails('a', down), { ...says('b', 'b'), price: 3 }, { ...says('c', 'c'), price: 2 }]
  const passed = [{ check: 'chain', passed: true }, { check: 'authorize', passed: true }]
  const out = { model: 'a/a', admitted: false, why: 'circuit_open' }
  const [b1, c1] = [{ model: 'b/b', admitted: true }, { model: 'c/c', admitted: true }]

  t.strictSame(await checked({}, [a, b, c]), { allowed: true, checks: passed, plan: [out, b1, c1] })
  const a1 = { model: 'a/a', admitted: true }
  t.strictSame(await checked({ order: 'cost' }, [b, a, c]), { allowed: true, checks: passed, plan: [c1, b1, a1] }, 'unknown prices last')
  t.strictSame(await checked({ whenOpen: 'stop' }, [a, b]), {
    allowed: false,
    checks: [{ check: 'chain', passed: true }, { check: 'health', passed: false, why: 'circuit_open' }],
    plan: [out],
  })
  t.strictSame(await checked({}, [a]), {
    allowed: false,
    checks: [{ check: 'chain', passed: true }, { check: 'health', passed: false, why: 'no_leg_available' }],
    plan: [out],
  })
  t.strictSame(await checked({ whenAllOpen: 'try' }, [a]), {
    allowed: true, checks: passed, plan: [a1],
  })
})

t.test('a leg that is due would be the probe, in its configured place, and is none of it by being looked at; one that is being probed is out', async (t) => {
  const clock = createFakeClock()
  const answered = deferred<string>()
  let isDown = true
  const a: CustomLeg = {
    name: 'a',
    price: 3,
    async *open() {
      if (isDown) throw new LegFailedError(failureOf('server_error', { processed: 'yes' }))
      yield await answered.promise
    },
  }
  const breaker = { failureThreshold: 1, recoveryMs: 1_000, jitter: 0 }
  const fallback = fallbackOf(t, { chat: [a, { ...says('b', 'b'), price: 1 }] }, { breaker, order: 'cost' }, { clock, random: () => 0.5 })
  const check = async (fields: object = {}) => {
    const response = await fallback.handle(post({ messages: MESSAGES, ...fields }, { path: '/policy-check' }))
    const { allowed, plan } = await jsonOf(response)
    return { allowed, plan }
  }
  const [a1, b1] = [{ model: 'a/a', admitted: true }, { model: 'b/b', admitted: true }]
  const out = { model: 'a/a', admitted: false, why: 'circuit_open' }
  t.strictSame(await check(), { allowed: true, plan: [b1, a1] }, 'closed: the cheaper one first')
  await fallback.handle(chat({ models: ['a/a'] }))

  await clock.advance(999)
  t.strictSame(await check(), { allowed: true, plan: [out, b1] }, 'open')
  await clock.advance(1)
  for (const times of ['once', 'twice']) t.strictSame(await check(), { allowed: true, plan: [a1, b1] }, `due, looked at ${times}`)

  isDown = false
  const probing = fallback.handle(chat())
  await clock.advance(0)
  t.strictSame(await check(), { allowed: true, plan: [out, b1] }, 'the probe is under way')
  t.strictSame(await check({ models: ['a/a'] }), { allowed: false, plan: [out] })
  answered.resolve('a')
  t.equal((await jsonOf(await probing)).choices?.[0]?.message?.content, 'a')
  t.strictSame(await check(), { allowed: true, plan: [b1, a1] }, 'half-open: the last probe was just now')
})

t.test('a leg that rests after a rate limit is out until it has rested, and stops no run', async (t) => {
  const clock = createFakeClock()
  const limited = new LegFailedError(failureOf('rate_limit', { status: 429, retryAfterMs: 5_000 }))
  const fallback = fallbackOf(t, { chat: [fails('a', limited), says('b', 'b')] }, { whenOpen: 'stop' }, { clock })
  const check = async (fields: object = {}) => {
    const response = await fallback.handle(post({ messages: MESSAGES, ...fields }, { path: '/policy-check' }))
    const { allowed, checks, plan } = await jsonOf(response)
    return { allowed, checks, plan }
  }
  const chain = { check: 'chain', passed: true }
  const passed = [chain, { check: 'authorize', passed: true }]
  const [rests, b1] = [{ model: 'a/a', admitted: false, why: 'cooldown' }, { model: 'b/b', admitted: true }]
  await fallback.handle(chat())

  t.strictSame(await check(), { allowed: true, checks: passed, plan: [rests, b1] })
  t.strictSame(await check({ models: ['a/a'] }), {
    allowed: false, checks: [chain, { check: 'health', passed: false, why: 'no_leg_available' }], plan: [rests],
  })
  await clock.advance(4_999)
  t.match(await check(), { plan: [rests, b1] })
  await clock.advance(1)
  t.strictSame(await check(), { allowed: true, checks: passed, plan: [{ model: 'a/a', admitted: true }, b1] })
})

t.test('a leg without words for the request is left out, or stops the run there', async (t) => {
  const simulator = await simulate(t)
  const claude = { dialect: 'anthropic', baseURL: simulator.url, apiKey: 'k' } as const
  const check = async (untranslatable: 'skip' | 'refuse', legs: readonly string[]) => {
    const fallback = fallbackOf(t, { chat: { legs, untranslatable } }, { providers: { ...providersOn(simulator), claude } })
    const response = await fallback.handle(post({ messages: MESSAGES, n: 2 }, { path: '/policy-check' }))
    const { checks, plan } = await jsonOf(response)
    return { checks, plan }
  }
  const chain = { check: 'chain', passed: true }
  const refused = { check: 'translate', passed: false, why: 'untranslatable_request' }
  const [out, a] = [{ model: 'claude/x', admitted: false, why: 'untranslatable', feature: 'n' }, { model: 'a/one', admitted: true }]
  t.strictSame(await check('skip', ['claude/x', 'a/one']), { checks: [chain, { check: 'authorize', passed: true }], plan: [out, a] })
  t.strictSame(await check('refuse', ['claude/x', 'a/one']), { checks: [chain, refused], plan: [out] })
  t.strictSame(await check('refuse', ['a/one', 'claude/x']), { checks: [chain, { check: 'authorize', passed: true }], plan: [a, out] })
  t.strictSame(await check('skip', ['claude/x']), { checks: [chain, refused], plan: [out] })
  t.equal(simulator.calls.length, 0)
})

t.test('what turns out to have no words when the bytes are made for authorize is named too', async (t) => {
  const leg: Leg = { provider: 'a', model: 'm', open: () => t.fail('not opened') as never }
  const settings = { advance: advanceKinds('any'), commit: 'complete', retry: { retries: 0, retryOn: new Set() }, limits: {} } as const
  const route = { name: 'chat', legs: [leg], first: 'a/m', dialectOf: new Map(), settings, order: 'configured', idempotency: 'always', waitingCommentMs: undefined, needsModel: false }
  const { plan } = await policyCheck(route as unknown as RunnableRoute, {
    request: { stream: false, messages: [] },
    health: { peek: () => ({ tier: 'closed', probeTurn: false }) },
    random: () => 0,
    latencies: createLatencies(),
    prices: undefined,
    gate: () => Promise.resolve({ untranslatable: 'seed' }),
  })
  t.strictSame(plan, [{ model: 'a/m', admitted: false, why: 'untranslatable', feature: 'seed' }])
})
