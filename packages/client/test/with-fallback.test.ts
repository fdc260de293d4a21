import OpenAI, { AzureOpenAI } from 'openai'
import { Stream } from 'openai/streaming'
import t from 'tap'

import { HEALTHY_TEXT, startSimulator } from '@understudy/simulator'
import { withFallback } from '@understudy/client'
import { collect, KEYS, MESSAGES, readStream, rejection, startPair } from './kit.js'

const THROTTLED = [{ status: 429 }]

t.test('a call that the first provider throttles is answered by the next, as the SDK would answer it', async (t) => {
  const { client, one, two } = await startPair(t, THROTTLED)
  const answer = await client.chat.completions.create({ model: 'large', messages: MESSAGES })
  t.match(answer, { model: 'small', object: 'chat.completion', _request_id: 'req-small-1' })
  t.equal(answer.choices[0]?.message.content, HEALTHY_TEXT)
  t.strictSame([one.calls.length, two.calls.length], [1, 1], 'the SDK itself retries nothing')
})

t.test('a stream is a stream of the SDK, chunk for chunk what the provider sent', async (t) => {
  const { client, second } = await startPair(t, THROTTLED)
  const params = { model: 'large', messages: MESSAGES, stream: true, stream_options: { include_usage: true } } as const
  const stream = await client.chat.completions.create(params)
  t.ok(stream instanceof Stream)
  const chunks = await collect(stream)
  const direct = await collect(await second.chat.completions.create({ ...params, model: 'small' }))
  t.strictSame(chunks.map((chunk) => ({ ...chunk, id: '' })), direct.map((chunk) => ({ ...chunk, id: '' })))
  const copies = (await client.chat.completions.create(params)).tee()
  t.strictSame(await Promise.all(copies.map(async (copy) => (await readStream(copy)).text)), [HEALTHY_TEXT, HEALTHY_TEXT])
})

t.test('withResponse and asResponse give the response of the provider that served, and say which one did', async (t) => {
  const { client, two } = await startPair(t, THROTTLED)
  const { data, response, request_id } = await client.chat.completions.create({ model: 'large', messages: MESSAGES }).withResponse()
  t.match({ data, request_id }, { data: { model: 'small' }, request_id: 'req-small-1' })
  t.match(response, { status: 200, url: `${two.url}/chat/completions` })
  t.equal(response.headers.get('understudy-served'), 'second/small')

  const raw = await client.chat.completions.create({ model: 'large', messages: MESSAGES, stream: true }).asResponse()
  t.equal(raw.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const text = await raw.text()
  t.match(text, /^data: \{.*\}\n\n/)
  t.equal(text.split('data: [DONE]\n\n').length, 2, 'one end')
})

t.test('what rides on the call has the fallbacks too', async (t) => {
  const tool = { name: 'weather', arguments: '{"city":"Bern"}' }
  const { client } = await startPair(t, THROTTLED, {}, { models: { small: [{ answer: { toolCalls: [tool] } }, {}] } })
  const helper = client.chat.completions.stream({ model: 'large', messages: MESSAGES, tools: [{ type: 'function', function: { name: 'weather' } }] })
  const call = (await helper.finalMessage()).tool_calls?.[0]
  t.match(call, { type: 'function', function: tool })
  const parsed = await client.chat.completions.parse({ model: 'large', messages: MESSAGES })
  t.equal(parsed.choices[0]?.message.content, HEALTHY_TEXT)
  const { response } = await client.chat.completions.parse({ model: 'large', messages: MESSAGES }).withResponse()
  t.equal(response.headers.get('understudy-served'), 'second/small')
  const ran: unknown[] = []
  const runner = client.chat.completions.runTools({
    model: 'large',
    messages: MESSAGES,
    tools: [{ type: 'function', function: { name: 'weather', parameters: {}, description: '', function: (text: string) => ran.push(text) } }],
  })
  t.equal(await runner.finalContent(), HEALTHY_TEXT)
})

t.test('each entry has its own model and parameters, and only the first one what the call says to its endpoint', async (t) => {
  const { make, one, two, second } = await startPair(t, THROTTLED)
  const client = make({
    model: 'configured',
    defaultParams: { temperature: 0.1, seed: 1, user: 'global', model: 'never', stream: true },
    fallback: [[second, 'small', { seed: 2, user: 'entry', model: 'never', extra_headers: {} }, 'second']],
  })
  const params = Object.assign({ model: 'large', messages: MESSAGES, user: 'call' }, { idempotent: false, top_p: undefined as never })
  const options = { headers: { 'x-team': 'canary', 'openai-beta': 'canary' }, idempotencyKey: 'canary' }
  const given = structuredClone(params)
  await client.chat.completions.create(params, options)
  t.strictSame(params, given, 'nothing of the caller is changed')
  const common = { messages: MESSAGES, user: 'call', temperature: 0.1 }
  t.strictSame(one.calls[0]?.body, { ...common, model: 'large', seed: 1 })
  t.strictSame(two.calls[0]?.body, { ...common, model: 'small', seed: 2 })
  t.match(one.calls[0]?.headers, { 'x-team': 'canary', 'openai-beta': 'canary', authorization: `Bearer ${KEYS[0]}` })
  t.match(two.calls[0]?.headers, { 'openai-beta': 'canary', authorization: `Bearer ${KEYS[1]}` })
  t.equal(two.calls[0]?.headers['x-team'], undefined)

  one.setScript({ fallback: {} })
  await client.chat.completions.create({ model: '', messages: MESSAGES })
  t.match(one.calls[0]?.body, { model: 'configured' }, 'where the call names no model')
})

t.test('everything but the chat call is the client itself, as it was', async (t) => {
  const { client, first } = await startPair(t, THROTTLED)
  t.ok(client instanceof OpenAI)
  t.equal(client.constructor, first.constructor)
  for (const name of ['embeddings', 'responses', 'images', 'audio', 'models', 'files'] as const) t.equal(client[name], first[name], name)
  t.strictSame((await client.models.list()).data.map(({ id }) => id), ['large'])
  t.strictSame(await client.get('/models'), await first.get('/models'), 'its own requests are made as before')
  t.ok((await client.chat.completions.retrieve('none').catch((error: unknown) => error)) instanceof OpenAI.NotFoundError)
  client.apiKey = 'another'
  t.equal(first.apiKey, 'another', 'what is written to it is written')
  const alone = await rejection(first.chat.completions.create({ model: 'large', messages: MESSAGES }, { maxRetries: 0 }))
  t.match(alone, { status: 429 }, 'and it has no fallbacks')
})

t.test('a client that is made of a wrapped one has the same fallbacks', async (t) => {
  const { client } = await startPair(t, THROTTLED)
  const answer = await client.withOptions({ timeout: 5_000 }).chat.completions.create({ model: 'large', messages: MESSAGES })
  t.equal(answer.model, 'small')
})

t.test('Azure clients work too, on either side', async (t) => {
  const provider = await startSimulator({ script: { models: { down: [{ status: 529 }], well: [{}] } } })
  t.teardown(() => provider.close())
  const azure = new AzureOpenAI({ endpoint: provider.origin, apiKey: 'key', apiVersion: '2024-10-21' })
  const client = withFallback(azure, { fallback: [[azure, 'well', {}, 'other']] })
  const { data, response } = await client.chat.completions.create({ model: 'down', messages: MESSAGES }).withResponse()
  t.equal(data.choices[0]?.message.content, HEALTHY_TEXT)
  t.match(response.url, '/openai/deployments/well/chat/completions')
})

t.test('a provider and a model may be called anything', async (t) => {
  const { make, second } = await startPair(t, THROTTLED)
  const client = make({ fallback: [[second, 'gro\u00df \n1', {}, 'z\u00fcrich\ud800']] })
  const { response } = await client.chat.completions.create({ model: 'large', messages: MESSAGES }).withResponse()
  t.equal(response.headers.get('understudy-served'), 'z%C3%BCrich%EF%BF%BD/gro%C3%9F %0A1')
})
