import { createHmac } from 'node:crypto'

import { HEALTHY_TEXT, startSimulator } from '@understudy/simulator'
import t from 'tap'

import type { FallbackGround } from '../../src/create-fallback.js'
import { createMountableFallback } from '../../src/create-fallback.js'
import type { DrillRequest, Fallback, FallbackEvent, FallbackOptions, RoutesInput } from '../../src/index.js'
import { isDrillError } from '../../src/index.js'

const simulator = await startSimulator()
t.teardown(() => simulator.close())

const origin = new URL(simulator.url).origin
const PROVIDERS = {
  first: { dialect: 'openai', baseURL: simulator.url, apiKey: 'canary-key' },
  anthropic: { baseURL: origin, apiKey: 'canary-key' },
  google: { baseURL: `${origin}/v1beta`, apiKey: 'canary-key' },
  second: { dialect: 'openai', baseURL: simulator.url, apiKey: 'canary-key' },
  cloud: { dialect: 'bedrock', baseURL: origin, region: 'eu-west-1', credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'canary-key' } },
  'cloud-anthropic': { dialect: 'anthropic', cloud: 'bedrock', baseURL: origin, region: 'eu-west-1', apiKey: 'canary-key' },
} as const

const ROUTES: RoutesInput = { chat: ['first/one', 'second/two'] }
const DRILL: DrillRequest = { route: 'chat', fault: 'fail', share: 1, forMs: 60_000, maxRequests: 100, actor: 'ann', reason: 'game day' }

function made(routes: RoutesInput = ROUTES, ground: Partial<FallbackGround> = {}, providers: FallbackOptions['providers'] = PROVIDERS, options: FallbackOptions = {}) {
  const warnings: string[] = []
  const errors: string[] = []
  const lines: string[] = []
  const logger = {
    debug() {},
    info: (_fields: unknown, message: string) => void lines.push(message),
    warn: (_fields: unknown, message: string) => void warnings.push(message),
    error: (_fields: unknown, message: string) => void errors.push(message),
  }
  const fallback = createMountableFallback(routes, { providers, logger, ...options }, ground)
  const events: FallbackEvent[] = []
  fallback.on((event) => events.push(event))
  return { fallback, events, warnings, errors, lines }
}

async function ask(fallback: Fallback, { stream = true, headers = {} as Record<string, string>, body = {} } = {}) {
  const bytes = Buffer.from(JSON.stringify({ model: 'chat', stream, messages: [{ role: 'user', content: 'canary-prompt' }], ...body }))
  const response = await fallback.handle({
    method: 'POST', path: '/v1/chat/completions', query: '', atRoot: false,
    headers: { 'content-type': 'application/json', ...headers },
    readBody: () => Promise.resolve({ type: 'bytes', bytes }),
    signal: new AbortController().signal,
  })
  const chunks: Uint8Array[] = []
  if (response.body instanceof Uint8Array) chunks.push(response.body)
  else for await (const chunk of response.body ?? []) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return { status: response.status, served: response.headers['understudy-served'], trail: response.headers['understudy-trail'], text }
}

const told = () => new Promise((resolve) => setImmediate(resolve))

t.test('what a drill did is told as a rescue, and never as a fault of ours', async (t) => {
  const { fallback, errors, lines } = made({ chat: [{ provider: 'first', model: 'one', firstContentTimeoutMs: 150, timeoutMs: 150 }, 'second/two'] })
  for (const fault of ['fail', 'cut', 'corrupt', 'stall'] as const) {
    const { id } = fallback.drills.start({ ...DRILL, fault })
    await ask(fallback)
    fallback.drills.end({ id, actor: 'ann', reason: 'over' })
  }
  const one = ["route 'chat': rescued by second/two", "the drill on route 'chat' is over"]
  t.strictSame({ errors, lines }, { errors: [], lines: [one, one, one, one].flat() })
  await fallback.close()
})

t.test('every fault moves the chain on before a byte reached the client, in every dialect, streamed or whole, and charges nobody', async (t) => {
  const legs = ['first/one', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash', 'cloud/amazon.nova-pro-v1:0', 'cloud-anthropic/anthropic.claude-sonnet-4-5']
  const reasons = { fail: 'server_error', cut: 'truncated|malformed|empty', corrupt: 'truncated|malformed|empty', stall: 'timeout' }
  for (const leg of legs) {
    const [provider = '', model = ''] = leg.split('/')
    for (const fault of ['fail', 'cut', 'corrupt', 'stall'] as const) {
      // Only a stall is to meet the limit, and a real answer on a busy machine is not.
      const limitMs = fault === 'stall' ? 500 : 10_000
      const { fallback } = made({ chat: [{ provider, model, firstContentTimeoutMs: limitMs, timeoutMs: limitMs }, 'second/two'] })
      for (const stream of [true, false]) {
        const calls = simulator.callsOf(model).length
        const { id } = fallback.drills.start({ ...DRILL, fault })
        for (let count = 0; count < 6; count += 1) {
          const { status, served, trail, text } = await ask(fallback, { stream })
          t.strictSame([status, served], [200, 'second/two'], `${leg} ${fault} ${stream ? 'streamed' : 'whole'}`)
          t.match(trail, new RegExp(`^"${leg}";outcome=failed;reason=(?:${reasons[fault]})[^,]*;drill;`))
          t.match(text, stream ? /\[DONE\]/ : /"finish_reason":"stop"/)
          if (fault === 'stall') break
        }
        t.equal(simulator.callsOf(model).length - calls, fault === 'fail' ? 0 : fault === 'stall' ? 1 : 6, 'the real answer was there')
        fallback.drills.end({ id, actor: 'ann', reason: 'seen' })
        t.match(await ask(fallback, { stream }), { served: leg }, 'its breaker was not charged')
      }
      t.strictSame(fallback.snapshot().lastFailures, [], 'nothing is told of its health')
      await fallback.close()
    }
  }
})

t.test('a stream of frames is tampered with in its frames, and what is left of it never reads as an answer', async (t) => {
  const kinds: Record<string, unknown[]> = {}
  for (const leg of ['cloud/amazon.nova-pro-v1:0', 'cloud-anthropic/anthropic.claude-sonnet-4-5']) {
    const [provider = '', model = ''] = leg.split('/')
    const { fallback, events } = made({ chat: [{ provider, model, firstContentTimeoutMs: 1000, timeoutMs: 1000 }, 'second/two'] })
    for (const fault of ['cut', 'corrupt', 'stall'] as const) {
      const { id } = fallback.drills.start({ ...DRILL, fault })
      const { status, served, text } = await ask(fallback)
      t.strictSame([status, served], [200, 'second/two'], `${leg} ${fault}`)
      t.strictSame([text.includes(HEALTHY_TEXT.split(' ')[0] ?? ''), text.match(/\[DONE\]/g)?.length], [true, 1], 'one whole answer')
      fallback.drills.end({ id, actor: 'ann', reason: 'seen' })
    }
    await told()
    kinds[leg] = events.flatMap((event) => (event.type === 'attempt-failure' ? [[event.kind, event.code, event.verdict]] : []))
    await fallback.close()
  }
  const each = [['empty', 'drill', 'neutral'], ['malformed', 'drill', 'neutral'], ['timeout', 'drill', 'neutral']]
  t.strictSame(kinds, { 'cloud/amazon.nova-pro-v1:0': each, 'cloud-anthropic/anthropic.claude-sonnet-4-5': each })
})

t.test('what the provider does wrong by itself counts against it in a drill too', async (t) => {
  const failing = await startSimulator({ script: { models: { one: [{ status: 500 }] }, fallback: {} } })
  t.teardown(() => failing.close())
  const { fallback } = made(ROUTES, {}, { ...PROVIDERS, first: { ...PROVIDERS.first, baseURL: failing.url } })
  const { id } = fallback.drills.start({ ...DRILL, fault: 'cut', maxRequests: 1 })
  for (let request = 0; request < 2; request += 1) {
    const { trail } = await ask(fallback)
    t.match(trail, /^"first\/one";outcome=failed;reason=server_error;ms/)
  }
  t.match(fallback.snapshot().lastFailures, [{ provider: 'first', kind: 'server_error', status: 500 }])
  t.match(fallback.drills.list(), [{ id, drilled: 0, endedAt: undefined }], 'it failed none yet')
  failing.setScript({ fallback: {} })
  t.match((await ask(fallback)).trail, /^"first\/one";outcome=failed;reason=empty;drill/)
  t.match(fallback.drills.list(), [{ id, drilled: 1, endCause: 'requests' }])
  await fallback.close()
})

t.test('a drill is told of when it begins and when it ends, and stands in the snapshot while it runs', async (t) => {
  const { fallback, events, warnings } = made()
  t.notOk('drills' in fallback.snapshot())
  const started = fallback.drills.start({ ...DRILL, leg: 'first/one' })
  t.match(started, { id: /^drill-[0-9a-f]{12}$/, drilled: 0, by: 'ann', reason: 'game day' })
  t.notOk('secret' in started)
  await ask(fallback)
  t.match(fallback.snapshot().drills, [{ id: started.id, drilled: 1, expiresAt: Number }])
  t.match(fallback.drills.end({ id: started.id, actor: 'bob', reason: 'seen' }), { drilled: 1, endCause: 'ended' })
  t.notOk('drills' in fallback.snapshot())
  t.throws(() => fallback.drills.end({ id: started.id, actor: 'bob', reason: 'again' }), { code: 'unknown_drill' })
  t.throws(() => fallback.drills.end({ id: started.id, actor: ' ', reason: 'again' }), { code: 'invalid_request' })
  t.match(fallback.drills.list(), [{ id: started.id, endCause: 'ended' }])
  await told()
  const { id } = started
  t.match(events.filter(({ type }) => type.startsWith('drill-')), [
    { type: 'drill-start', id, route: 'chat', leg: 'first/one', fault: 'fail', share: 1, by: 'ann', reason: 'game day', maxRequests: 100 },
    { type: 'drill-end', id, cause: 'ended', drilled: 1, by: 'bob', reason: 'seen' },
  ])
  t.match(events.find(({ type }) => type === 'attempt-failure'), { code: 'drill', verdict: 'neutral' })
  t.match(warnings, [/'first\/one' of route 'chat' fail on purpose \(fail\), by ann: game day/])
  t.notMatch(JSON.stringify(events), /canary/)
  await fallback.close()
})

t.test('a signed drill fails the requests that carry its header, and no other', async (t) => {
  const { fallback } = made()
  const { id, secret = '', header = '' } = fallback.drills.start({ ...DRILL, share: undefined, signed: true })
  t.equal(header, `${id}.${createHmac('sha256', secret).update(id).digest('hex')}`)
  const forged = `${id}.${createHmac('sha256', 'guess').update(id).digest('hex')}`
  const served: unknown[] = []
  for (const value of [header, forged, id, `${header}0`, undefined]) {
    served.push((await ask(fallback, { headers: value === undefined ? {} : { 'understudy-drill': value } })).served)
  }
  t.strictSame(served, ['second/two', 'first/one', 'first/one', 'first/one', 'first/one'])
  const shown = JSON.stringify([fallback.snapshot(), fallback.drills.list()])
  t.notOk(shown.includes(secret) || shown.includes(header), 'the secret is shown once')
  await fallback.close()
})

t.test('a share of the requests is drawn by the random that is given', async (t) => {
  const draws = [0.1, 0.3, 0.29, 0.9]
  const { fallback } = made(ROUTES, { random: () => draws.shift() ?? 0.99 })
  fallback.drills.start({ ...DRILL, share: 0.3 })
  const served: unknown[] = []
  for (let count = 0; count < 4; count += 1) served.push((await ask(fallback)).served)
  t.strictSame(served, ['second/two', 'first/one', 'second/two', 'first/one'])
  await fallback.close()
})

t.test('it ends by itself: when it failed so many, when its time is over, and at the close', async (t) => {
  const timers: [number, () => void][] = []
  const { createSystemClock } = await import('@understudy/core')
  const clock = createSystemClock({ unref: true })
  const { fallback, events } = made(ROUTES, {
    clock: {
      ...clock,
      schedule(ms, work) {
        if (ms !== 60_000) return clock.schedule(ms, work)
        timers.push([ms, work])
        return () => undefined
      },
    },
  })
  fallback.drills.start({ ...DRILL, maxRequests: 2 })
  const served: unknown[] = []
  for (let count = 0; count < 3; count += 1) served.push((await ask(fallback)).served)
  t.strictSame(served, ['second/two', 'second/two', 'first/one'])
  timers.length = 0
  fallback.drills.start(DRILL)
  for (const [, work] of timers) work()
  t.match(await ask(fallback), { served: 'first/one' })
  fallback.drills.start(DRILL)
  await fallback.close()
  await told()
  t.strictSame(events.flatMap((event) => (event.type === 'drill-end' ? [event.cause] : [])), ['requests', 'time', 'closed'])
  t.throws(() => fallback.drills.start(DRILL), { code: 'closed' })
})

t.test('one that a client would see is refused, and so is one without bounds', async (t) => {
  const custom = { name: 'mine', async *open() { yield 'hello' } }
  const { fallback } = made({
    chat: ROUTES['chat'] ?? [], lone: ['first/one'], mine: [custom, 'second/two'],
    early: { legs: ['first/one', 'second/two'], commit: 'established' }, once: { legs: ['first/one', 'second/two'], idempotency: 'safe' },
    narrow: { legs: ['first/one', 'second/two'], advanceOn: ['rate_limit'] },
    short: { legs: ['first/one', 'second/two'], deadlineMs: 900 },
  })
  const cases: [Partial<DrillRequest>, string, RegExp][] = [
    [{ route: 'other' }, 'unknown_route', /no route is called 'other'/],
    [{ leg: 'first/other' }, 'unknown_leg', /runs first\/one, second\/two/],
    [{ leg: 'second/two' }, 'invalid_request', /no leg comes behind it/],
    [{ route: 'lone' }, 'invalid_request', /no leg comes behind it/],
    [{ route: 'mine', fault: 'cut' }, 'invalid_request', /custom leg/],
    [{ route: 'early', fault: 'stall' }, 'invalid_request', /commits before/],
    [{ route: 'once', fault: 'corrupt' }, 'invalid_request', /idempotency/],
    [{ route: 'narrow' }, 'invalid_request', /advanceOn/],
    [{ route: 'short', fault: 'stall' }, 'invalid_request', /deadlineMs/],
    [{ forMs: 3_600_001 }, 'invalid_request', /an hour/],
    [{ forMs: 0 }, 'invalid_request', /forMs/],
    [{ maxRequests: 10_001 }, 'invalid_request', /maxRequests/],
    [{ share: 0 }, 'invalid_request', /share/],
    [{ share: 1.1 }, 'invalid_request', /share/],
    [{ share: '0.5' as unknown as number }, 'invalid_request', /share/],
    [{ signed: true }, 'invalid_request', /not both/],
    [{ share: undefined }, 'invalid_request', /not both/],
    [{ actor: '' }, 'invalid_request', /actor/],
    [{ reason: ' ' }, 'invalid_request', /reason/],
    [{ fault: 'burn' as 'cut' }, 'invalid_request', /fault must be one of/],
  ]
  for (const [wrong, code, message] of cases) {
    try {
      fallback.drills.start({ ...DRILL, ...wrong })
      t.fail(`${JSON.stringify(wrong)} was started`)
    } catch (error) {
      t.ok(isDrillError(error))
      t.match(error, { code, message })
    }
  }
  t.strictSame(fallback.drills.list(), [])
  for (const route of ['mine', 'early', 'once']) fallback.drills.start({ ...DRILL, route })
  t.match(await ask(fallback, { body: { model: 'mine' } }), { served: 'second/two' }, 'a custom leg fails before its call')
  for (let count = 3; count < 10; count += 1) fallback.drills.start(DRILL)
  t.throws(() => fallback.drills.start(DRILL), { message: /10 drills run already/ })
  await fallback.close()
})

t.test('while no leg behind it is well, a leg is left alone', async (t) => {
  const { createSystemClock } = await import('@understudy/core')
  const failing = await startSimulator({ script: { models: { two: [{ status: 500 }] }, fallback: {} } })
  t.teardown(() => failing.close())
  const providers = { ...PROVIDERS, second: { ...PROVIDERS.second, baseURL: failing.url } }
  const { fallback } = made({ ...ROUTES, other: ['second/two'] }, { clock: createSystemClock({ unref: true }) }, providers)
  for (let count = 0; count < 5; count += 1) await ask(fallback, { body: { model: 'other' } })
  t.match(fallback.snapshot().breakers, [{ provider: 'second', state: 'open' }])
  fallback.drills.start(DRILL)
  t.match(await ask(fallback), { status: 200, served: 'first/one', trail: /^"first\/one";outcome=served;ms=\d+$/ })
  t.match(fallback.drills.list(), [{ drilled: 0 }])
  await fallback.close()
})

t.test('a request that no leg behind it has words for is left alone, and so is one that would stop there', async (t) => {
  const legs = ['first/one', 'anthropic/claude-sonnet-4-5']
  const { fallback } = made({ chat: legs, strict: { legs: [...legs, 'second/two'], untranslatable: 'refuse' }, third: [...legs, 'second/two'] })
  for (const route of ['chat', 'strict', 'third']) fallback.drills.start({ ...DRILL, route })
  const askFor = (model: string, body: object) => ask(fallback, { stream: false, body: { model, ...body } })
  for (const [model, body, served] of [
    ['chat', {}, 'anthropic/claude-sonnet-4-5'], ['chat', { n: 2 }, 'first/one'],
    ['strict', {}, 'anthropic/claude-sonnet-4-5'], ['strict', { n: 2 }, 'first/one'],
    ['third', { n: 2 }, 'second/two'],
  ] as const) t.match(await askFor(model, body), { status: 200, served }, `${model} ${JSON.stringify(body)}`)
  t.strictSame(fallback.drills.list().map(({ route, drilled }) => `${route} ${drilled}`), ['third 1', 'strict 1', 'chat 1'])
  await fallback.close()
})

t.test('where the host lets no leg behind it serve, a leg is asked for real', async (t) => {
  const asked: string[] = []
  const answers: Record<string, 'skip' | 'stop'> = { skipped: 'skip', stopped: 'stop' }
  const { fallback } = made({ chat: ['first/one', 'second/two'], skipped: ['first/one', 'second/two'], stopped: ['first/one', 'second/two'] }, {}, PROVIDERS, {
    authorize: ({ leg, route, dryRun }) => {
      asked.push(`${leg.provider} ${dryRun}`)
      const refuse = leg.provider === 'second' ? answers[route] : undefined
      return refuse && { refuse, reason: 'not there' }
    },
  })
  for (const [route, served] of [['chat', 'second/two'], ['skipped', 'first/one'], ['stopped', 'first/one']] as const) {
    for (const fault of ['fail', 'cut'] as const) {
      asked.length = 0
      const { id } = fallback.drills.start({ ...DRILL, route, fault })
      t.match(await ask(fallback, { body: { model: route } }), { status: 200, served }, `${route} ${fault}`)
      t.strictSame(asked, ['first false', 'second true', ...(route === 'chat' ? ['second false'] : [])])
      t.match(fallback.drills.end({ id, actor: 'ann', reason: 'seen' }), { drilled: route === 'chat' ? 1 : 0 })
    }
  }
  await fallback.close()
})

t.test('a stall leaves the leg behind it most of the deadline, and holds no client for longer than ten seconds', async (t) => {
  const { createSystemClock } = await import('@understudy/core')
  const real = createSystemClock({ unref: true })
  const speed = 50
  const clock = { now: () => real.now() * speed, schedule: (ms: number, due: () => void) => real.schedule(ms / speed, due) }
  const { fallback } = made({ chat: ['first/one', 'second/two'], short: { legs: ['first/one', 'second/two'], deadlineMs: 15_000 } }, { clock })
  for (const route of ['chat', 'short']) fallback.drills.start({ ...DRILL, route, fault: 'stall' })
  for (const [model, least, most] of [['chat', 9_900, 40_000], ['short', 4_900, 12_000]] as const) {
    for (const stream of [true, false]) {
      const { status, served, trail } = await ask(fallback, { stream, body: { model } })
      t.strictSame([status, served], [200, 'second/two'], `${model} ${stream}`)
      const ms = Number(/^"first\/one";outcome=failed;reason=timeout;.*?drill;ms=(\d+)/.exec(trail ?? '')?.[1])
      t.ok(ms >= least && ms <= most, `${model} ${stream}: ${trail}`)
    }
  }
  await fallback.close()
})

t.test('an answer that comes too late to be tampered with stays whole', async (t) => {
  const slow = await startSimulator({ script: { models: { one: [{ delayMs: 500 }] }, fallback: {} } })
  t.teardown(() => slow.close())
  const { fallback } = made({ chat: { legs: ['first/one', 'second/two'], deadlineMs: 1_200 } }, {}, { ...PROVIDERS, first: { ...PROVIDERS.first, baseURL: slow.url } })
  for (const fault of ['stall', 'cut', 'corrupt'] as const) {
    const { id } = fallback.drills.start({ ...DRILL, fault })
    t.match(await ask(fallback, { stream: false }), { status: 200, served: 'first/one' }, fault)
    fallback.drills.end({ id, actor: 'ann', reason: 'seen' })
  }
  await fallback.close()
})

t.test('two drills never take every leg of a chain', async (t) => {
  const { fallback } = made({ chat: { legs: ['first/one', 'second/two'], order: 'weighted' } })
  fallback.drills.start({ ...DRILL, leg: 'first/one' })
  fallback.drills.start({ ...DRILL, leg: 'second/two' })
  for (let count = 0; count < 5; count += 1) t.match(await ask(fallback), { status: 200, served: 'second/two' })
  await fallback.close()
})
