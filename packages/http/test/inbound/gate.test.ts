import type { AuthorizeAttempt, AuthorizeResult, FallbackOptions } from '@understudy/config'
import t from 'tap'
import type { Test } from 'tap'
import { inspect } from 'node:util'

import { chat, fallbackOf, heard, jsonOf, listen, outline, providersOn, says, simulate } from '../kit.js'

type Judge = (attempt: AuthorizeAttempt) => AuthorizeResult | Promise<AuthorizeResult>

async function setUp(t: Test, judge: Judge, options: FallbackOptions = {}, legs: readonly string[] = ['a/one', 'b/two', 'c/three']) {
  const simulator = await simulate(t, { models: { down: [{ status: 503 }] }, fallback: {} })
  const attempts: AuthorizeAttempt[] = []
  const fallback = fallbackOf(t, { chat: legs }, {
    providers: providersOn(simulator),
    authorize(attempt) {
      attempts.push(attempt)
      return judge(attempt)
    },
    ...options,
  })
  const ask = async (fields = {}) => {
    const response = await fallback.handle(chat(fields, { headers: { 'x-request-id': 'r-1', 'x-api-key': 'secret-1' } }))
    const { headers } = response
    return { status: response.status, headers, body: await jsonOf(response), trail: outline(headers['understudy-trail']) }
  }
  return { simulator, fallback, ask, attempts }
}

t.test('is asked before each attempt, with leg, caller and the exact bytes that are then sent', async (t) => {
  const identify: FallbackOptions['identify'] = ({ headers }) => ({ key: String(headers['x-api-key']) })
  const { ask, attempts, simulator } = await setUp(t, () => undefined, { identify, retries: 1, defaults: { seed: 7 } }, ['a/down', 'b/two'])
  const { status, trail } = await ask({ models: ['chat'] })
  t.equal(status, 200)
  t.strictSame(trail, ['a/down failed overloaded', 'a/down failed overloaded', 'b/two served'])
  t.strictSame(attempts.map(({ leg, route, requestId, caller, dryRun }) => [leg.provider, leg.model, route, requestId, caller?.key, dryRun]), [
    ['a', 'down', 'caller-chain', 'r-1', 'secret-1', false],
    ['a', 'down', 'caller-chain', 'r-1', 'secret-1', false],
    ['b', 'two', 'caller-chain', 'r-1', 'secret-1', false],
  ])
  t.strictSame(attempts.map(({ bytes }) => Buffer.from(bytes).toString()), simulator.calls.map(({ rawBody }) => rawBody.toString()))
  t.match(simulator.calls[0]?.rawBody.toString(), /"seed":7/)
})

t.test('a leg that is refused is left out, and no failure of it is told', async (t) => {
  const { ask, simulator, fallback } = await setUp(t, async ({ leg }) => (leg.provider === 'a' ? { refuse: 'skip', reason: 'not there' } : undefined))
  const events = listen(fallback)
  const { status, trail, body } = await ask()
  t.equal(status, 200)
  t.strictSame(trail, ['a/one skipped refused', 'b/two served'])
  t.match(body['understudy'], { failover: { occurred: true, attempts: [{ model: 'a/one', status: 'skipped', reason: 'refused' }, {}] } })
  t.strictSame(simulator.calls.map(({ model }) => model), ['two'])
  await heard()
  t.strictSame(events.map(({ type }) => type), ['leg-skipped', 'attempt-start', 'run-commit', 'run-end'])
})

t.test('a stop ends the run with its own status and reason: no failover, no rate limit, no retry by the client', async (t) => {
  for (const [result, status, message] of [
    [{ refuse: 'stop', status: 429, reason: 'budget spent' }, 429, 'budget spent'],
    [{ refuse: 'stop' }, 403, 'the attempt was refused before it was made'],
    [{ refuse: 'stop', status: 200 }, 403, 'the attempt was refused before it was made'],
  ] as const) {
    const { ask, simulator } = await setUp(t, () => result, { advanceOn: 'any', retries: 2 })
    const answer = await ask()
    t.match(answer, { status, body: { error: { code: 'refused', message } }, headers: { 'x-should-retry': 'false' } })
    t.equal(answer.headers['retry-after'], undefined)
    t.strictSame(answer.trail, ['a/one skipped refused'])
    t.equal(simulator.calls.length, 0)
  }
  const { ask } = await setUp(t, ({ leg }) => (leg.provider === 'b' ? { refuse: 'stop', status: 451 } : undefined), {}, ['a/down', 'b/two', 'c/three'])
  t.match(await ask(), { status: 451, trail: ['a/down failed overloaded', 'b/two skipped refused'] })
})

t.test('what throws, rejects or says nothing that is known, lets nothing through', async (t) => {
  const judges: readonly Judge[] = [
    () => { throw new Error('secret-thrown') },
    () => Promise.reject(new Error('secret-thrown')),
    () => ({ refuse: 'maybe' }) as unknown as AuthorizeResult,
    () => false as unknown as AuthorizeResult,
  ]
  for (const judge of judges) {
    const { ask, simulator } = await setUp(t, judge)
    const answer = await ask()
    t.match(answer, { status: 403, body: { error: { code: 'refused' } } })
    t.notMatch(JSON.stringify(answer), 'secret-thrown')
    t.equal(simulator.calls.length, 0)
  }
})

t.test('the host is told when its judge gave no verdict: each time in its log, once as a warning without one', async (t) => {
  function judgeThatThrows(): never {
    throw new TypeError('secret-thrown')
  }
  const table: readonly (readonly [Judge, RegExp])[] = [
    [judgeThatThrows, /^authorize threw a TypeError(?: at \w+ \(.*gate\.test\.ts:\d+:\d+\))?, and the attempt was refused$/],
    [() => Promise.reject(new Error('secret-thrown')), /^authorize threw an Error( at .*gate\.test\.ts:\d+:\d+\)?)?, and the attempt was refused$/],
    [() => true as unknown as AuthorizeResult, /^authorize gave true, which is no verdict, and the attempt was refused; give nothing to let it go, or \{ refuse: 'skip' \}/],
    [() => 'secret-given' as unknown as AuthorizeResult, /^authorize gave a string, which is no verdict/],
    [() => ({ allow: true, secret: 'secret-given' }) as unknown as AuthorizeResult, /^authorize gave an object whose `refuse` is neither/],
  ]
  for (const [judge, message] of table) {
    const lines: unknown[][] = []
    const line = (level: string) => (fields: object, text: string) => void lines.push([level, fields, text])
    const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
    const { ask } = await setUp(t, judge, { logger })
    t.match([await ask(), await ask()], [{ status: 403 }, { status: 403 }])
    const at = judge === judgeThatThrows ? [/gate\.test\.ts/] : []
    const told = ['error', { requestId: 'r-1', route: 'chat', leg: 'a/one', code: 'UNDERSTUDY_AUTHORIZE', at }, message]
    t.match(lines.filter(([level]) => level === 'error'), [told, told])
    t.notMatch(JSON.stringify(lines), /secret-/)

    const warnings: (Error & { code?: string })[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const { ask: askSilently } = await setUp(t, judge)
    await askSilently()
    await askSilently()
    await heard()
    process.off('warning', onWarning)
    t.match(warnings.map(({ code, message: text }) => [code, text]), [['UNDERSTUDY_AUTHORIZE', message]])
    t.equal(warnings.length, 1)
  }
  const silent = await setUp(t, () => ({ refuse: 'stop', status: 200 }), { logger: { debug() {}, info() {}, warn() {}, error: () => t.fail('a verdict is no fault') } })
  t.match(await silent.ask(), { status: 403 })
})

t.test('all legs refused is a 403, and the next request is judged anew', async (t) => {
  let refuses = true
  const { ask } = await setUp(t, () => (refuses ? { refuse: 'skip' } : undefined), { exhaustedStatus: '502' })
  t.match(await ask(), { status: 403, body: { error: { code: 'refused' } } })
  refuses = false
  t.match(await ask(), { status: 200 })
})

t.test('code of the host that never ends is over with the chain, or when the client leaves', async (t) => {
  const { ask, fallback, simulator } = await setUp(t, () => new Promise(() => undefined), { deadlineMs: 400 })
  t.match(await ask(), { status: 504, trail: ['a/one skipped window'] })
  const request = chat()
  const answering = fallback.handle(request)
  request.leave()
  t.equal((await answering).status, 499)
  t.equal(simulator.calls.length, 0)
})

t.test('a custom leg is judged too, by the request as JSON', async (t) => {
  const attempts: AuthorizeAttempt[] = []
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')] }, {
    defaults: { seed: 7 },
    authorize(attempt) {
      attempts.push(attempt)
      return undefined
    },
  })
  await fallback.handle(chat({ idempotent: true }))
  t.match(attempts, [{ leg: { provider: 'fixed', model: 'fixed' } }])
  t.strictSame(Object.keys(JSON.parse(Buffer.from(attempts[0]?.bytes ?? []).toString())).sort(), ['messages', 'model', 'seed'])
})

t.test('a provider signs the bytes of each attempt; what it cannot sign is left to the next leg', async (t) => {
  const simulator = await simulate(t, { models: { down: [{ status: 503 }] }, fallback: {} })
  const { a, b, c } = providersOn(simulator)
  const signed: string[] = []
  const sign = async (bytes: Uint8Array) => {
    signed.push(Buffer.from(bytes).toString())
    return { 'X-Signature': `s${signed.length}`, authorization: 'Signed' }
  }
  const fallback = fallbackOf(t, { chat: ['a/down', 'a/one'], broken: ['b/one', 'c/one', 'a/two'] }, {
    providers: {
      a: { ...a, dialect: 'openai', sign },
      b: { ...b, dialect: 'openai', sign: () => { throw new Error('secret-thrown') } },
      c: { ...c, dialect: 'openai', sign: () => ({ 'content-length': '3' }) },
    },
  })
  await fallback.handle(chat())
  t.strictSame(simulator.calls.map(({ headers, rawBody }) => [headers['x-signature'], headers['authorization'], rawBody.toString()]), [
    ['s1', 'Signed', signed[0]], ['s2', 'Signed', signed[1]],
  ])
  const response = await fallback.handle(chat({ model: 'broken' }))
  t.strictSame(outline(response.headers['understudy-trail']), ['b/one failed auth_error', 'c/one failed auth_error', 'a/two served'])
})

t.test('what identify, authorize and sign know is in no event, line, error or snapshot', async (t) => {
  const said: unknown[] = []
  const line = (fields: unknown, message: string) => void said.push(fields, message)
  const simulator = await simulate(t, { models: { down: [{ status: 503 }] }, fallback: {} })
  const { a, b } = providersOn(simulator)
  let fails = false
  const fallback = fallbackOf(t, { chat: ['a/down', 'b/one'] }, {
    providers: { a: { ...a, dialect: 'openai', sign: () => ({ 'x-signature': 'canary-signature' }) }, b: { ...b, dialect: 'openai' } },
    logger: { debug: line, info: line, warn: line, error: line },
    identify() {
      if (fails) throw new Error('canary-thrown')
      return { key: 'canary-key' }
    },
    authorize: ({ leg }) => (leg.provider === 'b' ? { refuse: 'stop', reason: 'canary-reason' } : undefined),
  })
  fallback.on((event) => said.push(event))
  const refused = await fallback.handle(chat())
  t.match(await jsonOf(refused), { error: { message: 'canary-reason' } }, 'the client that asked is told')
  fails = true
  const broken = await fallback.handle(chat())
  t.equal(broken.status, 500, 'nobody is served unidentified')
  await heard()
  said.push(fallback.snapshot(), refused.headers, broken)
  t.notMatch(inspect(said, { depth: Infinity, showHidden: true }), /canary/)
  const end = said.find((event) => (event as { type?: string } | undefined)?.type === 'run-end')
  t.match(end, { callerKeyId: /^[0-9a-f]{16}$/, errorCode: 'refused', status: 403 })
})
