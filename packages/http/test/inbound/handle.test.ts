import type { CustomLeg, FallbackEvent } from '@understudy/core'
import fc from 'fast-check'
import t from 'tap'

import type { InboundBody } from '../../src/inbound/request.js'
import type { OutboundResponse } from '../../src/inbound/response.js'
import { chat, contentOf, EPOCH, fallbackOf, fails, heard, jsonOf, MESSAGES, post, providersOn, says, simulate, textOf } from '../kit.js'

const ID = 'request-1'
const WITH_ID = { headers: { 'x-request-id': ID } }

function refusalOf(status: number, error: Readonly<Record<string, unknown>>) {
  const json = JSON.stringify({ error, request_id: ID })
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': ID,
      'content-length': String(Buffer.byteLength(json)),
    },
    body: json,
  }
}

async function whole(response: OutboundResponse) {
  return { ...response, body: await textOf(response) }
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

t.test('a request that never becomes a run is refused in JSON, whole and with its id', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')], other: [says('two', 'Hi')] }, { maxBodyBytes: 99 })
  const body = (value: InboundBody) => ({ readBody: () => Promise.resolve(value) })
  const asked = [
    chat({}, { headers: { 'x-request-id': ID, 'content-type': 'text/plain' } }),
    post('{', WITH_ID),
    post(Buffer.from([0xff]), WITH_ID),
    post([], WITH_ID),
    chat({ messages: [{ role: 1 }] }, WITH_ID),
    chat({}, { ...WITH_ID, ...body({ type: 'too_large', limit: 99 }) }),
    chat({ model: undefined }, WITH_ID),
    chat({ model: '' }, WITH_ID),
    chat({ model: null }, WITH_ID),
    chat({ model: 'g\u00fcnther' }, WITH_ID),
    chat({ model: '__proto__' }, WITH_ID),
    chat({ model: 'constructor' }, WITH_ID),
  ]
  const invalid = { type: 'invalid_request_error', code: 'invalid_request_error' }
  const required = refusalOf(400, { message: 'model: name one of the routes; there is \'chat\', \'other\'', ...invalid, param: 'model' })
  const unknown = (name: string) =>
    refusalOf(404, { message: `no route is called '${name}'; there is 'chat', 'other'`, type: 'invalid_request_error', code: 'model_not_found', param: 'model' })
  const expected = [
    refusalOf(415, { message: 'content-type is \'text/plain\'; send application/json', type: 'invalid_request_error', code: 'unsupported_media_type' }),
    refusalOf(400, { message: 'the body is not valid JSON (line 1, column 2)', type: 'invalid_request_error', code: 'invalid_json' }),
    refusalOf(400, { message: 'the body is not valid UTF-8', type: 'invalid_request_error', code: 'invalid_json' }),
    refusalOf(400, { message: 'the body is an array; send a JSON object', ...invalid }),
    refusalOf(400, { message: 'messages[0].role: is a number; it must be a string', ...invalid, param: 'messages[0].role' }),
    refusalOf(413, { message: 'the body is larger than 99 bytes (maxBodyBytes)', type: 'invalid_request_error', code: 'request_too_large' }),
    required,
    required,
    required,
    unknown('g\u00fcnther'),
    unknown('__proto__'),
    unknown('constructor'),
  ]
  const got = []
  for (const request of asked) got.push(await whole(await fallback.handle(request)))
  t.strictSame(got, expected)
})

t.test('the content type is judged before the body is read, and the limit is the mount\'s', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] }, { maxBodyBytes: 99 })
  const limits: number[] = []
  const readBody = (limit: number): Promise<InboundBody> => {
    limits.push(limit)
    return Promise.resolve({ type: 'too_large', limit })
  }
  await fallback.handle(chat({}, { readBody, headers: { 'content-type': 'text/html' } }))
  t.strictSame(limits, [])
  await fallback.handle(chat({}, { readBody }))
  t.strictSame(limits, [99])
})

t.test('a name that nobody knows is not sent back whole', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] })
  const { error } = await jsonOf(await fallback.handle(chat({ model: 'x'.repeat(100_000) })))
  t.equal(error?.message, `no route is called '${'x'.repeat(200)}...'; there is 'chat'`)
})

t.test('an encoding that is not read is named, on every surface', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] })
  for (const path of ['/chat/completions', '/embeddings', '/policy-check']) {
    const readBody = () => Promise.resolve({ type: 'unreadable', reason: 'unsupported_encoding' } as const)
    const { error } = await jsonOf(await fallback.handle(chat({}, { path, headers: { 'content-encoding': 'zstd' }, readBody })))
    t.equal(error?.message, "content-encoding is 'zstd'; send gzip, deflate, br or identity", path)
  }
})

t.test('a name that is not known is told what would be', async (t) => {
  const leg = [says('one', 'Hi')]
  const told = async (routes: Parameters<typeof fallbackOf>[1], model: string | undefined) =>
    (await jsonOf(await fallbackOf(t, routes, { providerValidation: 'lenient', logger: SILENT }, { env: {} }).handle(chat({ model })))).error?.message
  t.equal(await told({ a: leg, b: leg }, 'x'), "no route is called 'x'; there is 'a', 'b'")
  const many = Object.fromEntries(Array.from('abcdef', (name) => [name, leg]))
  t.equal(await told(many, 'x'), "no route is called 'x'; GET /models lists them")
  t.equal(await told({ ...many, search: leg }, 'serach'), "no route is called 'serach'; GET /models lists them; did you mean 'search'?")
  t.equal(await told({ a: leg, b: leg }, undefined), "model: name one of the routes; there is 'a', 'b'")
  t.equal(await told({ '*': leg, b: leg }, undefined), "model: name one of the routes; there is 'b'")
  t.equal(await told({ '*': ['ollama/*'] }, undefined), 'model: name a model')
  t.equal(await told({ a: leg, b: ['openai/x'] }, 'b'), 'the legs of this route were left out: their providers have no credentials')
})

t.test('the model picks the route', async (t) => {
  const named = (route: string) => [says(route, route)]
  const served = async (routes: Parameters<typeof fallbackOf>[1], model?: unknown) => {
    const response = await fallbackOf(t, routes).handle(chat({ model }))
    const { choices, error } = await jsonOf(response)
    return choices?.[0]?.message?.content ?? error?.code
  }
  t.equal(await served({ only: named('only') }), 'only', 'the only one needs no name')
  t.equal(await served({ only: named('only') }, ''), 'only', 'nor an empty one')
  t.equal(await served({ only: named('only') }, 'else'), 'model_not_found', 'but another is not it')
  t.equal(await served({ one: named('one'), default: named('default') }), 'default', 'of several the default')
  t.equal(await served({ one: named('one'), two: named('two') }), 'invalid_request_error', 'else a name is due')
  t.equal(await served({ one: named('one'), '*': named('any') }, 'one'), 'one', 'a name comes before *')
  t.equal(await served({ one: named('one'), '*': named('any') }, 'else'), 'any', '* takes the rest')
  t.equal(await served({ one: named('one'), '*': named('any') }), 'invalid_request_error', '* is no default')
  t.equal(await served({ '*': named('any') }), 'any', 'but it may be the only one')
})

t.test('a leg provider/* is asked for the request\'s own model, so there has to be one', async (t) => {
  const simulator = await simulate(t)
  const fallback = fallbackOf(t, { '*': ['a/*'] }, { providers: providersOn(simulator) })
  t.equal((await fallback.handle(chat({ model: 'anything/at:all' }))).status, 200)
  t.strictSame(simulator.calls.map(({ model }) => model), ['anything/at:all'])
  t.match(await jsonOf(await fallback.handle(chat({ model: undefined }))), { error: { code: 'invalid_request_error', param: 'model' } })
  t.match(await jsonOf(await fallback.handle(chat({ model: '' }))), { error: { code: 'invalid_request_error', param: 'model' } })
  t.equal(simulator.calls.length, 1)
})

t.test('what a leg provider/* was asked for is told, and its memory is one, whatever clients ask for', async (t) => {
  const simulator = await simulate(t, { models: { 'm-1': [{ status: 429, headers: { 'retry-after': '60' } }], 'm-2': [{}] } })
  const events: FallbackEvent[] = []
  const fallback = fallbackOf(t, { '*': ['a/*', 'b/m-2'] }, { providers: providersOn(simulator) })
  fallback.on((event) => void events.push(event))
  const response = await fallback.handle(chat({ model: 'm-1' }))
  t.match(response.headers['understudy-trail'], /^"a\/m-1";outcome=failed;reason=rate_limit;ms=\d+, "b\/m-2";outcome=served;ms=\d+$/)
  t.match(await jsonOf(response), {
    understudy: { requested_model: 'a/m-1', served_model: 'b/m-2', failover: { attempts: [{ model: 'a/m-1' }, { model: 'b/m-2' }] } },
  })
  await heard()
  t.match(events.filter((event) => 'provider' in event && event.provider === 'a'), [
    { type: 'attempt-start', model: 'm-1' },
    { type: 'attempt-failure', model: 'm-1' },
  ])
  const { cooldowns, lastFailures } = fallback.snapshot()
  t.match([cooldowns, lastFailures], [[{ provider: 'a', model: '*' }], [{ provider: 'a', model: '*', kind: 'rate_limit' }]])
  const next = await fallback.handle(chat({ model: 'other' }))
  t.match(next.headers['understudy-trail'], /^"a\/other";outcome=skipped;reason=cooldown/)

  const lone = fallbackOf(t, { '*': ['a/*'] }, { providers: providersOn(await simulate(t)) })
  const long = await lone.handle(chat({ model: 'x'.repeat(10_000) }))
  t.equal(long.headers['understudy-served'], `a/${'x'.repeat(256)}`)
  t.match(lone.snapshot().routes, [{ legs: [{ model: '*', lastServedAt: Number }] }])
})

t.test('what is ours in a body reaches no provider, and the rest does, odd as it may be', async (t) => {
  const simulator = await simulate(t)
  const fallback = fallbackOf(t, { chat: ['a/m-1'] }, { providers: providersOn(simulator) })
  const ours = '"models":["chat"],"fallback_models":null,"redundancy":{},"idempotent":true,"vertex":{},"jev":{},'
  const odd = '"__proto__":{"x":1},"constructor":{"prototype":{}},"next_year":"\\u0000\\ud800"'
  const parsed: unknown = JSON.parse(`{${ours}"model":"chat","messages":[{"role":"user","content":"\\ud800"}],${odd}}`)
  const before = JSON.stringify(parsed)
  const forms: InboundBody[] = [
    { type: 'bytes', bytes: Buffer.from(before) },
    { type: 'parsed', value: parsed },
  ]
  for (const form of forms) {
    const response = await fallback.handle(post('', { readBody: () => Promise.resolve(form) }))
    t.equal(response.status, 200, form.type)
  }
  const sent = `{"model":"m-1","messages":[{"role":"user","content":"\\ud800"}],${odd}}`
  t.strictSame(simulator.calls.map(({ rawBody }) => rawBody.toString()), [sent, sent])
  t.equal(JSON.stringify(parsed), before, 'the host\'s own object is as it was')
  t.notOk('x' in {})
})

t.test('defaults of the route lie under those of the leg, and both under the request', async (t) => {
  const simulator = await simulate(t)
  const legs = [{ provider: 'a', model: 'm-1', defaults: { temperature: 0.2, top_p: 0.2 } }]
  const routes = { chat: { legs, defaults: { temperature: 0.1, seed: 1, user: 'route' } } }
  const fallback = fallbackOf(t, routes, { providers: providersOn(simulator) })
  await fallback.handle(chat({ top_p: 0.3, user: null }))
  t.strictSame(simulator.calls[0]?.body, { model: 'm-1', messages: MESSAGES, top_p: 0.3, user: null, temperature: 0.2, seed: 1 })
})

t.test('only headers that say how a dialect is meant reach a provider', async (t) => {
  const simulator = await simulate(t)
  const fallback = fallbackOf(t, { chat: ['a/m-1'] }, { providers: providersOn(simulator) })
  const headers = { authorization: 'Bearer caller', cookie: 'c=1', 'x-api-key': 'caller', 'openai-beta': 'assistants=v2', 'x-other': 'caller' }
  await fallback.handle(chat({}, { headers }))
  const call = simulator.calls[0]
  t.equal(call?.headers['openai-beta'], 'assistants=v2')
  t.equal(call?.headers['authorization'], 'Bearer key-of-a')
  t.notMatch(JSON.stringify(call?.rawHeaders), /caller|cookie/)
})

t.test('a custom leg reads the request in neutral form, with the defaults in it', async (t) => {
  const seen: unknown[] = []
  const open: CustomLeg['open'] = async function* ({ messages, temperature, maxTokens, model, body }) {
    seen.push({ messages, temperature, maxTokens, model, keys: Object.keys(body ?? {}) })
    yield 'Hi'
  }
  const filled = { name: 'filled', open, defaults: { temperature: 0.5, max_tokens: 7 } }
  const fallback = fallbackOf(t, { chat: [filled], plain: [{ name: 'plain', open }] })
  await fallback.handle(chat({ temperature: 0, jev: {} }))
  await fallback.handle(chat({ model: 'plain' }))
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
  t.strictSame(seen, [
    { messages, temperature: 0, maxTokens: 7, model: 'chat', keys: ['temperature', 'max_tokens', 'model', 'messages'] },
    { messages, temperature: undefined, maxTokens: undefined, model: 'plain', keys: ['model', 'messages'] },
  ])
})

t.test('the id of a request is kept if it is sane, and made if not', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] })
  const idOf = async (id: string | readonly string[] | undefined) =>
    (await fallback.handle(chat({}, { headers: { 'x-request-id': id } }))).headers['x-request-id']
  for (const id of ['a', 'req_1.2:3/4+5=6@7-8', 'x'.repeat(128)]) t.equal(await idOf(id), id)
  const made = new Set<unknown>()
  const strange = ['', 'x'.repeat(129), 'a b', 'a\r\nset-cookie: x', 'a"b', '\u00fc', ['a', 'b'], undefined]
  for (const id of strange) {
    const own = await idOf(id)
    t.match(own, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    made.add(own)
  }
  t.equal(made.size, strange.length)
})

t.test('the routes that a caller may name are listed, in GET and HEAD alike', async (t) => {
  const fallback = fallbackOf(
    t,
    { chat: [says('one', 'Hi')], '*': [says('any', 'Hi')], empty: ['openai/gpt-4o'], 'a "b"': [says('two', 'Hi')] },
    { providerValidation: 'lenient', logger: { debug() {}, info() {}, warn() {}, error() {} } },
    { env: {}, wallClock: () => EPOCH },
  )
  const row = (id: string) => ({ id, object: 'model', created: EPOCH / 1000, owned_by: 'understudy' })
  const json = JSON.stringify({ object: 'list', data: [row('chat'), row('a "b"')] })
  const expected = {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': ID, 'content-length': String(Buffer.byteLength(json)) },
    body: json,
  }
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['/models', '/v1/models', '/v1/models/']) {
      const response = await fallback.handle({ ...chat({}, WITH_ID), method, path, readBody: () => Promise.reject(new Error('not read')) })
      t.strictSame(await whole(response), expected, `${method} ${path}`)
    }
  }
})

t.test('a route that lenient left empty is unknown, and its provider was named in one warning', async (t) => {
  const lines: unknown[] = []
  const line = (fields: unknown, message: string) => lines.push([fields, message])
  const logger = { debug: line, info: line, warn: line, error: line }
  const routes = { chat: [says('one', 'Hi')], empty: ['openai/gpt-4o', 'openai/gpt-4o-mini'] }
  const fallback = fallbackOf(t, routes, { providerValidation: 'lenient', logger }, { env: {} })
  t.match(await jsonOf(await fallback.handle(chat({ model: 'empty' }))), { error: { code: 'model_not_found' } })
  t.match(lines, [[{ code: 'UNDERSTUDY_NO_CREDENTIALS' }, /OPENAI_API_KEY/]])
  t.equal(lines.length, 1)
  t.throws(() => fallbackOf(t, routes, { logger }, { env: {} }), /OPENAI_API_KEY/, 'and strict stops the mount')
})

t.test('what is not ours is a 404, should it come all the same', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] })
  const response = await fallback.handle(chat({}, { ...WITH_ID, path: '/else' }))
  t.strictSame(
    await whole(response),
    refusalOf(404, { message: 'nothing is served here', type: 'invalid_request_error', code: 'not_found' }),
  )
  t.strictSame(['/', '/completions', '/models'].map((path) => fallback.matches(path === '/models' ? 'GET' : 'POST', path, true)), [false, false, false])
  t.equal(fallback.matches('POST', '/'), true)
})

t.test('whatever comes gets a well-formed answer', async (t) => {
  const fallback = fallbackOf(t, { chat: [fails('bad', new Error('no')), says('one', 'Hi')], '*': [says('any', 'Hi')] })
  const isWellFormed = async (request: ReturnType<typeof post>): Promise<boolean> => {
    const response = await fallback.handle(request)
    const text = await textOf(response)
    const { 'content-type': type, 'content-length': length, 'x-request-id': id } = response.headers
    if (id === undefined || Object.values(response.headers).some((value) => !/^[\x20-\x7e]*$/.test(value))) return false
    if (response.status === 200 && type?.startsWith('text/event-stream')) return contentOf(text) === 'Hi' && text.endsWith('data: [DONE]\n\n')
    return [200, 400, 404, 415].includes(response.status) && length === String(Buffer.byteLength(text)) && JSON.parse(text) !== null
  }
  const headers = fc.dictionary(fc.constantFrom('content-type', 'x-request-id', 'openai-beta', 'accept'), fc.string({ unit: 'binary' }))
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), headers, (bytes, given) => isWellFormed(post(bytes, { headers: given }))),
  )
  const fields = fc.record(
    { model: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('chat')), stream: fc.boolean(), n: fc.constantFrom(1, 2, 0, -1, 1e9), messages: fc.constant(MESSAGES) },
    { requiredKeys: ['messages'] },
  )
  await fc.assert(fc.asyncProperty(fields, headers, (body, given) => isWellFormed(post(body, { headers: given }))))
  await fc.assert(fc.asyncProperty(fc.json(), (json) => isWellFormed(post(json))))
})
