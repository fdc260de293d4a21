import type { AuthorizeAttempt } from '@understudy/config'
import t from 'tap'

import { fallbackOf, jsonOf, MESSAGES, post, providersOn, simulate } from '../kit.js'

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
