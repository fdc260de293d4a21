import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, type FunctionDeclaration, type GenerateContentResponse } from '@google/genai'
import OpenAI from 'openai'
import t, { type Test } from 'tap'

import { withFallback } from '@understudy/client'
import type { WithFallbackOptions } from '@understudy/client'
import { HEALTHY_TEXT, startSimulator, type Simulator, type Step } from '@understudy/simulator'
import { collect, readStream, rejection } from './kit.js'

const WEATHER: FunctionDeclaration = { name: 'weather', parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } } }
const CALL: Step = { answer: { text: ['Let me ', 'look.'], toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Paris' }, pieces: ['{"city":', '"Paris"}'] }] } }
const BUSY: Step = { status: 503 }

interface Started {
  readonly one: Simulator
  readonly two: Simulator
  readonly google: GoogleGenAI
  readonly openai: OpenAI
  readonly anthropic: Anthropic
  readonly other: GoogleGenAI
}

/** The first provider plays these steps, the second one plays the other. */
async function start(t: Test, steps: readonly Step[], second: Step = {}): Promise<Started> {
  const one = await startSimulator({ script: { models: { 'gemini-2.5-pro': steps, 'gpt-4.1': steps }, strict: true } })
  const two = await startSimulator({ script: { fallback: second, strict: true } })
  t.teardown(() => Promise.all([one.close(), two.close()]))
  return {
    one,
    two,
    google: new GoogleGenAI({ apiKey: 'key-one', httpOptions: { baseUrl: one.origin, headers: { 'x-own': 'mine' } } }),
    openai: new OpenAI({ baseURL: two.url, apiKey: 'key-two' }),
    anthropic: new Anthropic({ baseURL: two.origin, apiKey: 'key-two' }),
    other: new GoogleGenAI({ apiKey: 'key-two', httpOptions: { baseUrl: two.origin } }),
  }
}

const ALWAYS: Partial<WithFallbackOptions> = { idempotency: 'always' }
const ASK = { model: 'gemini-2.5-pro', contents: 'Hello' }

function textIn(chunks: readonly GenerateContentResponse[]): string {
  return chunks.map((chunk) => chunk.candidates?.[0]?.content?.parts?.map(({ text = '' }) => text).join('') ?? '').join('')
}

t.test('a client of Google\'s falls back to any other, buffered and streamed, with text and tools', async (t) => {
  for (const kind of ['openai', 'anthropic', 'other'] as const) {
    for (const step of [{}, CALL]) {
      const { google, one, two, ...clients } = await start(t, [BUSY], step)
      const client: GoogleGenAI = withFallback(google, { fallback: [[clients[kind], kind === 'other' ? 'gemini-2.5-flash' : kind === 'openai' ? 'gpt-4.1' : 'claude-sonnet-4-5']], ...ALWAYS })
      const ask = { ...ASK, config: { temperature: 0, maxOutputTokens: 64, tools: [{ functionDeclarations: [WEATHER] }] } }
      const whole = await client.models.generateContent(ask)
      const chunks = await collect(await client.models.generateContentStream(ask))
      const expected = step === CALL ? 'Let me look.' : HEALTHY_TEXT
      t.equal(textIn([whole]), expected, kind)
      t.equal(textIn(chunks), expected, `${kind}, streamed`)
      const calls = [whole.functionCalls, chunks.flatMap((chunk) => chunk.functionCalls ?? [])]
      for (const made of calls) t.match(made ?? [], step === CALL ? [{ name: 'weather', args: { city: 'Paris' } }] : [], kind)
      t.equal(whole.sdkHttpResponse?.headers?.['understudy-served']?.includes('/'), true)
      t.equal(whole.candidates?.[0]?.finishReason, 'STOP')
      t.ok((whole.usageMetadata?.totalTokenCount ?? 0) > 0)
      t.equal(one.calls.length, 2)
      t.match(one.calls[0]?.headers, { 'x-own': 'mine', 'x-goog-api-key': 'key-one' }, 'its own request goes out as it was made')
      t.notMatch(two.calls.map(({ headers }) => JSON.stringify(headers)).join(), /key-one|mine/, 'and nothing of it elsewhere')
    }
  }
})

t.test('clients of OpenAI and Anthropic fall back to one of Google\'s', async (t) => {
  for (const step of [{}, CALL]) {
    const { one, other } = await start(t, [BUSY], step)
    const text = step === CALL ? 'Let me look.' : HEALTHY_TEXT
    const openai = withFallback(new OpenAI({ baseURL: one.url, apiKey: 'k' }), { fallback: [[other, 'gemini-2.5-pro', { generationConfig: { temperature: 0 } }]], ...ALWAYS })
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }]
    const ask = { model: 'gpt-4.1', messages: [{ role: 'user' as const, content: 'Hello' }], tools }
    const answer = await openai.chat.completions.create(ask)
    t.match(answer, { model: 'gemini-2.5-pro', choices: [{ message: { content: text } }] })
    if (step === CALL) t.match(answer.choices[0]?.message.tool_calls, [{ type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }])
    t.equal((await readStream(await openai.chat.completions.create({ ...ask, stream: true }))).text, text)

    const busy = await startSimulator({ script: { fallback: { status: 529 } } })
    t.teardown(() => busy.close())
    const anthropic = withFallback(new Anthropic({ baseURL: busy.origin, apiKey: 'k' }), { fallback: [[other, 'gemini-2.5-pro']] })
    const message = await anthropic.messages.create({ model: 'claude-sonnet-4-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }], tools: [{ name: 'weather', input_schema: { type: 'object' } }] })
    t.match(message, { role: 'assistant', content: step === CALL ? [{ text }, { type: 'tool_use', name: 'weather', input: { city: 'Paris' } }] : [{ text }] })
  }
})

t.test('a chat rides on the same calls', async (t) => {
  const { google, other, two } = await start(t, [BUSY])
  const chat = withFallback(google, { fallback: [[other, 'gemini-2.5-flash']], ...ALWAYS }).chats.create({ model: 'gemini-2.5-pro' })
  t.equal((await chat.sendMessage({ message: 'Hello' })).text, HEALTHY_TEXT)
  let text = ''
  for await (const chunk of await chat.sendMessageStream({ message: 'and again' })) text += chunk.text ?? ''
  t.equal(text, HEALTHY_TEXT)
  t.match(two.calls[1]?.body, { contents: [{ role: 'user' }, { role: 'model', parts: [{ text: HEALTHY_TEXT }] }, { role: 'user' }] })
})

t.test('errors are those of the SDK, and what is no call for content is the client\'s own', async (t) => {
  const { google, other, openai, one, two } = await start(t, [{ status: 400, error: { message: 'no such field' } }, BUSY, { status: 500 }], { status: 429 })
  const client = withFallback(google, { fallback: [[other, 'gemini-2.5-flash']], ...ALWAYS })
  const refused = await rejection(client.models.generateContent(ASK))
  t.match(refused, { name: 'ApiError', status: 400, message: /no such field/ })
  t.equal(two.calls.length, 0, 'a fault of the request moves nowhere')
  const last = await rejection(client.models.generateContentStream(ASK))
  t.match(last, { name: 'ApiError', status: 429 }, 'the last one\'s')
  const safe = withFallback(google, { fallback: [[openai, 'gpt-4.1']] })
  t.match(await rejection(safe.models.generateContent(ASK)), { status: 500 }, '`safe` crosses to nobody after what may have been processed')
  const pager = await client.models.list()
  t.ok(Array.isArray(pager.page))
  t.equal(one.calls.at(-1)?.method, 'GET')
  t.equal(client.vertexai, false, 'a member of its own')
})

t.test('a stream that breaks behind its first content throws where it is read, and one that is left is dropped', async (t) => {
  const { google, other, two, one } = await start(t, [{ fault: { do: 'reset', afterEvents: 3 }, eventDelayMs: 5 }])
  const client = withFallback(google, { fallback: [[other, 'gemini-2.5-flash']], ...ALWAYS })
  t.ok(await rejection(collect(await client.models.generateContentStream(ASK))))
  t.equal(two.calls.length, 0)
  one.setScript({ fallback: { fault: { do: 'stall', afterEvents: 3 } } })
  const controller = new AbortController()
  const stream = await client.models.generateContentStream({ ...ASK, config: { abortSignal: controller.signal } })
  await stream.next()
  const call = await one.waitForCall('gemini-2.5-pro', 1)
  controller.abort()
  t.equal((await call.closed).by, 'client')
})

t.test('a client on Vertex AI is asked at Vertex AI\'s paths', async (t) => {
  const { one, two } = await start(t, [BUSY])
  const first = new OpenAI({ baseURL: one.url, apiKey: 'k' })
  const vertex = new GoogleGenAI({ vertexai: true, apiKey: 'express', httpOptions: { baseUrl: `${two.origin}/` } })
  const client = withFallback(first, { fallback: [[vertex, 'gemini-2.5-pro']], ...ALWAYS })
  await rejection(client.chat.completions.create({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello' }] }))
  t.match(two.calls[0]?.path, /publishers\/google\/models\/gemini-2\.5-pro:generateContent$/)
})
