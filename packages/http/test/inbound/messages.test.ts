import Anthropic from '@anthropic-ai/sdk'
import type { AuthorizeAttempt, FallbackOptions, RoutesInput } from '@understudy/config'
import type { Part } from '@understudy/core'
import type { Simulator } from '@understudy/simulator'
import t from 'tap'

import { fallbackOf, jsonOf, MESSAGES, outline, parseTrail, post, says, simulate, textOf } from '../kit.js'

const BODY = { model: 'chat', max_tokens: 9, messages: MESSAGES }

function ask(fields: Readonly<Record<string, unknown>> = {}, path = '/v1/messages') {
  return post({ ...BODY, ...fields }, { path })
}

/** A provider of each dialect on one simulator. */
function both({ url }: Pick<Simulator, 'url'>): FallbackOptions['providers'] {
  return {
    a: { dialect: 'anthropic', baseURL: url, apiKey: 'key-a' },
    o: { dialect: 'openai', baseURL: url, apiKey: 'key-o' },
  }
}

t.test('a request that never becomes a run is refused in the vendor\'s envelope', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')] })
  const refused = async (body: unknown, headers = {}) => {
    const response = await fallback.handle(post(body, { path: '/messages', headers: { 'x-request-id': 'r-1', ...headers } }))
    return [response.status, await jsonOf(response)]
  }
  const error = (type: string, code: string, param?: string) => ({
    type: 'error', error: { type, code, ...(param === undefined ? {} : { param }) }, request_id: 'r-1',
  })
  t.match(await refused('{'), [400, error('invalid_request_error', 'invalid_json')])
  t.match(await refused(BODY, { 'content-type': 'text/plain' }), [415, error('invalid_request_error', 'unsupported_media_type')])
  t.match(await refused({ ...BODY, model: 'none' }), [404, error('not_found_error', 'model_not_found')])
  const table: readonly (readonly [Readonly<Record<string, unknown>>, param: string])[] = [
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [{}] }] }, 'messages[0].content'],
    [{ messages: Array.from({ length: 200_000 }, () => ({ role: 'user' })) }, 'messages[0].content'],
    [{ tools: [{}] }, 'tools[0].name'],
    [{ stop_sequences: 'x' }, 'stop_sequences'],
    [{ stop_sequences: Array.from({ length: 200_000 }, () => 1) }, 'stop_sequences[0]'],
    [{ max_tokens: '9' }, 'max_tokens'],
    [{ thinking: true }, 'thinking'],
    [{ models: [] }, 'models'],
  ]
  for (const [fields, param] of table) {
    t.match(await refused({ ...BODY, ...fields }), [400, error('invalid_request_error', 'invalid_request_error', param)], param)
  }
})

t.test('every answer names its request where the vendor\'s SDKs look; an id of the leg\'s own stands', async (t) => {
  const simulator = await simulate(t, { models: { own: [{ headers: { 'request-id': 'req-theirs' } }], down: [{ status: 500 }] } })
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')], own: ['a/own'], down: ['a/down'] }, { providers: both(simulator) })
  const idsOf = async (fields: object, path?: string) => {
    const { headers } = await fallback.handle({ ...ask({ ...fields }, path), headers: { 'x-request-id': 'r-1' } })
    return [headers['x-request-id'], headers['request-id']]
  }
  for (const fields of [{}, { stream: true }, { model: 'none' }, { model: 'down' }]) t.strictSame(await idsOf(fields), ['r-1', 'r-1'])
  t.strictSame(await idsOf({ model: 'own' }), ['r-1', 'req-theirs'])
  t.strictSame(await idsOf({}, '/chat/completions'), ['r-1', undefined], 'OpenAI\'s read x-request-id')

  const client = new Anthropic({
    apiKey: 'k', baseURL: 'http://fallback', maxRetries: 0,
    fetch: async () => {
      const { status, headers, body } = await fallback.handle(ask({ model: 'none' }))
      return new Response(Buffer.from(body as Uint8Array), { status, headers })
    },
  })
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const error: unknown = await client.messages.create({ model: 'none', max_tokens: 9, messages }).catch((thrown: unknown) => thrown)
  t.match(error, { status: 404, requestID: /^[\w-]{36}$/ })
})

t.test('a custom leg\'s text is an answer of the vendor, and the report stands in a document only', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hello ', 'there')] })
  const whole = await fallback.handle(ask())
  const { understudy, id, ...message } = await jsonOf(whole)
  t.match(id, /^msg_/)
  t.match(understudy, { served_model: 'fixed/fixed' })
  t.strictSame(message, {
    type: 'message', role: 'assistant', model: 'fixed', content: [{ type: 'text', text: 'Hello there' }],
    stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 },
  })
  const streamed = await fallback.handle(ask({ stream: true }))
  t.equal(streamed.headers['content-type'], 'text/event-stream; charset=utf-8')
  const text = await textOf(streamed)
  t.notMatch(text, 'understudy')
  t.strictSame(text.match(/^event: \w+$/gm), [
    'event: message_start', 'event: content_block_start', 'event: content_block_delta', 'event: content_block_delta',
    'event: content_block_stop', 'event: message_delta', 'event: message_stop',
  ])
})

t.test('the classic envelope is for OpenAI\'s clients', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')] }, { envelope: 'classic' })
  t.match(await jsonOf(await fallback.handle(ask())), { type: 'message', content: [{ text: 'Hi' }] })
  t.match(await textOf(await fallback.handle(ask({ stream: true }))), /^event: message_start\n/)
  t.match(await jsonOf(await fallback.handle(ask({ model: 'none' }))), { type: 'error' })
})

t.test('a stream that breaks ends with the vendor\'s error event', async (t) => {
  const half: readonly (string | Part)[] = ['half', { type: 'error', failure: { kind: 'server_error', processed: 'maybe' } }]
  const fallback = fallbackOf(t, { chat: [says('fixed', ...half)] })
  const text = await textOf(await fallback.handle(ask({ stream: true })))
  t.match(text, /"text":"half"/)
  t.match(text, /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error",.*"code":"upstream_error"\}.*\}\n\n$/)
  t.notMatch(text, 'message_stop')
})

t.test('fields that are ours never reach a provider, on this surface either', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const fallback = fallbackOf(t, { chat: ['a/claude-x'] }, { providers: both(simulator) })
  const response = await fallback.handle(ask({ models: ['a/claude-x'], redundancy: { timeout_ms: 5_000 }, idempotent: true, odd: undefined }))
  t.equal(response.status, 200)
  t.strictSame(simulator.calls[0]?.body, { ...BODY, model: 'claude-x' })
})

t.test('defaults reach a leg of another dialect, under what the request sets', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const fallback = fallbackOf(t, { chat: [{ provider: 'a', model: 'claude-x', defaults: { max_tokens: 77, temperature: 0.5 } }] }, {
    providers: both(simulator),
  })
  const chat = (fields: object) => fallback.handle(post({ model: 'chat', messages: MESSAGES, ...fields }))
  await chat({})
  await chat({ max_tokens: 5, temperature: 0 })
  t.match(simulator.calls.map(({ body }) => body), [{ max_tokens: 77, temperature: 0.5 }, { max_tokens: 5, temperature: 0 }])
})

t.test('the host judges the translated bytes, and is not asked about a leg that has no words', async (t) => {
  const simulator = await simulate(t, { fallback: {} })
  const judged: AuthorizeAttempt[] = []
  const fallback = fallbackOf(t, { chat: ['o/gpt-x', 'a/claude-x'] }, {
    providers: both(simulator),
    authorize: (attempt) => void judged.push(attempt),
  })
  await textOf(await fallback.handle(ask()))
  t.strictSame(judged.map(({ leg, bytes }) => [leg.provider, JSON.parse(Buffer.from(bytes).toString()) as unknown]), [
    ['o', { model: 'gpt-x', messages: MESSAGES, max_tokens: 9 }],
  ])
  t.strictSame(simulator.calls[0]?.body, { model: 'gpt-x', messages: MESSAGES, max_tokens: 9 }, 'and they are what is sent')
  const { headers } = await fallback.handle(ask({ top_k: 3 }))
  t.strictSame(outline(headers['understudy-trail']), ['o/gpt-x skipped untranslatable', 'a/claude-x served'])
  t.strictSame(judged.map(({ leg }) => leg.provider), ['o', 'a'])
})

t.test('a field that a client made up cannot break the trail out of its header', async (t) => {
  const simulator = await simulate(t, { fallback: {} })
  const fallback = fallbackOf(t, { chat: ['o/gpt-x', 'a/claude-x'] }, { providers: both(simulator) })
  for (const [field, feature] of [['a\r\nb: c', 'abc'], ['1;x="y"', 'field1xy'], ['\u00e9', 'field'], ['x'.repeat(99), 'x'.repeat(64)]] as const) {
    const { status, headers } = await fallback.handle(ask({ [field]: 1 }))
    t.match([status, parseTrail(headers['understudy-trail'])], [200, [{ outcome: 'skipped', feature }, { outcome: 'served' }]])
  }
})

t.test('a policy check says which legs have no words', async (t) => {
  const simulator = await simulate(t, { fallback: {} })
  const fallback = fallbackOf(t, { chat: ['a/claude-x', 'o/gpt-x'] }, { providers: both(simulator) })
  const checked = await fallback.handle(post({ model: 'chat', messages: MESSAGES, seed: 1 }, { path: '/policy-check' }))
  t.match(await jsonOf(checked), {
    allowed: true, plan: [{ model: 'a/claude-x', admitted: false, why: 'untranslatable', feature: 'seed' }, { model: 'o/gpt-x', admitted: true }],
  })
  t.equal(simulator.calls.length, 0)
})

t.test('a leg without words is refused where the route says so, after the legs before it ran', async (t) => {
  const simulator = await simulate(t, { models: { 'gpt-x': [{ status: 500 }], 'claude-x': [{}] } })
  const fallback = fallbackOf(t, { chat: { legs: ['o/gpt-x', 'a/claude-x'], untranslatable: 'refuse' } }, { providers: both(simulator) })
  const response = await fallback.handle(post({ model: 'chat', messages: MESSAGES, seed: 1 }))
  t.equal(response.status, 400)
  t.match(await jsonOf(response), { error: { code: 'untranslatable_request', message: /seed/ } })
  t.strictSame(outline(response.headers['understudy-trail']), ['o/gpt-x failed server_error', 'a/claude-x skipped untranslatable'])
  t.equal(simulator.calls.length, 1)
})

t.test('what came from the defaults is not blamed on the request', async (t) => {
  const simulator = await simulate(t)
  const routes: RoutesInput = {
    chat: { legs: ['a/claude-x'], defaults: { seed: 7 } },
    leg: { legs: [{ provider: 'a', model: 'claude-y', defaults: { presence_penalty: 1 } }] },
    plain: ['a/claude-z'],
  }
  const fallback = fallbackOf(t, routes, { providers: both(simulator) })
  const told = async (fields: object) => {
    const { error } = await jsonOf(await fallback.handle(post({ messages: MESSAGES, ...fields })))
    return error?.code === 'untranslatable_request' ? error.message.replace(/^no leg of route '.*' that was reached has words /, '') : error
  }
  t.equal(await told({ model: 'chat' }), 'for this of the defaults of the route: seed')
  t.equal(await told({ model: 'leg' }), 'for this of the defaults of the route: presence_penalty')
  t.equal(await told({ model: 'chat', seed: 8 }), 'for this of the request: seed', 'the client sent one of its own')
  t.equal(await told({ model: 'plain', seed: 8 }), 'for this of the request: seed')
  t.equal(await told({ models: ['plain', 'leg'], n: 2 }), 'for this of the request: n')
  t.equal(await told({ models: ['chat', 'leg'] }), 'for this of the defaults of the route: seed, presence_penalty', "a caller's chain")
  t.equal(await told({ models: ['leg', 'chat'], seed: 8 }), 'for this of the request: seed')
  t.equal(await told({ models: ['chat', 'leg'], presence_penalty: 1 }), 'for this of the request: presence_penalty; or for this of the defaults of the route: seed')
  t.equal(simulator.calls.length, 0)
})

t.test('log line and failures name what a leg has no words for', async (t) => {
  const simulator = await simulate(t, { models: { 'gpt-x': [{ status: 500 }] } })
  const lines: unknown[] = []
  const line = (fields: unknown): void => void lines.push(fields)
  const logger = { debug: line, info: line, warn: line, error: line }
  const fallback = fallbackOf(t, { chat: ['o/gpt-x', 'a/claude-x'] }, { providers: both(simulator), logger })
  const response = await fallback.handle(post({ model: 'chat', messages: MESSAGES, seed: 1 }))
  t.match(await jsonOf(response), {
    error: { failures: [{ reason: 'server_error' }, { reason: 'untranslatable', message: 'left out: its dialect cannot say the request: seed' }] },
  })
  t.match(lines, [{ attempts: [{ leg: 'o/gpt-x', feature: undefined }, { leg: 'a/claude-x', reason: 'untranslatable', feature: 'seed' }] }])
})

t.test('thoughts that another dialect\'s leg had are taken out where a client sends them back to the API, and nothing else is', async (t) => {
  const simulator = await simulate(t, { fallback: { answer: { reasoning: ['It rains.'], text: ['Rain'] } }, strict: true })
  const fallback = fallbackOf(t, { other: ['o/gpt-x'], chat: ['a/claude-x'] }, {
    providers: {
      o: { dialect: 'openai', baseURL: simulator.url, apiKey: 'key-o' },
      a: { dialect: 'anthropic', baseURL: simulator.url, apiKey: 'key-a' },
    },
  })
  const { content } = await jsonOf(await fallback.handle(ask({ model: 'other' }))) as unknown as { readonly content: readonly unknown[] }
  t.match(content, [{ type: 'thinking', signature: '' }, { type: 'text' }])
  const own = { type: 'thinking', thinking: 'Well.', signature: 'sig' }
  const asked = (blocks: readonly unknown[]) => [...MESSAGES, { role: 'assistant', content: blocks }, { role: 'user', content: 'And tomorrow?' }]
  const next = await fallback.handle(ask({ messages: asked([own, ...content]), temperature: 1 }))
  t.equal(next.status, 200, 'the strict API takes it')
  t.strictSame(simulator.calls.at(-1)?.body, { model: 'claude-x', max_tokens: 9, messages: asked([own, ...content.slice(1)]), temperature: 1 })
})

t.test('a loop of tools goes on at the API after another dialect\'s leg, without the budget of thinking that the API would refuse there', async (t) => {
  const simulator = await simulate(t, { fallback: { answer: { reasoning: ['hm'], toolCalls: [{ name: 'w', arguments: '{}' }] } }, strict: true })
  const withDefault = { provider: 'a', model: 'claude-x', defaults: { thinking: { type: 'enabled', budget_tokens: 2_000 } } }
  const fallback = fallbackOf(t, { other: ['o/gpt-x'], chat: ['a/claude-x'], thinks: [withDefault] }, { providers: both(simulator) })
  const asked = { max_tokens: 9_000, tools: [{ name: 'w', input_schema: { type: 'object' } }] }
  const thinking = { type: 'enabled', budget_tokens: 2_000 }
  const { content } = await jsonOf(await fallback.handle(ask({ ...asked, model: 'other', thinking }))) as unknown as { readonly content: readonly { readonly id?: string }[] }
  t.match(content, [{ type: 'thinking', signature: '' }, { type: 'tool_use' }])
  const results = { role: 'user', content: [{ type: 'tool_result', tool_use_id: content[1]?.id, content: 'sunny' }] }
  const messages = [...MESSAGES, { role: 'assistant', content }, results]
  for (const fields of [{ thinking }, { model: 'thinks' }]) {
    const next = await fallback.handle(ask({ ...asked, ...fields, messages }))
    t.equal(next.status, 200, 'the strict API takes it')
    t.strictSame(simulator.calls.at(-1)?.body, { ...BODY, ...asked, model: 'claude-x', messages: messages.with(1, { role: 'assistant', content: content.slice(1) }) })
  }
  await fallback.handle(ask({ ...asked, thinking: { type: 'adaptive' }, messages }))
  t.match(simulator.calls.at(-1)?.body, { thinking: { type: 'adaptive' } })
})

t.test('what Claude proves at Bedrock reaches a client of its vendor, whole and streamed, and goes back to Bedrock and to the vendor', async (t) => {
  const signature = 'sig-eu.anthropic.claude-sonnet-4-5'
  const simulator = await simulate(t, { fallback: { answer: { reasoning: ['It ', 'rains.'], text: ['Rain'] } }, strict: true })
  const cloud = { dialect: 'bedrock', baseURL: new URL(simulator.url).origin, region: 'eu-west-1', apiKey: 'key-c' } as const
  const providers = { ...both(simulator), c: cloud }
  const routes = { cloud: ['c/eu.anthropic.claude-sonnet-4-5'], nova: ['c/eu.amazon.nova-pro-v1:0'], chat: ['a/claude-x'] } as const
  const fallback = fallbackOf(t, routes, { providers })
  const thought = { type: 'thinking', thinking: 'It rains.', signature }
  const whole = await jsonOf(await fallback.handle(ask({ model: 'cloud' })))
  t.strictSame(whole['content'], [thought, { type: 'text', text: 'Rain' }])
  const deltas = async (model: string) => Array.from((await textOf(await fallback.handle(ask({ model, stream: true })))).matchAll(/"delta":(\{[^}]*\})/g), ([, delta]) => delta)
  const thinks = ['It ', 'rains.'].map((thinking) => JSON.stringify({ type: 'thinking_delta', thinking }))
  const says = '{"type":"text_delta","text":"Rain"}'
  t.strictSame((await deltas('cloud')).slice(0, -1), [...thinks, JSON.stringify({ type: 'signature_delta', signature }), says])
  t.strictSame((await deltas('nova')).slice(0, -1), [...thinks, says], 'a proof of another vendor\'s model stays behind')

  const hidden = { type: 'redacted_thinking', data: 'EmwKAhgB' }
  const messages = [...MESSAGES, { role: 'assistant', content: [thought, hidden, { type: 'text', text: 'Rain' }] }, { role: 'user', content: 'And tomorrow?' }]
  const sentTo = async (model: string) => {
    t.equal((await fallback.handle(ask({ model, messages }))).status, 200, model)
    return (simulator.calls.at(-1)?.body as { readonly messages: readonly { readonly content: unknown }[] }).messages[1]?.content
  }
  const again = [
    { reasoningContent: { reasoningText: { text: 'It rains.', signature } } },
    { reasoningContent: { redactedContent: 'RW13S0FoZ0I=' } },
    { text: 'Rain' },
  ]
  t.strictSame(await sentTo('cloud'), again)
  t.strictSame(await sentTo('nova'), [{ text: 'Rain' }])
  t.strictSame(await sentTo('chat'), [thought, hidden, { type: 'text', text: 'Rain' }])
})

t.test('what Bedrock says in place of a thought is what the vendor itself would have said', async (t) => {
  const content = [{ reasoningContent: { redactedContent: 'RW13S0FoZ0I=' } }, { text: 'Rain' }]
  const simulator = await simulate(t, { fallback: { body: JSON.stringify({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn' }) } })
  const cloud = { dialect: 'bedrock', baseURL: new URL(simulator.url).origin, region: 'eu-west-1', apiKey: 'key-c' } as const
  const fallback = fallbackOf(t, { cloud: ['c/anthropic.claude-3-7-sonnet-20250219-v1:0'] }, { providers: { c: cloud } })
  const told = [{ type: 'redacted_thinking', data: 'EmwKAhgB' }, { type: 'text', text: 'Rain' }]
  t.strictSame((await jsonOf(await fallback.handle(ask({ model: 'cloud' }))))['content'], told)
  const streamed = await textOf(await fallback.handle(ask({ model: 'cloud', stream: true })))
  t.match(streamed, /"content_block":\{"type":"redacted_thinking","data":"EmwKAhgB"\}/)
})

t.test('what is marked to be cached is marked at Bedrock too, and what the cache read and wrote is counted', async (t) => {
  const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 4_005, cacheReadInputTokens: 3_000, cacheWriteInputTokens: 1_000 }
  const simulator = await simulate(t, { fallback: { answer: { text: ['Rain'], usage } }, strict: true })
  const cloud = { dialect: 'bedrock', baseURL: new URL(simulator.url).origin, region: 'eu-west-1', apiKey: 'key-c' } as const
  const fallback = fallbackOf(t, { cloud: ['c/eu.anthropic.claude-sonnet-4-5'] }, { providers: { c: cloud } })
  const mark = { cache_control: { type: 'ephemeral' } }
  const asked = {
    model: 'cloud',
    system: [{ type: 'text', text: 'Be brief.', ...mark }],
    tools: [{ name: 'w', input_schema: { type: 'object' }, ...mark }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...mark }] }],
  }
  const counted = { input_tokens: 3, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 3_000, output_tokens: 2 }
  t.match(await jsonOf(await fallback.handle(ask(asked))), { usage: counted })
  const point = { cachePoint: { type: 'default' } }
  t.match(simulator.calls.at(-1)?.body, {
    system: [{ text: 'Be brief.' }, point], toolConfig: { tools: [{ toolSpec: { name: 'w' } }, point] }, messages: [{ content: [{ text: 'Hello' }, point] }],
  })
  const streamed = await textOf(await fallback.handle(ask({ ...asked, stream: true })))
  t.match(streamed, /"usage":\{"input_tokens":3,"cache_creation_input_tokens":1000,"cache_read_input_tokens":3000,"output_tokens":2\}/)
})
