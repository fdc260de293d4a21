import type { FallbackOptions, RoutesInput } from '@understudy/config'
import type { Step } from '@understudy/simulator'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import t from 'tap'
import type { Test } from 'tap'

import { createMountableFallback } from '../../src/create-fallback.js'
import { mountFallback } from '../../src/mount-fallback.js'
import { readRequest } from '../../src/node/read-request.js'
import { splitTarget } from '../../src/node/split-target.js'
import { writeResponse } from '../../src/node/write-response.js'
import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { chat, fallbackOf, heard, jsonOf, listen, MESSAGES, outline, post, providersOn, simulate, stream } from '../kit.js'

const ROUTES: RoutesInput = { default: ['a/one', 'b/two'], other: ['b/three', 'a/one', 'c/four'] }
const DOWN: Step = { status: 503 }

async function setUp(t: Test, down: readonly string[] = [], options: FallbackOptions = {}, routes = ROUTES) {
  const simulator = await simulate(t, { models: Object.fromEntries(down.map((model) => [model, [DOWN]])), fallback: {} })
  const fallback = fallbackOf(t, routes, { providers: providersOn(simulator), breaker: false, ...options })
  const ask = async (fields: object, headers = {}) => {
    const response = await fallback.handle(post({ messages: MESSAGES, ...fields }, { headers }))
    const body = await jsonOf(response)
    const trail = response.headers['understudy-trail']
    return { status: response.status, body, route: response.headers['understudy-route'], trail: trail === undefined ? [] : outline(trail) }
  }
  const models = () => simulator.calls.map(({ model }) => model)
  return { simulator, fallback, ask, models }
}

t.test('models is exactly the chain: model is ignored, and so is every route', async (t) => {
  const { ask, models } = await setUp(t, ['two'])
  const { status, route, trail, body } = await ask({ model: 'nowhere', models: ['b/two', { model: 'c/four' }, 'b/two'] })
  t.equal(status, 200)
  t.equal(route, 'caller-chain')
  t.strictSame(trail, ['b/two failed overloaded', 'c/four served'], 'an entry that is written twice is tried once')
  t.match(body, { understudy: { requested_model: 'b/two', served_model: 'c/four', failover: { occurred: true } } })
  t.strictSame(models(), ['two', 'four'])
})

t.test('fallback_models stand behind model; a route stands for its whole chain, and no leg is tried twice', async (t) => {
  const { ask } = await setUp(t, ['one', 'two', 'three', 'four'])
  t.strictSame((await ask({ model: 'b/two', fallback_models: ['other'] })).trail, [
    'b/two failed overloaded', 'b/three failed overloaded', 'a/one failed overloaded', 'c/four failed overloaded',
  ])
  const { trail } = await ask({ fallback_models: ['c/four'] })
  t.strictSame(trail.map((row) => row.split(' ')[0]), ['a/one', 'b/two', 'c/four'], 'without a model, the route named default is first')
  t.equal((await ask({ model: 'other', fallback_models: [] })).route, 'other', 'an empty list names no chain')
})

t.test('what nobody allowed is refused with its name, wherever it stands, and no provider is asked', async (t) => {
  const { ask, models } = await setUp(t, [], { callerModels: ['c/allowed'] }, { ...ROUTES, '*': ['c/*'] })
  for (const [fields, param] of [
    [{ models: ['a/one', 'a/secret'] }, 'models'],
    [{ models: [{ model: 'c/four/x' }] }, 'models'],
    [{ models: ['*'] }, 'models'],
    [{ models: ['c/*'], model: 'secret' }, 'models'],
    [{ model: 'a/one', fallback_models: ['openai/gpt-4o'] }, 'fallback_models'],
    [{ models: ['__proto__'] }, 'models'],
  ] as const) {
    const { status, body } = await ask(fields)
    t.match({ status, body }, { status: 400, body: { error: { code: 'unknown_model', param } } }, JSON.stringify(fields))
  }
  t.match((await ask({ models: ['a/one', 'a/secret'] })).body.error?.message, /^models: 'a\/secret' is not one that a caller may name$/)
  const meant = "models: 'othre' is not one that a caller may name; did you mean 'other'?"
  t.equal((await ask({ models: ['othre'] })).body.error?.message, meant, 'a route is in GET /models')
  t.match((await ask({ models: ['c/allowde'] })).body.error?.message, /may name$/, 'a leg is not')
  t.strictSame(models(), [])
  t.equal((await ask({ models: ['c/allowed'] })).status, 200)
  t.strictSame(models(), ['allowed'])
})

t.test('a chain that is no chain is refused', async (t) => {
  const { ask } = await setUp(t)
  const codeOf = async (fields: object) => {
    const { status, body } = await ask({ model: 'default', ...fields })
    return [status, body.error?.code, body.error?.['param']]
  }
  t.strictSame(await codeOf({ models: ['a/one'], fallback_models: ['b/two'] }), [400, 'invalid_request_error', 'fallback_models'])
  t.strictSame(await codeOf({ models: ['a/one', 'b/two', 'b/three', 'c/four'] }), [400, 'invalid_request_error', 'models'])
  t.strictSame(await codeOf({ model: 'a/one', fallback_models: ['b/two', 'b/three', 'c/four'] }), [400, 'invalid_request_error', 'fallback_models'])
  // Whoever compares each with each takes a quarter of a minute for these.
  const many = Array.from({ length: 100_000 }, (_each, index) => `a/${index}`)
  t.strictSame(await codeOf({ models: many }), [400, 'invalid_request_error', 'models'])
  t.strictSame(await codeOf({ models: [] }), [400, 'invalid_request_error', 'models'])
  t.strictSame(await codeOf({ models: 'a/one' }), [400, 'invalid_request_error', 'models'])
  t.strictSame(await codeOf({ idempotent: 'no' }), [400, 'invalid_request_error', 'idempotent'])
})

t.test('a limit of a caller that is out of range is refused, not clamped', async (t) => {
  const { ask, models } = await setUp(t)
  for (const [fields, param] of [
    [{ redundancy: { timeout_ms: 999 } }, 'redundancy.timeout_ms'],
    [{ redundancy: { timeout_ms: 300_001 } }, 'redundancy.timeout_ms'],
    [{ redundancy: { timeout_ms: 1_000.5 } }, 'redundancy.timeout_ms'],
    [{ redundancy: { first_token_timeout_ms: 499 } }, 'redundancy.first_token_timeout_ms'],
    [{ redundancy: { first_token_timeout_ms: 60_001 } }, 'redundancy.first_token_timeout_ms'],
    [{ redundancy: { on: ['auth_error'] } }, 'redundancy.on[0]'],
    [{ redundancy: { timeoutMs: 5_000 } }, 'redundancy'],
    [{ models: [{ model: 'a/one', timeout_ms: 10 }] }, 'models[0]'],
  ] as const) {
    const { status, body } = await ask({ model: 'default', ...fields })
    t.match({ status, body }, { status: 400, body: { error: { code: 'invalid_request_error', param } } }, JSON.stringify(fields))
  }
  t.strictSame(models(), [])
  t.equal((await ask({ model: 'default', redundancy: { timeout_ms: 1_000, first_token_timeout_ms: 60_000 } })).status, 200)
})

t.test('where callers name no chains, each way to do it is refused, and a route is still served', async (t) => {
  const { ask } = await setUp(t, [], { callerChains: false })
  for (const fields of [{ models: ['a/one'] }, { model: 'other', fallback_models: ['a/one'] }, { model: 'other', redundancy: {} }, { model: 'a/one' }]) {
    t.match(await ask(fields), { status: 400, body: { error: { code: 'caller_chains_disabled' } } }, JSON.stringify(fields))
  }
  t.match(await ask({ model: 'a/secret' }), { status: 404, body: { error: { code: 'model_not_found' } } })
  t.equal((await ask({ model: 'other' })).status, 200)
})

t.test('a leg alone is a chain of one without a failover report, and a route of its name comes first', async (t) => {
  const { ask, models } = await setUp(t, [], {}, { ...ROUTES, 'b/two': ['c/four'] })
  const { body, route } = await ask({ model: 'b/three' })
  t.strictSame([route, body['understudy']], ['caller-chain', { served_model: 'b/three', requested_model: 'b/three' }])
  t.equal((await ask({ model: 'b/two' })).route, 'b/two')
  t.strictSame(models(), ['three', 'four'])
  t.match(await ask({ model: 'b/five' }), { status: 404, body: { error: { code: 'model_not_found' } } })
})

t.test('a chain moves on for its triggers only', async (t) => {
  const { ask } = await setUp(t, ['one'])
  const models = ['a/one', 'b/two']
  t.equal((await ask({ models })).status, 200)
  t.equal((await ask({ models, redundancy: { on: ['server_error'] } })).status, 200, 'overloaded goes by server_error')
  const { status, body } = await ask({ models, redundancy: { on: ['rate_limit', 'timeout'] } })
  t.match({ status, body }, { status: 502, body: { error: { code: 'all_models_failed' } } })
  t.equal((await ask({ model: 'default', redundancy: { on: [] } })).status, 502, 'of a route too')
  const { ask: picky } = await setUp(t, ['one'], { callerAdvanceOn: ['timeout'] })
  t.equal((await picky({ models })).status, 502)
})

t.test('a chain of the caller that fails says how many attempts were made and which was last', async (t) => {
  const { ask } = await setUp(t, ['one', 'two', 'three'])
  const { status, body, trail } = await ask({ models: ['a/one', 'b/two', 'b/three'] })
  t.equal(status, 502)
  t.match(body.error, { code: 'all_models_failed', message: 'All 3 model attempt(s) failed (last: b/three - overloaded)' })
  t.equal(trail.length, 3)
  const simulator = await simulate(t, { models: { one: [{ status: 429 }] } })
  const limited = fallbackOf(t, { chat: ['a/one'] }, { providers: providersOn(simulator) })
  const response = await limited.handle(chat({ models: ['a/one'] }))
  t.match([response.status, await jsonOf(response)], [429, { error: { code: 'all_models_failed' } }])
})

t.test('limits of an entry win over those of the chain, which win over the leg; a time for the attempt is one for its first content', async (t) => {
  const clock = createFakeClock()
  const simulator = await simulate(t, { fallback: { connect: 'accept_stall' } })
  const fallback = createMountableFallback(ROUTES, { providers: providersOn(simulator), timeoutMs: 50_000 }, { clock })
  t.teardown(() => fallback.close())
  const done = fallback.handle(stream({
    models: [{ model: 'a/one', timeout_ms: 2_000 }, 'b/two', { model: 'c/four', first_token_timeout_ms: 700 }],
    redundancy: { timeout_ms: 9_000, first_token_timeout_ms: 3_000 },
  }))
  for (const [model, waitMs] of [['one', 2_000], ['two', 3_000], ['four', 700]] as const) {
    await simulator.waitForCall(model, 1)
    await clock.advance(waitMs - 1)
    const before = simulator.calls.length
    await clock.advance(1)
    t.equal(simulator.calls.length, before, `${model} has all its time`)
  }
  const response = await done
  t.equal(response.status, 502)
  t.match(outline(response.headers['understudy-trail']), [/a\/one failed timeout/, 'b/two failed timeout first_content', 'c/four failed timeout first_content'])
})

t.test('what is for us reaches no provider, streamed or not, and the body of the host is not touched', async (t) => {
  const { fallback, simulator } = await setUp(t)
  const fields = {
    model: 'default', messages: MESSAGES, models: ['a/one'], redundancy: { timeout_ms: 5_000 }, idempotent: true, vertex: {}, jev: {}, user: 'u',
  }
  const before = JSON.stringify(fields)
  await fallback.handle(post(fields))
  await fallback.handle(post('', { readBody: () => Promise.resolve({ type: 'parsed', value: fields }) }))
  await fallback.handle(post(`{"models":["a/one"],"models":["b/two"],"messages":${JSON.stringify(MESSAGES)},"fallback_models":null}`))
  t.equal(JSON.stringify(fields), before)
  t.strictSame(simulator.calls.map(({ body }) => Object.keys(body as object).sort()), [
    ['messages', 'model', 'user'], ['messages', 'model', 'user'], ['messages', 'model'],
  ])
})

t.test('the chain behind a key begins at the model that is asked for, and the request wins over it', async (t) => {
  const failoverDefaults = { models: ['a/one', 'b/two', 'other'], timeoutMs: 10, on: ['server_error', 'bogus'] }
  const { ask, fallback } = await setUp(t, ['one', 'two', 'three'], { identify: () => ({ keyId: 'k1', failoverDefaults }), logger: silent() })
  const events = listen(fallback)
  t.strictSame((await ask({ model: 'b/two' })).trail, ['b/two failed overloaded', 'b/three failed overloaded', 'a/one failed overloaded', 'c/four served'])
  const { route, body } = await ask({ model: 'a/one', redundancy: { on: ['timeout'] } })
  t.match([route, body], ['key-chain', { error: { code: 'all_models_failed' } }])
  t.equal((await ask({ model: 'default' })).route, 'default', 'a model that is not in it has its route')
  t.strictSame((await ask({ model: 'a/one', models: ['c/four'] })).trail, ['c/four served'])
  await heard()
  const ids = events.flatMap((event) => (event.type === 'failover' || event.type === 'run-end' ? [event.callerKeyId] : []))
  t.ok(ids.length > 4)
  t.strictSame([...new Set(ids)], ['k1'])
})

t.test('a request that must not be processed twice stays with a provider that may have processed it', async (t) => {
  const simulator = await simulate(t, { models: { one: [{ connect: 'reset_before_headers' }] }, fallback: {} })
  const refusing = { ...providersOn(simulator), c: { dialect: 'openai' as const, baseURL: 'http://127.0.0.1:9', apiKey: 'k' } }
  const fallback = fallbackOf(t, { chat: ['a/one', 'b/two'], gone: ['c/x', 'b/two'], once: { legs: ['a/one', 'b/two', 'a/three'], idempotency: 'never' } }, { providers: refusing, breaker: false })
  const trailOf = async (fields: object) => outline((await fallback.handle(chat({ ...fields }))).headers['understudy-trail'])
  t.strictSame(await trailOf({ model: 'chat' }), ['a/one failed connection_error', 'b/two served'])
  t.strictSame(await trailOf({ model: 'chat', idempotent: true }), ['a/one failed connection_error', 'b/two served'])
  t.strictSame(await trailOf({ model: 'chat', idempotent: false }), ['a/one failed connection_error', 'b/two skipped refused'], 'the request had been written')
  t.strictSame(await trailOf({ model: 'gone', idempotent: false }), ['c/x failed connection_error', 'b/two served'], 'nobody was there to read it')
  t.strictSame(await trailOf({ model: 'once' }), ['a/one failed connection_error', 'a/three served'])
  t.strictSame(await trailOf({ models: ['b/two', 'once'] }), ['b/two served'])
  t.strictSame(await trailOf({ models: ['a/one', 'b/two', 'once'] }), ['a/one failed connection_error', 'a/three served'], 'the strictest of its routes holds')
})

t.test('OpenAI\'s own client names its chain through extra fields', async (t) => {
  const { fallback } = await setUp(t, ['one'])
  const mounted = mountFallback(fallback)
  const server = createServer((req, res) => {
    const { path, query } = splitTarget(req.url)
    const request = readRequest(req, res, { path, query, atRoot: true }, () => undefined)
    void mounted.handle(request).then((response) => writeResponse(res, response, request.client))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const client = new OpenAI({ baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: 'x', maxRetries: 0 })
  const body = { model: 'default', messages: [{ role: 'user' as const, content: 'Hello' }], models: ['a/one', 'c/four'], redundancy: { timeout_ms: 5_000 } }
  const { data, response } = await client.chat.completions.create(body).withResponse()
  t.strictSame(outline(response.headers.get('understudy-trail') ?? ''), ['a/one failed overloaded', 'c/four served'])
  t.ok(data.choices[0]?.message.content)
  let text = ''
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) text += chunk.choices[0]?.delta.content ?? ''
  t.equal(text, data.choices[0]?.message.content)
  const secret = { ...body, models: ['a/secret'] }
  await t.rejects(client.chat.completions.create(secret), { status: 400, code: 'unknown_model' })
})

function silent() {
  const line = (): void => undefined
  return { debug: line, info: line, warn: line, error: line }
}
