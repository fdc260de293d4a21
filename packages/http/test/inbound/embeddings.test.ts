import type { FallbackOptions, RoutesInput } from '@understudy/config'
import type { Script } from '@understudy/simulator'
import t, { type Test } from 'tap'

import { fallbackOf, jsonOf, outline, post, providersOn, simulate, textOf, type RequestOverrides } from '../kit.js'

const ROUTES: RoutesInput = { search: { legs: ['a/one', 'b/two'], dimensions: 2 } }

function asked(body: object = {}, overrides: RequestOverrides = {}) {
  return post({ model: 'search', input: ['x', 'y'], ...body }, { path: '/v1/embeddings', ...overrides })
}

async function start(t: Test, script: Script, routes: RoutesInput = ROUTES, options: FallbackOptions = {}) {
  const simulator = await simulate(t, script)
  return { simulator, fallback: fallbackOf(t, routes, { providers: providersOn(simulator), ...options }) }
}

function answer(...vectors: readonly unknown[]) {
  return { body: { object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding, odd: 'kept' })), model: 'm' } as never }
}

t.test('the paths are ours, at the root only the long one', async (t) => {
  const fallback = fallbackOf(t, ROUTES, { providers: providersOn({ url: 'http://127.0.0.1:9' }) })
  t.strictSame(['/embeddings', '/v1/embeddings'].map((path) => fallback.matches('POST', path)), [true, true])
  t.strictSame(['/embeddings', '/v1/embeddings'].map((path) => fallback.matches('POST', path, true)), [false, true])
  t.notOk(fallback.matches('GET', '/v1/embeddings'))
})

t.test('an answer that is not what the route promises moves on', async (t) => {
  const steps = {
    'a vector is missing': answer([1, 2]),
    'a vector is too long': answer([1, 2], [1, 2, 3]),
    'a member is no number': answer([1, 2], [1, '2']),
    'half a float': answer([1, 2], 'AACAPwA='),
    'no vectors': { body: {} },
    'an error': { body: { error: { message: 'm', type: 'server_error', code: 'overloaded' } } },
    'no JSON': { html: true },
    'cut off': { ...answer([1, 2], [3, 4]), fault: { do: 'close', afterBytes: 20 } },
    'a reset': { connect: 'reset_before_headers' },
    'a refusal': { status: 400 },
    'an unknown coding': { ...answer([1, 2], [3, 4]), headers: { 'content-encoding': 'zstd' } },
  } as const
  const reasons: Record<string, string | undefined> = {}
  for (const [name, step] of Object.entries(steps)) {
    const { fallback } = await start(t, { models: { one: [step], two: [answer([1, 2], [3, 4])] } }, ROUTES, { breaker: false })
    const response = await fallback.handle(asked())
    t.equal(response.status, 200, name)
    t.match(await jsonOf(response), { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }] }, name)
    reasons[name] = outline(response.headers['understudy-trail'])[0]
  }
  t.strictSame(reasons, {
    'a vector is missing': 'a/one failed malformed',
    'a vector is too long': 'a/one failed malformed',
    'a member is no number': 'a/one failed malformed',
    'half a float': 'a/one failed malformed',
    'no vectors': 'a/one failed malformed',
    'an error': 'a/one failed overloaded',
    'no JSON': 'a/one failed malformed',
    'cut off': 'a/one failed connection_error',
    'a reset': 'a/one failed connection_error',
    'a refusal': 'a/one failed invalid_request',
    'an unknown coding': 'a/one failed malformed',
  })
})

t.test('one call\'s answer goes through as it came; another form is made where the client reads another', async (t) => {
  const { fallback, simulator } = await start(t, { models: { one: [answer([1, 0.5], [2, 3])] } })
  const response = await fallback.handle(asked({ user: 'u', vertex: {} }, { headers: { authorization: 'Bearer mine' } }))
  t.match(await jsonOf(response), { data: [{ odd: 'kept' }, { odd: 'kept' }], model: 'm' })
  t.strictSame(simulator.calls[0]?.body, { user: 'u', model: 'one', input: ['x', 'y'], dimensions: 2 })
  t.equal(simulator.calls[0]?.headers['authorization'], 'Bearer key-of-a')
  const encoded = await jsonOf(await fallback.handle(asked({ encoding_format: 'base64' })))
  t.strictSame(encoded['data'], [[1, 0.5], [2, 3]].map((vector, index) => ({
    object: 'embedding', index, embedding: Buffer.from(new Float32Array(vector).buffer).toString('base64'),
  })))
  simulator.setScript({ models: { one: [answer('AACAPwAAAD8=', 'AAAAQAAAQEA=')] } })
  t.match(await jsonOf(await fallback.handle(asked())), { data: [{ embedding: [1, 0.5] }, { embedding: [2, 3] }], usage: { prompt_tokens: 0 } })
})

t.test('`authorize` is shown what is sent, and `sign` signs each piece', async (t) => {
  const shown: string[] = []
  const signed: string[] = []
  const simulator = await simulate(t, { fallback: answer([1, 2]) })
  const a = { dialect: 'openai' as const, baseURL: simulator.url, sign: (bytes: Uint8Array) => ({ 'x-bytes': String(signed.push(Buffer.from(bytes).toString())) }) }
  const routes = { search: { legs: [{ provider: 'a', model: 'one', batchSize: 1 }], dimensions: 2 } }
  const fallback = fallbackOf(t, routes, { providers: { a }, authorize: ({ bytes }) => void shown.push(Buffer.from(bytes).toString()) })
  t.equal((await fallback.handle(asked())).status, 200)
  t.strictSame(shown, [signed.join('\n')])
  t.strictSame(simulator.calls.map(({ rawBody, headers }) => [rawBody.toString(), headers['x-bytes']]), signed.map((text, index) => [text, String(index + 1)]))
  const refusing = fallbackOf(t, routes, { providers: { a }, authorize: () => ({ refuse: 'stop', reason: 'not today' }) })
  t.match(await jsonOf(await refusing.handle(asked())), { error: { code: 'refused', message: 'not today' } })
})

t.test('tokens go to whoever understands them, and leave the others out', async (t) => {
  const simulator = await simulate(t, { fallback: answer([1, 2]) })
  const google = { dialect: 'gemini' as const, baseURL: simulator.origin, apiKey: 'k' }
  const providers = { ...providersOn(simulator), google }
  const fallback = fallbackOf(t, { search: { legs: ['google/e', 'a/one'], dimensions: 2 }, only: { legs: ['google/e'], dimensions: 2 } }, { providers })
  const response = await fallback.handle(asked({ input: [1, 2, 3] }))
  t.strictSame(outline(response.headers['understudy-trail']), ['google/e skipped untranslatable', 'a/one served'])
  t.match(simulator.calls[0]?.body, { input: [[1, 2, 3]] })
  t.match(await jsonOf(await fallback.handle(asked({ model: 'only', input: [[1], [2]] }))), { error: { code: 'untranslatable_request', message: /input-tokens/ } })
})

t.test('a client that leaves ends the call in flight, and no later piece is asked', async (t) => {
  const { fallback, simulator } = await start(t, { fallback: { connect: 'accept_stall' } }, { search: { legs: [{ provider: 'a', model: 'one', batchSize: 1 }, 'b/two'], dimensions: 2 } })
  const request = asked()
  const answered = fallback.handle(request)
  const call = await simulator.waitForCall('one', 1)
  request.leave()
  t.equal((await call.closed).by, 'client')
  await answered
  t.equal(simulator.calls.length, 1)
  t.equal(fallback.snapshot().openRuns, 0)
})

t.test('a leg that cannot be asked stops the mount, and a route whose legs were left out is told so', async (t) => {
  const bedrock = { dialect: 'bedrock' as const, region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }
  t.throws(() => fallbackOf(t, { search: { legs: ['bedrock/amazon.nova-pro-v1:0'], dimensions: 2 } }, { providers: { bedrock } }), {
    code: 'ERR_UNDERSTUDY_CONFIG', message: /routes\.search\.legs\[0\]: no embeddings of the model 'amazon\.nova-pro-v1:0'/,
  })
  const fallback = fallbackOf(t, { search: { legs: ['mistral/mistral-embed'], dimensions: 2 } }, { logger: { debug() {}, info() {}, warn() {}, error() {} } }, { env: {} })
  const response = await fallback.handle(asked())
  t.equal(response.status, 404)
  t.match(await textOf(response), /have no credentials/)
})

t.test('the snapshot shows the legs and when they last served', async (t) => {
  const { fallback } = await start(t, { models: { one: [{ status: 503 }], two: [answer([1, 2], [3, 4])] } })
  const legs = [{ provider: 'a', model: 'one' }, { provider: 'b', model: 'two' }]
  t.match(fallback.snapshot().routes, [{ name: 'search', dimensions: 2, chain: { layer: 'code', version: 0 }, legs }])
  await fallback.handle(asked())
  const [route] = fallback.snapshot().routes
  t.strictSame(route?.legs.map(({ lastServedAt }) => typeof lastServedAt), ['undefined', 'number'])
  t.throws(() => fallback.chains.trial('search'), { code: 'unknown_route', message: "'search' is a route of embeddings, which only the code can change" })
})

t.test('a drill fails a leg before it is called; its bytes cannot be tampered with', async (t) => {
  const { fallback, simulator } = await start(t, { models: { two: [answer([1, 2], [3, 4])] } })
  const drill = { route: 'search', share: 1, forMs: 60_000, maxRequests: 1, actor: 'ann', reason: 'game day' } as const
  t.throws(() => fallback.drills.start({ ...drill, fault: 'cut' }), { code: 'invalid_request', message: /vectors are no stream/ })
  fallback.drills.start({ ...drill, fault: 'fail' })
  const response = await fallback.handle(asked())
  t.equal(response.status, 200)
  t.match(response.headers['understudy-trail'], /a\/one.*;drill/)
  t.strictSame(simulator.calls.map(({ model }) => model), ['two'])
  t.match(fallback.drills.list(), [{ endCause: 'requests', drilled: 1 }])
})

t.test('a request that takes a route of the other kind is told so', async (t) => {
  const { fallback } = await start(t, {}, { ...ROUTES, chat: ['a/one'] })
  const chat = await fallback.handle(post({ model: 'search', messages: [{ role: 'user', content: 'Hello' }] }))
  t.match(await jsonOf(chat), { error: { code: 'model_not_found', message: "route 'search' is for embeddings: ask POST /embeddings" } })
  t.match(await jsonOf(await fallback.handle(asked({ model: 'chat' }))), {
    error: { code: 'model_not_found', message: "route 'chat' is for completions, and not for embeddings" },
  })
})
