import { createFallback, type Fallback, type FallbackEvent, type ProvidersInput, type RoutesInput } from '@understudy/http'
import { startSimulator, type Script, type Simulator } from '@understudy/simulator'
import OpenAI, { APIError } from 'openai'
import t, { type Test } from 'tap'
import { plainSetUps, startHost, type SetUp } from '../cases/hosts.js'
import { AWS_KEYS } from './translating-host.js'

// A busy machine takes its time.
t.setTimeout(120_000)

const TEXTS = Array.from({ length: 120 }, (_each, index) => `text ${index}`)

/** The providers whose APIs differ, each on a simulator, with a model of theirs, its length of vectors and how many texts a call takes. */
const VENDORS = {
  openai: { model: 'text-embedding-3-small', dimensions: 512, calls: 1, counts: true },
  azure: { model: 'deployed', dimensions: 256, calls: 1, counts: true },
  gemini: { model: 'gemini-embedding-001', dimensions: 768, calls: 2, counts: false },
  vertex: { model: 'text-embedding-005', dimensions: 128, calls: 1, counts: true },
  single: { model: 'gemini-embedding-001', dimensions: 64, calls: 120, counts: true },
  titan: { model: 'amazon.titan-embed-text-v2:0', dimensions: 256, calls: 120, counts: true },
  cohere: { model: 'eu.cohere.embed-multilingual-v3', dimensions: 1024, calls: 2, counts: true },
} as const

function providersOn(origin: string): ProvidersInput {
  const aws = { dialect: 'bedrock', baseURL: origin, region: 'eu-west-1', credentials: AWS_KEYS } as const
  const vertex = { dialect: 'gemini', cloud: 'vertex', baseURL: origin, project: 'p-1', apiKey: async () => 'key' } as const
  return {
    openai: { dialect: 'openai', baseURL: `${origin}/v1`, apiKey: 'key' },
    azure: { baseURL: origin, apiVersion: '2024-10-21', apiKey: 'key' },
    gemini: { dialect: 'gemini', baseURL: origin, apiKey: 'key' },
    vertex,
    single: vertex,
    titan: aws,
    cohere: aws,
    other: { dialect: 'openai', baseURL: `${origin}/v1`, apiKey: 'key' },
  }
}

interface Started {
  readonly client: OpenAI
  readonly simulator: Simulator
  readonly events: readonly FallbackEvent[]
}

async function start(t: Test, setUp: SetUp, routes: RoutesInput, script: Script = { fallback: {}, strict: true, apiKey: 'key', aws: AWS_KEYS }): Promise<Started> {
  const simulator = await startSimulator({ script })
  const fallback: Fallback = createFallback(routes, { providers: providersOn(simulator.origin), proxy: false })
  const events: FallbackEvent[] = []
  fallback.on((event) => void events.push(event))
  const host = await startHost(setUp, fallback)
  t.teardown(async () => {
    await host.close()
    await fallback.close()
    await simulator.close()
  })
  return { client: new OpenAI({ baseURL: `http://127.0.0.1:${host.port}/v1`, apiKey: 'k', maxRetries: 0 }), simulator, events }
}

async function errorOf(work: Promise<unknown>): Promise<APIError> {
  const error: unknown = await work.then(() => new Error('served'), (thrown: unknown) => thrown)
  if (error instanceof APIError) return error
  throw error
}

for (const setUp of plainSetUps) {
  t.test(`${setUp}: the vendor's client gets the vectors of each provider, in order, however many calls they take`, async (t) => {
    const routes = Object.fromEntries(Object.entries(VENDORS).map(([name, { model, dimensions }]) => [name, { legs: [`${name}/${model}`], dimensions }]))
    const { client, simulator, events } = await start(t, setUp, routes)
    for (const [name, { model, dimensions, calls, counts }] of Object.entries(VENDORS)) {
      simulator.reset()
      const { data, response } = await client.embeddings.create({ model: name, input: TEXTS }).withResponse()
      t.equal(simulator.calls.length, calls, `${name}: calls`)
      t.strictSame(data.data.map(({ index, embedding }) => [index, embedding.length]), TEXTS.map((_each, index) => [index, dimensions]), name)
      t.equal(new Set(data.data.map(({ embedding }) => embedding.join())).size, TEXTS.length, `${name}: each text has its own`)
      const floats = await client.embeddings.create({ model: name, input: TEXTS[7] ?? '', encoding_format: 'float', dimensions })
      t.strictSame(floats.data[0]?.embedding, data.data[7]?.embedding, `${name}: as floats, the same vector to the last bit`)
      t.match(data.usage, counts ? { prompt_tokens: 240, total_tokens: 240 } : { prompt_tokens: 0, total_tokens: 0 }, `${name}: counts are summed`)
      t.equal(data.model, model)
      t.equal(response.headers.get('understudy-route'), name)
      t.match(response.headers.get('understudy-trail'), `"${name}/${model}";outcome=served`)
      t.match(data, { understudy: { served_model: `${name}/${model}` } })
    }
    const lanes = events.flatMap((event) => (event.type === 'run-end' ? [event.lane] : []))
    t.strictSame([...new Set(lanes)], ['embeddings'])
  })

  t.test(`${setUp}: any failure moves on, and one answer has the vectors of one leg`, async (t) => {
    const legs = ['titan/amazon.titan-embed-text-v2:0', { provider: 'openai', model: 'text-embedding-3-small', batchSize: 50 }, 'other/text-embedding-3-large']
    const { client, simulator, events } = await start(t, setUp, { search: { legs, dimensions: 512 }, chat: ['openai/gpt-4.1'] }, {
      models: {
        'amazon.titan-embed-text-v2:0': [{ times: 60 }, { status: 400 }],
        'text-embedding-3-small': [{}, { error: { message: 'no such thing' }, status: 404 }],
        'text-embedding-3-large': [{}],
      },
    })
    const { data, response } = await client.embeddings.create({ input: TEXTS, model: 'search' }).withResponse()
    t.strictSame(simulator.calls.map(({ model }) => model), [
      ...Array.from({ length: 61 }, () => 'amazon.titan-embed-text-v2:0'), 'text-embedding-3-small', 'text-embedding-3-small', 'text-embedding-3-large',
    ])
    t.strictSame([data.model, data.data.length, data.usage.total_tokens], ['text-embedding-3-large', 120, 240])
    t.match(response.headers.get('understudy-trail'), /titan.*reason=invalid_request.*small.*reason=not_found.*large";outcome=served/)
    t.match(data, { understudy: { failover: { occurred: true, attempts: [{ status: 'failed' }, { status: 'failed' }, { status: 'served' }] } } })
    simulator.setScript({ fallback: { status: 500 } })
    const error = await errorOf(client.embeddings.create({ input: 'x', model: 'search' }))
    t.match(error, { status: 502, code: 'all_legs_failed', error: { failures: [{ reason: 'server_error' }, { reason: 'server_error' }, { reason: 'server_error' }] } })
    t.match(events.filter(({ type }) => type === 'run-end'), [
      { lane: 'embeddings', route: 'search', provider: 'other', model: 'text-embedding-3-large', status: 200, usage: { inputTokens: 240 } },
      { lane: 'embeddings', status: 502, errorCode: 'all_legs_failed' },
    ])
  })

  t.test(`${setUp}: what a route does not have is refused before a provider is asked`, async (t) => {
    const { client, simulator } = await start(t, setUp, { search: { legs: ['openai/text-embedding-3-small'], dimensions: 512 }, chat: ['openai/gpt-4.1'] })
    const cases: readonly [body: object, expected: object][] = [
      [{ input: 'x', dimensions: 1024 }, { status: 400, code: 'invalid_request_error', param: 'dimensions' }],
      [{ input: 'x', model: 'chat' }, { status: 404, code: 'model_not_found' }],
      [{ input: 'x', models: ['openai/gpt-4.1'] }, { status: 400, code: 'caller_chains_disabled', param: 'models' }],
      [{ input: [] }, { status: 400, param: 'input' }],
      [{ input: ['x', ''] }, { status: 400, param: 'input' }],
      [{ input: ['x', 5] }, { status: 400, param: 'input' }],
      [{ input: TEXTS.flatMap(() => TEXTS) }, { status: 400, param: 'input' }],
      [{ input: 'x', encoding_format: 'hex' }, { status: 400, param: 'encoding_format' }],
    ]
    for (const [body, expected] of cases) {
      t.match(await errorOf(client.post('/embeddings', { body: { model: 'search', ...body } })), expected, JSON.stringify(body).slice(0, 60))
    }
    t.match(await errorOf(client.chat.completions.create({ model: 'search', messages: [{ role: 'user', content: 'x' }] })), { status: 404 })
    t.equal(simulator.calls.length, 0)
    t.strictSame((await client.models.list()).data.map(({ id }) => id).sort(), ['chat', 'search'])
  })
}
