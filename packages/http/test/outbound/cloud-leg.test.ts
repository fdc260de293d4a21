import { ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import type { AwsCredentials, ResolvedCloud, ResolvedProvider } from '@understudy/config'
import { LegFailedError, type ChatRequest, type LegContext } from '@understudy/core'
import { anthropicOnBedrock, anthropicOnVertex, bedrock, gemini, type ProviderCodec } from '@understudy/dialects'
import { startSimulator, type Script, type Simulator } from '@understudy/simulator'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { bedrockClient } from '../../../../test/kit/bedrock-client.js'
import { recordedBytes } from '../../../../test/kit/recorded.js'
import { endpointOf } from '../../src/outbound/endpoint.js'
import { createBinaryFrameReader } from '../../src/outbound/binary-frame-reader.js'
import type { HttpLegOptions } from '../../src/outbound/http-leg.js'
import { contextOf, legOn, partsOf, providerOf, requestOf, serve } from './kit.js'

const MODEL = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'canary/secret+key', sessionToken: 'canary-token/+=' }
const HELLO: ChatRequest = { stream: true, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }

function atBedrock(credentials?: () => AwsCredentials | Promise<AwsCredentials>, region = 'eu-west-1'): ResolvedCloud {
  return { type: 'bedrock', region, credentials, isElsewhere: true }
}

const AT_VERTEX: ResolvedCloud = { type: 'vertex', project: 'p-1', location: 'europe-west1', isElsewhere: true }

async function simulate(t: Test, script: Script): Promise<Simulator & { readonly origin: string }> {
  const simulator = await startSimulator({ script })
  t.teardown(() => simulator.close())
  return { ...simulator, get calls() { return simulator.calls }, origin: new URL(simulator.url).origin }
}

function legAt(t: Test, origin: string, cloud: ResolvedCloud, more: Partial<ResolvedProvider> & Partial<Pick<HttpLegOptions, 'codec' | 'model' | 'region'>> = {}) {
  const { codec = bedrock, model = MODEL, region, ...overrides } = more
  const provider = providerOf(origin, { dialect: 'bedrock', cloud, credential: () => undefined, ...overrides })
  return legOn(t, origin, { provider, codec, model, region })
}

async function kindOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(() => 'served', (error: unknown) => (error instanceof LegFailedError ? [error.failure.kind, error.failure.code] : error))
}

async function open(leg: ReturnType<typeof legAt>, request: ChatRequest = HELLO, context: LegContext = contextOf()) {
  return leg.open(request, context)
}

t.test('the same command as the vendor\'s client sends has the same path and body, and a signature that holds', async (t) => {
  const { origin, calls } = await simulate(t, { fallback: { answer: { text: ['a', 'b'] } }, strict: true, aws: KEYS })
  const client = bedrockClient(origin, { credentials: { ...KEYS }, region: 'eu-west-1' })
  const input = {
    modelId: MODEL,
    system: [{ text: 'be brief' }],
    messages: [
      { role: 'user' as const, content: [{ text: 'gr\u00fc\u00dfe' }, { image: { format: 'png' as const, source: { bytes: Buffer.from([1, 2, 3]) } } }] },
      { role: 'assistant' as const, content: [{ reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } }, { toolUse: { toolUseId: 'c1', name: 'f', input: { x: 1 } } }] },
      { role: 'user' as const, content: [{ toolResult: { toolUseId: 'c1', content: [{ text: '42' }] } }] },
    ],
    inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: undefined, stopSequences: ['x'] },
    toolConfig: { tools: [{ toolSpec: { name: 'f', description: 'd', inputSchema: { json: { type: 'object' } } } }], toolChoice: { auto: {} } },
    additionalModelResponseFieldPaths: ['/stop_sequence'],
  }
  const { stream } = await client.send(new ConverseStreamCommand(input))
  for await (const event of stream ?? []) t.ok(event)
  await client.send(new ConverseCommand(input))

  const request: ChatRequest = {
    stream: true,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
      { role: 'user', content: [{ type: 'text', text: 'gr\u00fc\u00dfe' }, { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AQID' } }] },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', signature: 's' }], toolCalls: [{ id: 'c1', name: 'f', arguments: '{"x":1}' }] },
      { role: 'tool', toolCallId: 'c1', content: [{ type: 'text', text: '42' }] },
    ],
    tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
    toolChoice: 'auto',
    maxTokens: 100,
    temperature: 0.5,
    stop: ['x'],
  }
  const leg = legAt(t, origin, atBedrock(() => KEYS))
  t.strictSame((await partsOf(await open(leg, request))).map(({ type }) => type), ['start', 'text', 'text', 'finish', 'usage', 'end'])
  await partsOf(await open(leg, { ...request, stream: false }))
  const [ofClient, ofClientWhole, ofLeg, ofLegWhole] = calls
  t.strictSame([ofLeg?.path, ofLeg?.body], [ofClient?.path, ofClient?.body])
  t.strictSame([ofLegWhole?.path, ofLegWhole?.body], [ofClientWhole?.path, ofClientWhole?.body])
  t.match(ofLeg?.path, /^\/model\/eu\.anthropic\.claude-sonnet-4-5-20250929-v1%3A0\/converse-stream$/)
  t.match(ofLeg?.headers['authorization'], /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, /)
})

t.test('the recorded frames say the same to the vendor\'s client', async (t) => {
  for (const name of ['text', 'tools', 'guardrail']) {
    const bytes = recordedBytes(`bedrock/${name}.bin`)
    const chunks = [{ b64: bytes.subarray(0, 100).toString('base64') }, { b64: bytes.subarray(100).toString('base64') }]
    const { origin } = await simulate(t, { fallback: { chunks, contentType: 'application/vnd.amazon.eventstream' } })
    const { stream } = await bedrockClient(origin, { credentials: { ...KEYS } }).send(new ConverseStreamCommand({ modelId: MODEL, messages: [] }))
    const theirs: unknown[] = []
    for await (const event of stream ?? []) theirs.push(event)
    const ours: unknown[] = []
    createBinaryFrameReader().push(bytes, ({ name: event, text }) => {
      const { p: filling, ...said } = JSON.parse(text) as Record<string, unknown>
      t.type(filling, 'string')
      ours.push({ [event]: said })
    })
    t.same(ours, theirs, name)
  }
})

t.test('a signature is of the very bytes, for each attempt, with the credentials of that moment', async (t) => {
  const { origin, calls } = await simulate(t, { fallback: {}, aws: KEYS })
  const asked: AwsCredentials[] = [{ ...KEYS, secretAccessKey: 'old' }, KEYS]
  const leg = legAt(t, origin, atBedrock(() => asked.shift() ?? KEYS))
  t.strictSame(await kindOf(open(leg)), ['auth_error', 'InvalidSignatureException'])
  const shown = Buffer.from(leg.bytesOf(HELLO))
  t.equal(await kindOf(open(leg)), 'served')
  t.strictSame(calls[1]?.rawBody, shown)
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2'
  t.equal(await kindOf(open(legAt(t, origin, atBedrock(async () => KEYS), { model: arn, region: 'us-west-2' }))), 'served', 'an encoded slash in the path')
  t.match(calls[2]?.headers['authorization'], /\/us-west-2\/bedrock\//, 'the leg\'s own region')
  t.equal(await kindOf(open(legAt(t, origin, atBedrock(() => KEYS), { model: 'a b(c)!*\'' }))), 'served', 'whatever a name has in it')
})

t.test('a leg for any model has each request\'s own in its path, and in what is signed', async (t) => {
  const { origin, calls } = await simulate(t, { fallback: {}, aws: KEYS })
  const own = { ...HELLO, model: 'my.model' }
  const signed = legOn(t, '', { provider: providerOf(`${origin}//`, { dialect: 'bedrock', cloud: atBedrock(() => KEYS), credential: () => undefined }), codec: bedrock, model: '*', anyModel: true })
  t.equal(await kindOf(open(signed, own)), 'served')
  t.equal(await kindOf(open(signed, { ...own, model: 'other', stream: false })), 'served')
  t.strictSame(calls.map(({ path }) => path), ['/model/my.model/converse-stream', '/model/other/converse'])
  const places = [[anthropicOnBedrock, 'anthropic', atBedrock()], [anthropicOnVertex, 'anthropic', AT_VERTEX], [gemini, 'gemini', AT_VERTEX]] as const
  const paths: (string | undefined)[] = []
  for (const [codec, dialect, cloud] of places) {
    const server = await serve(t, (response) => response.writeHead(500).end('{}'))
    const provider = providerOf(server.url, { dialect, cloud, credential: () => 'tok' })
    const leg = legOn(t, '', { provider, codec, model: '*', anyModel: true })
    await kindOf(open(leg, own))
    paths.push(server.calls[0]?.request.url)
    for (const model of ['', '..', 'a/../b', '%2e']) t.equal(leg.untranslatable?.({ ...own, model }), 'model')
    for (const model of ['.', '..', 'a/../b']) t.throws(() => legOn(t, '', { provider, codec, model }), { message: /cannot stand in a path/ })
  }
  t.strictSame(paths, [
    '/model/my.model/invoke-with-response-stream',
    '/v1/projects/p-1/locations/europe-west1/publishers/anthropic/models/my.model:streamRawPredict',
    '/v1/projects/p-1/locations/europe-west1/publishers/google/models/my.model:streamGenerateContent?alt=sse',
  ])
})

t.test('empty segments of a base URL are neither sent to AWS nor signed', async (t) => {
  const { path } = endpointOf(providerOf('https://proxy//a//b/', { dialect: 'bedrock', cloud: atBedrock() }), 'm', false)
  t.equal(path, '/a/b/model/m/converse')
})

t.test('a key is sent as a bearer, and nothing is signed', async (t) => {
  const { origin, calls } = await simulate(t, { fallback: {}, apiKey: 'ABSK' })
  t.equal(await kindOf(open(legAt(t, origin, atBedrock(), { credential: () => 'ABSK' }))), 'served')
  t.match(calls[0]?.headers, { authorization: 'Bearer ABSK', accept: 'application/vnd.amazon.eventstream', 'accept-encoding': 'identity' })
  t.notOk('x-amz-date' in (calls[0]?.headers ?? {}))
})

t.test('credentials that cannot be had or used fail that attempt as auth_error, and say nothing', async (t) => {
  const { origin, calls } = await simulate(t, { fallback: {}, aws: KEYS })
  let fails = true
  const once = legAt(t, origin, atBedrock(() => {
    if (fails) throw new Error(`canary ${KEYS.secretAccessKey}`)
    return KEYS
  }))
  const error = await open(once).then(() => undefined, (thrown: unknown) => thrown)
  t.match(error, { failure: { kind: 'auth_error', code: 'credential_unavailable', processed: 'no' } })
  t.notMatch(inspect(error, { depth: 9 }), /canary/)
  fails = false
  t.equal(await kindOf(open(once)), 'served', 'and nothing else')
  t.equal(calls.length, 1)
  const odd = [
    { accessKeyId: '', secretAccessKey: 's' }, { accessKeyId: 'a', secretAccessKey: 's\n' }, undefined, 5,
    { ...KEYS, sessionToken: 5 }, { ...KEYS, sessionToken: 'to\nken' }, { ...KEYS, expiration: new Date(Date.now() - 1) }, { ...KEYS, expiration: 'soon' },
  ]
  for (const keys of odd) {
    t.strictSame(await kindOf(open(legAt(t, origin, atBedrock(() => keys as AwsCredentials)))), ['auth_error', 'credential_unavailable'])
  }
  t.equal(calls.length, 1, 'nor is anybody asked')
  const { sessionToken, ...lasting } = KEYS
  const permanent = await simulate(t, { fallback: {}, aws: lasting })
  for (const none of [undefined, null, '']) {
    const keys = { ...lasting, sessionToken: none, expiration: new Date(Date.now() + 60_000) } as AwsCredentials
    t.equal(await kindOf(open(legAt(t, permanent.origin, atBedrock(() => keys)))), 'served', `no token in place of ${sessionToken.length} characters`)
  }
  const context = contextOf()
  const waiting = open(legAt(t, origin, atBedrock(() => new Promise(() => undefined))), HELLO, context)
  context.abort(new Error('the limit'))
  await t.rejects(waiting, { message: 'the limit' })
})

t.test('no credential is in what can be printed of a leg or its failures', async (t) => {
  const { origin } = await simulate(t, { fallback: {}, aws: { ...KEYS, secretAccessKey: 'other' } })
  const leg = legAt(t, origin, atBedrock(() => KEYS))
  const error = await open(leg).then(() => undefined, (thrown: unknown) => thrown)
  t.ok(error instanceof LegFailedError)
  for (const text of [inspect(leg, { depth: 9, showHidden: true }), inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error)]) t.notMatch(text, /canary/)
})

t.test('a frame that is broken, or never ends, is a failure in its place', async (t) => {
  const last = async (fault: NonNullable<NonNullable<Script['fallback']>['fault']>) => {
    const { origin } = await simulate(t, { fallback: { answer: { text: ['a ', 'b '] }, fault } })
    const parts = await partsOf(await open(legAt(t, origin, atBedrock(() => KEYS))))
    const end = parts.at(-1)
    return [parts.length, end?.type === 'error' ? [end.failure.kind, end.failure.code] : end?.type]
  }
  t.strictSame(await last({ do: 'bad_checksum', afterEvents: 0 }), [1, ['malformed', 'frame']])
  t.strictSame(await last({ do: 'bad_checksum', afterEvents: 2 }), [3, ['malformed', 'frame']], 'what came before it counts')
  t.strictSame(await last({ do: 'bad_checksum', afterEvents: 5 }), [5, ['malformed', 'frame']], 'behind the finish')
  t.strictSame(await last({ do: 'error_event', afterEvents: 2, error: { type: 'ThrottlingException' } }), [3, ['rate_limit', 'throttlingException']])
  t.strictSame(await last({ do: 'malformed_text', afterEvents: 1 }), [2, ['malformed', undefined]])
  t.strictSame(await last({ do: 'end', afterBytes: 200 }), [1, 'start'], 'an end in a frame gives no part; the core knows that it is too early')
  t.match(await last({ do: 'reset', afterBytes: 200 }), [2, ['connection_error']])
})

t.test('Anthropic at a cloud', async (t) => {
  const body = { model: 'chat', stream: true, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }], odd: 1.0 }
  const passHeaders = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1,b-2' }
  const raw = JSON.stringify(body).replace('"odd":1', '"odd":1.0')
  const own = (changed: object = {}) => requestOf(raw, { dialect: 'anthropic', passHeaders, ...changed })
  const sent = async (codec: ProviderCodec, cloud: ResolvedCloud, request: ChatRequest = own()) => {
    const server = await serve(t, (response) => response.writeHead(500).end('{}'))
    await kindOf(open(legAt(t, server.url, cloud, { codec, dialect: 'anthropic', credential: () => 'tok' }), request))
    const { request: got, body: bytes } = server.calls[0] ?? {}
    return { url: got?.url, headers: got?.headers ?? {}, body: bytes?.toString() }
  }

  t.test('is sent the client\'s bytes but for what the path says, with the version and what is tried out', async (t) => {
    const aws = await sent(anthropicOnBedrock, atBedrock())
    t.equal(aws.url, '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream')
    t.equal(aws.body, '{"max_tokens":5,"messages":[{"role":"user","content":"hi"}],"odd":1.0,"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a-1","b-2"]}')
    t.strictSame([aws.headers['anthropic-version'], aws.headers['anthropic-beta'], aws.headers['x-api-key'], aws.headers['authorization']], [undefined, undefined, undefined, 'Bearer tok'])
    const google = await sent(anthropicOnVertex, AT_VERTEX)
    t.equal(google.url, '/v1/projects/p-1/locations/europe-west1/publishers/anthropic/models/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0:streamRawPredict')
    t.equal(google.body, '{"stream":true,"max_tokens":5,"messages":[{"role":"user","content":"hi"}],"odd":1.0,"anthropic_version":"vertex-2023-10-16"}')
    t.strictSame([google.headers['anthropic-version'], google.headers['anthropic-beta'], google.headers['authorization']], [undefined, 'a-1,b-2', 'Bearer tok'])
  })

  t.test('is sent a request of another dialect in its own words', async (t) => {
    const google = await sent(anthropicOnVertex, AT_VERTEX, { ...HELLO, stream: false, maxTokens: 5 })
    t.match(google.url, /:rawPredict$/)
    t.strictSame(JSON.parse(google.body ?? ''), { max_tokens: 5, messages: [{ role: 'user', content: 'hi' }], anthropic_version: 'vertex-2023-10-16' })
  })
})

t.test('Gemini at Vertex is asked at its project and place, with a token', async (t) => {
  const { origin, calls } = await simulate(t, { fallback: { answer: { text: 'a b' } }, strict: true, apiKey: 'tok' })
  const leg = legAt(t, origin, AT_VERTEX, { codec: gemini, dialect: 'gemini', model: 'gemini-2.5-pro', credential: async () => 'tok' })
  const parts = await partsOf(await open(leg))
  t.equal(parts.at(-1)?.type, 'usage')
  t.strictSame([calls[0]?.path, calls[0]?.query], ['/v1/projects/p-1/locations/europe-west1/publishers/google/models/gemini-2.5-pro:streamGenerateContent', { alt: 'sse' }])
  t.strictSame([calls[0]?.headers['authorization'], calls[0]?.headers['x-goog-api-key']], ['Bearer tok', undefined])
})

t.test('a leg\'s own region is where it is asked, unless the base URL was given', async (t) => {
  const aws = (region?: string, isElsewhere = false) =>
    endpointOf(providerOf('https://bedrock-runtime.eu-west-1.amazonaws.com', { dialect: 'bedrock', cloud: { ...atBedrock(), isElsewhere } as ResolvedCloud }), 'm', false, region).origin
  t.equal(aws(), 'https://bedrock-runtime.eu-west-1.amazonaws.com')
  t.equal(aws('us-east-1'), 'https://bedrock-runtime.us-east-1.amazonaws.com')
  t.equal(aws('us-east-1', true), 'https://bedrock-runtime.eu-west-1.amazonaws.com')
  const google = (model: string, base = 'https://aiplatform.googleapis.com', region?: string) => {
    const cloud: ResolvedCloud = { type: 'vertex', project: 'p-1', location: 'global', isElsewhere: false }
    const { origin, path } = endpointOf(providerOf(base, { dialect: 'gemini', cloud }), model, false, region)
    return origin + path
  }
  t.equal(google('m'), 'https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/publishers/google/models/m:generateContent')
  t.equal(google('m', undefined, 'us-east5'), 'https://us-east5-aiplatform.googleapis.com/v1/projects/p-1/locations/us-east5/publishers/google/models/m:generateContent')
  t.equal(google('m', 'https://proxy/v1beta1'), 'https://proxy/v1beta1/projects/p-1/locations/global/publishers/google/models/m:generateContent', 'the version stands there once')
  t.match(google('publishers/meta/models/llama 4'), /\/locations\/global\/publishers\/meta\/models\/llama%204:generateContent$/)
  t.match(google('endpoints/123'), /\/locations\/global\/endpoints\/123:generateContent$/)
  t.throws(() => google('../x'), /cannot stand in a path/)
})
