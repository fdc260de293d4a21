import type { AuthorizeAttempt, FallbackOptions } from '@understudy/config'
import { createSystemClock } from '@understudy/core'
import type { Leg } from '@understudy/core'
import t from 'tap'
import type { Test } from 'tap'

import { createGate } from '../../src/inbound/gate.js'
import { chat, fallbackOf, heard, jsonOf, listen, MESSAGES, outline, providersOn, simulate } from '../kit.js'
import type { RequestOverrides, TestRequest } from '../kit.js'

/** A body, parsed by the host, that no encoder can write; one that is `written` later can be from the second time on. */
function unwritable(written: boolean, overrides: RequestOverrides = {}): TestRequest {
  let tries = 0
  const toJSON = () => {
    tries += 1
    if (tries > 1 && written) return { type: 'object' }
    throw new RangeError('canary')
  }
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', toJSON } } }]
  const value = { model: 'chat', messages: MESSAGES, tools }
  return chat({}, { headers: { 'x-request-id': 'r-1' }, readBody: () => Promise.resolve({ type: 'parsed', value }), ...overrides })
}

async function setUp(t: Test, legs: readonly string[], options: FallbackOptions = {}) {
  const simulator = await simulate(t)
  const { a, b } = providersOn(simulator)
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const line = (level: string) => (fields: object, message: string) => void lines.push({ level, fields: { ...fields }, message })
  const fallback = fallbackOf(t, { chat: legs }, {
    providers: { a: { ...a, dialect: 'anthropic' }, b: { ...b, dialect: 'openai' } },
    breaker: { failureThreshold: 1 },
    logger: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    ...options,
  })
  const ask = (written = false) => fallback.handle(unwritable(written))
  const faults = () => lines.filter(({ message }) => message === 'a request failed inside Understudy')
  return { simulator, fallback, ask, lines, faults }
}

t.test('an encoder of ours that throws charges nobody, is retried by nobody, and the next leg serves', async (t) => {
  const { fallback, ask, simulator, faults, lines } = await setUp(t, ['a/one', 'b/two'], { retries: 2 })
  const events = listen(fallback)
  for (let times = 0; times < 4; times += 1) {
    const response = await ask(true)
    t.equal(response.status, 200)
    t.strictSame(outline(response.headers['understudy-trail']), ['a/one failed server_error', 'b/two served'])
  }
  await heard()
  t.match(events.filter(({ type }) => type === 'attempt-failure'), Array(4).fill({ provider: 'a', verdict: 'neutral', code: 'internal_error' }))
  t.strictSame(events.filter(({ type }) => type.startsWith('breaker')), [])
  t.strictSame(fallback.snapshot().lastFailures, [])
  t.match(faults(), Array(4).fill({ level: 'error', fields: { requestId: 'r-1', error: 'RangeError' } }))
  t.notMatch(JSON.stringify(lines), 'canary')
  t.strictSame(simulator.calls.map(({ model }) => model), ['two', 'two', 'two', 'two'])
})

t.test('where no leg can serve, it is a 500 of ours that no client is to repeat', async (t) => {
  const { fallback, ask, simulator } = await setUp(t, ['a/one', 'a/two'])
  for (let times = 0; times < 2; times += 1) {
    const response = await ask()
    t.match(response, { status: 500, headers: { 'x-should-retry': 'false' } })
    t.match(await jsonOf(response), { error: {
      code: 'internal_error', type: 'server_error', message: 'Understudy failed',
      failures: [{ model: 'one', reason: 'server_error', message: 'the provider was not asked: Understudy failed' }, { model: 'two' }],
    } })
  }
  t.strictSame(fallback.snapshot().breakers.filter(({ failures }) => failures > 0), [])
  t.equal(simulator.calls.length, 0)
  const stopping = await setUp(t, ['a/one', 'b/two'], { advanceOn: ['rate_limit'] })
  t.equal((await stopping.ask()).status, 500, 'where such a failure does not move on too')
  t.equal(stopping.simulator.calls.length, 0)
})

t.test('where the bytes cannot be made that authorize would be shown, the run stops: nothing is sent unseen', async (t) => {
  const shown: AuthorizeAttempt[] = []
  const { fallback, ask, simulator, faults } = await setUp(t, ['a/one', 'b/two'], {
    advanceOn: 'any',
    retries: 2,
    authorize(attempt) {
      shown.push(attempt)
      return undefined
    },
  })
  const response = await ask()
  t.match(response, { status: 500, headers: { 'x-should-retry': 'false' } })
  t.match(await jsonOf(response), { error: { code: 'internal_error', message: 'Understudy failed' } })
  t.strictSame(outline(response.headers['understudy-trail']), ['a/one skipped refused'])
  t.strictSame([shown, simulator.calls.length, faults().length], [[], 0, 1])
  t.match(faults(), [{ fields: { requestId: 'r-1', error: 'RangeError' } }])
  t.strictSame(fallback.snapshot().breakers.filter(({ state }) => state !== 'closed'), [])

  const checked = await fallback.handle(unwritable(false, { path: '/policy-check' }))
  t.match(await jsonOf(checked), { allowed: false, checks: [{}, { check: 'authorize', passed: false, why: 'internal_error' }] })
  t.equal((await fallback.handle(chat())).status, 200)
  t.equal(shown.length, 1)
})

t.test('a leg that cannot say what it would send is not asked, and what has no words is left out', async (t) => {
  const faults: unknown[] = []
  const gate = createGate({
    authorize: () => t.fail('it is not asked') as never,
    route: 'chat', requestId: 'r-1', caller: undefined, dryRun: false, clock: createSystemClock(),
    request: { stream: false, messages: [] },
    signal: new AbortController().signal,
    onClose: () => () => undefined,
    onFault: () => t.fail('it is no fault of the host'),
    onInternalFault: (error) => faults.push(error),
  })
  const mute: Leg = { provider: 'a', model: 'm', open: () => t.fail('not opened') as never }
  const bytesOf = (thrown: unknown): Leg => Object.assign({ ...mute }, { bytesOf: () => { throw thrown } })
  t.match(await gate(mute, Infinity), { kind: 'server_error', internal: true })
  t.match(await gate(bytesOf('anything'), Infinity), { kind: 'server_error', internal: true })
  t.match(faults, [TypeError, 'anything'])
  const said = Object.assign(new Error('x'), { feature: 'seed', [Symbol.for('understudy.UntranslatableRequestError')]: true })
  t.strictSame(await gate(bytesOf(said), Infinity), { untranslatable: 'seed' })
  t.equal(faults.length, 2)
})
