import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import t from 'tap'

import { HEALTHY_TEXT, startSimulator } from '@understudy/simulator'
import { isUntranslatableRequestError, withFallback } from '@understudy/client'
import { ANTHROPIC_TEXT, startAnthropic } from './anthropic-server.js'
import { collect, MESSAGES, readStream, rejection } from './kit.js'

const DOWN = { models: { large: [{ status: 429 }] }, fallback: {} }
const WEATHER = { name: 'weather', description: 'The weather of a city', parameters: { type: 'object', properties: { city: { type: 'string' } } } }

const openaiSide = await startSimulator({ script: DOWN })
const anthropicSide = await startAnthropic()
t.teardown(() => Promise.all([openaiSide.close(), anthropicSide.close()]))
const openai = new OpenAI({ baseURL: openaiSide.url, apiKey: 'key-of-openai' })
const anthropic = new Anthropic({ baseURL: anthropicSide.url, apiKey: 'key-of-anthropic' })
t.beforeEach(() => {
  openaiSide.setScript(DOWN)
  anthropicSide.play({})
})

const toAnthropic = withFallback(openai, {
  provider: 'openai',
  breaker: false,
  defaultParams: { temperature: 0.2 },
  fallback: [[anthropic, 'claude-sonnet-4-5', { max_tokens: 1024, metadata: { user_id: 'entry' } }, 'anthropic-eu']],
})

t.test('an OpenAI call is answered by Anthropic, as JSON', async (t) => {
  const { data, response, request_id } = await toAnthropic.chat.completions
    .create({ model: 'large', messages: [{ role: 'system', content: 'Be brief.' }, ...MESSAGES], stop: 'END' })
    .withResponse()
  t.match(data, {
    object: 'chat.completion',
    model: 'claude-sonnet-4-5',
    choices: [{ index: 0, message: { role: 'assistant', content: ANTHROPIC_TEXT }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 6, total_tokens: 18 },
    _request_id: 'req_1',
  })
  t.equal(request_id, 'req_1')
  t.equal(response.headers.get('understudy-served'), 'anthropic-eu/claude-sonnet-4-5')
  const [call] = anthropicSide.calls
  t.match(call?.body, {
    model: 'claude-sonnet-4-5',
    max_tokens: 1024,
    temperature: 0.2,
    metadata: { user_id: 'entry' },
    stop_sequences: ['END'],
    messages: [{ role: 'user' }],
  })
  t.match(JSON.stringify(call?.body['system']), 'Be brief.')
  t.match(call?.headers, { 'anthropic-version': String })
  t.match(JSON.stringify(call?.headers), 'key-of-anthropic')
  t.notMatch(JSON.stringify(call?.headers), 'key-of-openai')
})

t.test('what a call says wins over its entry, in the words of either API', async (t) => {
  await toAnthropic.chat.completions.create({ model: 'large', messages: MESSAGES, max_completion_tokens: 50, temperature: 0.7 })
  t.match(anthropicSide.calls[0]?.body, { max_tokens: 50, temperature: 0.7 })
})

t.test('an OpenAI stream is answered by Anthropic, with tool calls too', async (t) => {
  const params = { model: 'large', messages: MESSAGES, stream: true } as const
  t.strictSame(await readStream(await toAnthropic.chat.completions.create(params)), { text: ANTHROPIC_TEXT, error: undefined })

  anthropicSide.play({ tool: true })
  const helper = toAnthropic.chat.completions.stream({ ...params, tools: [{ type: 'function', function: WEATHER }] })
  const { choices } = await helper.finalChatCompletion()
  t.match(choices, [{
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }] },
  }])
  t.match(anthropicSide.calls[0]?.body['tools'], [{ name: 'weather', input_schema: WEATHER.parameters }])
})

t.test('tool results go across too', async (t) => {
  await toAnthropic.chat.completions.create({
    model: 'large',
    messages: [
      ...MESSAGES,
      { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ],
    tools: [{ type: 'function', function: WEATHER }],
  })
  t.match(anthropicSide.calls[0]?.body['messages'], [
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', input: { city: 'Bern' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
  ])
})

t.test('the errors of a foreign fallback are its own SDK\'s', async (t) => {
  anthropicSide.play({ status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } })
  const error = await rejection(toAnthropic.chat.completions.create({ model: 'large', messages: MESSAGES }))
  t.ok(error instanceof Anthropic.APIError)
  t.match(error, { status: 529, requestID: 'req_1' })

  anthropicSide.play({ errorEvent: 'before' })
  const early = await rejection(toAnthropic.chat.completions.create({ model: 'large', messages: MESSAGES, stream: true }))
  t.ok(early instanceof Anthropic.APIError)
  t.match(early, { error: { error: { type: 'overloaded_error' } } })

  anthropicSide.play({ errorEvent: 'behind' })
  const late = await readStream(await toAnthropic.chat.completions.create({ model: 'large', messages: MESSAGES, stream: true }))
  t.equal(late.text, ANTHROPIC_TEXT)
  t.ok(late.error instanceof Anthropic.APIError)
})

t.test('what the other API cannot say ends the chain before that client is called', async (t) => {
  const later = withFallback(openai, {
    fallback: [[anthropic, 'claude-sonnet-4-5', {}, 'anthropic'], [openai, 'small', {}, 'later']],
  })
  const error = await rejection(later.chat.completions.create({ model: 'large', messages: MESSAGES, logit_bias: { 1: 5 } }))
  t.ok(isUntranslatableRequestError(error))
  t.match(error, { source: 'openai', target: 'anthropic', feature: 'logit_bias' })
  t.notMatch(String(error), 'canary')
  t.strictSame([anthropicSide.calls.length, openaiSide.calls.length], [0, 1])
})

const toOpenai = withFallback(anthropic, { provider: 'anthropic', breaker: false, fallback: [[openai, 'small', { seed: 7 }, 'openai']] })
const ASK: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Is canary-prompt-77 well?' }],
}

t.test('an Anthropic call that succeeds is the SDK\'s own, streamed or not', async (t) => {
  t.match(await toOpenai.messages.create(ASK), { id: 'msg_1', content: [{ type: 'text', text: ANTHROPIC_TEXT }], _request_id: 'req_1' })
  const stream = await toOpenai.messages.create({ ...ASK, stream: true })
  const direct = await anthropic.messages.create({ ...ASK, stream: true })
  t.strictSame(await collect(stream), await collect(direct), 'event for event')
  t.strictSame(anthropicSide.calls.map(({ body }) => body)[1], anthropicSide.calls.map(({ body }) => body)[2])
  t.equal((await toOpenai.messages.stream(ASK).finalText()), ANTHROPIC_TEXT)
  t.equal(openaiSide.calls.length, 0)
  t.equal(toOpenai.beta, anthropic.beta)
})

t.test('an Anthropic call is answered by OpenAI, streamed or not', async (t) => {
  anthropicSide.play({ status: 429, error: { type: 'rate_limit_error', message: 'slow down' } })
  const { data, response } = await toOpenai.messages.create(ASK).withResponse()
  t.match(data, { type: 'message', role: 'assistant', model: 'small', content: [{ type: 'text', text: HEALTHY_TEXT }], stop_reason: 'end_turn' })
  t.match(data, { _request_id: 'req-small-1' })
  t.equal(response.headers.get('understudy-served'), 'openai/small')
  t.match(openaiSide.calls[0]?.body, { model: 'small', max_tokens: 100, seed: 7, messages: [{ role: 'system' }, { role: 'user' }] })
  t.notMatch(JSON.stringify(openaiSide.calls[0]?.headers), 'key-of-anthropic')
  t.equal(await toOpenai.messages.stream(ASK).finalText(), HEALTHY_TEXT)

  const call = { id: 'call_9', name: 'weather', arguments: '{"city":"Bern"}' }
  openaiSide.setScript({ fallback: { answer: { toolCalls: [call] } } })
  const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }]
  const streamed = await toOpenai.messages.stream({ ...ASK, tools }).finalMessage()
  t.match(streamed, { stop_reason: 'tool_use', content: [{ type: 'tool_use', id: 'call_9', name: 'weather', input: { city: 'Bern' } }] })
})

t.test('an Anthropic stream that breaks, and an SDK that retries nothing', async (t) => {
  anthropicSide.play({ errorEvent: 'behind' })
  const stream = await toOpenai.messages.create({ ...ASK, stream: true })
  const error = await rejection(collect(stream))
  t.ok(error instanceof Anthropic.APIError)
  anthropicSide.play({ status: 500 })
  t.ok((await rejection(toOpenai.messages.create(ASK))) instanceof Anthropic.InternalServerError)
  t.equal(anthropicSide.calls.length, 1)
})
