import { GoogleGenAI } from '@google/genai'
import { createFallback, type FallbackEvent, type FallbackOptions } from '@understudy/http'
import { startSimulator, type Simulator, type Step } from '@understudy/simulator'
import OpenAI, { APIError } from 'openai'
import t, { type Test } from 'tap'
import { plainSetUps, startHost, type SetUp } from '../cases/hosts.js'

// A busy machine takes its time.
t.setTimeout(120_000)

const VERTEX = {
  cached_content: 'projects/p/locations/l/cachedContents/1',
  response_schema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
  thinking_config: { thinking_budget: 64, include_thoughts: true },
}
const QUESTION = { model: 'chat', messages: [{ role: 'user' as const, content: 'Hello' }], vertex: VERTEX }

interface Started {
  readonly openai: OpenAI
  readonly gemini: GoogleGenAI
  readonly simulator: Simulator
  readonly events: readonly FallbackEvent[]
}

async function start(t: Test, setUp: SetUp, models: Readonly<Record<string, readonly Step[]>>, options: FallbackOptions = {}): Promise<Started> {
  const simulator = await startSimulator({ script: { models, strict: true } })
  const fallback = createFallback(
    { chat: ['other/gpt-4.1', 'google/gemini-2.5-pro', 'vertex/gemini-2.5-flash'], plain: ['other/gpt-4.1'] },
    {
      providers: {
        other: { dialect: 'openai', baseURL: simulator.url, apiKey: 'key' },
        google: { dialect: 'gemini', baseURL: simulator.origin, apiKey: 'key' },
        vertex: { dialect: 'gemini', cloud: 'vertex', baseURL: simulator.origin, project: 'p-1', apiKey: async () => 'key' },
      },
      proxy: false,
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      ...options,
    },
  )
  const events: FallbackEvent[] = []
  fallback.on((event) => void events.push(event))
  const host = await startHost(setUp, fallback)
  t.teardown(async () => {
    await host.close()
    await fallback.close()
    await simulator.close()
  })
  const origin = `http://127.0.0.1:${host.port}`
  return {
    openai: new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'k', maxRetries: 0 }),
    gemini: new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: origin } }),
    simulator,
    events,
  }
}

async function errorOf(work: Promise<unknown>): Promise<APIError> {
  const error: unknown = await work.then(() => new Error('served'), (thrown: unknown) => thrown)
  if (error instanceof APIError) return error
  throw error
}

for (const setUp of plainSetUps) {
  t.test(`${setUp}: what only Gemini can say goes to its legs alone, in its words`, async (t) => {
    const { openai, gemini, simulator, events } = await start(t, setUp, { 'gemini-2.5-pro': [{}] })
    const { data, response } = await openai.chat.completions.create({ ...QUESTION, temperature: 0 }).withResponse()
    t.match(data, { object: 'chat.completion', choices: [{ finish_reason: 'stop' }], model: 'gemini-2.5-pro' })
    t.match(data, { understudy: { requested_model: 'google/gemini-2.5-pro', served_model: 'google/gemini-2.5-pro' } }, 'the chain is that of the lane')
    t.equal(response.headers.get('understudy-trail')?.replace(/ms=\d+/, 'ms=0'), '"google/gemini-2.5-pro";outcome=served;ms=0')
    t.strictSame(simulator.calls[0]?.body, {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      cachedContent: VERTEX.cached_content,
      generationConfig: {
        temperature: 0,
        responseMimeType: 'application/json',
        responseSchema: VERTEX.response_schema,
        thinkingConfig: { thinkingBudget: 64, includeThoughts: true },
      },
    })
    const image = { type: 'image_url' as const, image_url: { url: 'gs://bucket/cat.png' } }
    await openai.chat.completions.create({ model: 'chat', messages: [{ role: 'user', content: [image] }], ...{ vertex: {} } })
    t.match(simulator.calls[1]?.body, { contents: [{ parts: [{ fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/cat.png' } }] }] })
    await gemini.models.generateContent({ model: 'chat', contents: 'Hello', config: { cachedContent: 'cachedContents/1' } })
    t.match(simulator.calls[2]?.body, { cachedContent: 'cachedContents/1' })
    const file = { fileData: { mimeType: 'video/mp4', fileUri: 'gs://bucket/a.mp4' } }
    for await (const chunk of await gemini.models.generateContentStream({ model: 'chat', contents: [{ role: 'user', parts: [file] }] })) t.type(chunk.text, 'string')
    t.match(simulator.calls[3]?.body, { contents: [{ parts: [file] }] })
    t.strictSame(events.flatMap((event) => (event.type === 'run-end' ? [`${event.lane} ${event.provider}`] : [])), Array.from({ length: 4 }, () => 'native google'))
    t.equal(simulator.callsOf('gpt-4.1').length, 0)
  })

  t.test(`${setUp}: a body that says nothing of the kind is of no lane of its own`, async (t) => {
    const { openai, gemini, events } = await start(t, setUp, { 'gpt-4.1': [{}] })
    await openai.chat.completions.create({ ...QUESTION, vertex: {} } as typeof QUESTION)
    await gemini.models.generateContent({ model: 'chat', contents: 'Hello', config: { thinkingConfig: { thinkingBudget: 0 } } })
    t.strictSame(events.flatMap((event) => (event.type === 'run-end' ? [`${event.lane} ${event.provider}`] : [])), ['standard other', 'standard other'])
  })

  t.test(`${setUp}: without a leg of the dialect, or with a word that is none, it is refused before a provider is asked`, async (t) => {
    const { openai, simulator } = await start(t, setUp, {})
    t.match(await errorOf(openai.chat.completions.create({ ...QUESTION, model: 'plain' })), { status: 400, code: 'native_feature_unsupported' })
    const odd = { ...QUESTION, vertex: { cached_contents: 'x' } }
    t.match(await errorOf(openai.chat.completions.create(odd)), { status: 400, code: 'invalid_request_error', param: 'vertex' })
    const check = { ...QUESTION, model: 'plain' }
    t.match(await openai.post('/policy-check', { body: check }), { allowed: false, checks: [{ why: 'native_feature_unsupported' }] })
    t.equal(simulator.calls.length, 0)
  })

  t.test(`${setUp}: what another leg may not meet moves on, and every other refusal is the client's`, async (t) => {
    for (const status of [429, 408, 500, 503]) {
      const { openai } = await start(t, setUp, { 'gemini-2.5-pro': [{ status }], 'gemini-2.5-flash': [{}] })
      t.equal((await openai.chat.completions.create(QUESTION)).model, 'gemini-2.5-flash', String(status))
    }
    for (const status of [400, 401, 403, 404]) {
      const step = { status, error: { message: 'the cache has expired' } }
      const { openai, simulator, events } = await start(t, setUp, { 'gemini-2.5-pro': [step], 'gemini-2.5-flash': [{}] })
      for (const stream of [false, true]) {
        const error = await errorOf(openai.chat.completions.create({ ...QUESTION, stream }))
        t.match(error, { status: 400, error: { message: 'the cache has expired' } }, `${status} ${stream ? 'streamed' : ''}`)
      }
      t.equal(simulator.callsOf('gemini-2.5-flash').length, 0)
      t.match(events.find(({ type }) => type === 'run-end'), { lane: 'native', status: 400 })
    }
    const { openai } = await start(t, setUp, { 'gemini-2.5-pro': [{ status: 429 }], 'gemini-2.5-flash': [{ status: 500, error: { message: 'of the last leg' } }] })
    const error = await errorOf(openai.chat.completions.create(QUESTION))
    t.match(error, { status: 502, code: 'upstream_error', error: { message: 'of the last leg', failures: [{ reason: 'rate_limit' }, { reason: 'server_error' }] } })
  })

  t.test(`${setUp}: once a leg has accepted, no other is asked`, async (t) => {
    const broken: Step = { headersFirst: true, fault: { do: 'close', afterBytes: 10 } }
    const { openai, simulator } = await start(t, setUp, { 'gemini-2.5-pro': [broken], 'gemini-2.5-flash': [{}] })
    t.match(await errorOf(openai.chat.completions.create(QUESTION)), { status: 502, code: 'upstream_error' })
    const stream = await openai.chat.completions.create({ ...QUESTION, stream: true })
    const read = async (): Promise<void> => {
      for await (const chunk of stream) t.notOk(chunk.choices[0]?.finish_reason)
    }
    t.match(await errorOf(read()), { error: { code: 'stream_truncated' } })
    t.equal(simulator.callsOf('gemini-2.5-flash').length, 0)
  })
}
