import type { FallbackOptions } from '@understudy/config'
import type { Part } from '@understudy/core'
import type { Simulator } from '@understudy/simulator'
import t from 'tap'

import { fallbackOf, jsonOf, MESSAGES, outline, post, says, simulate, textOf } from '../kit.js'

const BODY = { model: 'chat', input: 'Hello' }

function ask(fields: Readonly<Record<string, unknown>> = {}, path = '/v1/responses') {
  return post({ ...BODY, ...fields }, { path })
}

/** A provider of each dialect on one simulator. */
function all({ url }: Pick<Simulator, 'url'>): FallbackOptions['providers'] {
  return {
    r: { dialect: 'responses', baseURL: url, apiKey: 'key-r' },
    o: { dialect: 'openai', baseURL: url, apiKey: 'key-o' },
    a: { dialect: 'anthropic', baseURL: url, apiKey: 'key-a' },
  }
}

t.test('a request that never becomes a run is refused in the vendor\'s envelope', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')] })
  const refused = async (body: unknown, headers = {}) => {
    const response = await fallback.handle(post(body, { path: '/responses', headers }))
    return [response.status, await jsonOf(response)]
  }
  const error = (code: string, param?: string) => ({ error: { type: 'invalid_request_error', code, ...(param === undefined ? {} : { param }) } })
  t.match(await refused('{'), [400, error('invalid_json')])
  t.match(await refused(BODY, { 'content-type': 'text/plain' }), [415, error('unsupported_media_type')])
  t.match(await refused({ ...BODY, model: 'none' }), [404, error('model_not_found')])
  const table: readonly (readonly [Readonly<Record<string, unknown>>, param: string])[] = [
    [{ input: 7 }, 'input'],
    [{ input: [7] }, 'input'],
    [{ input: [{ role: 'user', content: [{}] }] }, 'input'],
    [{ input: Array.from({ length: 200_000 }, () => ({ role: 7 })) }, 'input[0].role'],
    [{ input: [{ role: 'user', content: Array.from({ length: 200_000 }, () => ({})) }] }, 'input[0].content[0].type'],
    [{ tools: [{}] }, 'tools[0].type'],
    [{ max_output_tokens: '9' }, 'max_output_tokens'],
    [{ reasoning: true }, 'reasoning'],
    [{ text: { format: 'json' } }, 'text.format'],
    [{ models: [] }, 'models'],
  ]
  for (const [fields, param] of table) t.match(await refused({ ...BODY, ...fields }), [400, error('invalid_request_error', param)], param)
})

t.test('a custom leg\'s text is a response, and the report stands in a document only', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hello ', 'there')] })
  const { understudy, ...response } = await jsonOf(await fallback.handle(ask({ instructions: 'Be brief.' })))
  t.match(understudy, { served_model: 'fixed/fixed' })
  t.match(response, {
    id: /^resp_/, object: 'response', status: 'completed', model: 'fixed', instructions: 'Be brief.',
    output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hello there', annotations: [] }] }],
  })
  const streamed = await fallback.handle(ask({ stream: true }))
  t.equal(streamed.headers['content-type'], 'text/event-stream; charset=utf-8')
  const text = await textOf(streamed)
  t.notMatch(text, '"understudy"')
  t.notMatch(text, '[DONE]')
  t.strictSame(text.match(/^event: [\w.]+$/gm)?.map((line) => line.slice('event: response.'.length)), [
    'created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.delta', 'output_text.done',
    'content_part.done', 'output_item.done', 'completed',
  ])
})

t.test('the classic envelope is for clients of chat completions', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')] }, { envelope: 'classic' })
  t.match(await jsonOf(await fallback.handle(ask())), { object: 'response' })
  t.match(await textOf(await fallback.handle(ask({ stream: true }))), /^event: response.created\n/)
})

t.test('a stream that breaks ends with the vendor\'s error event, counted on', async (t) => {
  const half: readonly (string | Part)[] = ['half', { type: 'error', failure: { kind: 'server_error', processed: 'maybe' } }]
  const fallback = fallbackOf(t, { chat: [says('fixed', ...half)] })
  const text = await textOf(await fallback.handle(ask({ stream: true })))
  t.match(text, /"delta":"half"/)
  t.match(text, /\n\nevent: error\ndata: \{"type":"error","sequence_number":5,"code":"upstream_error",.*"error":\{.*"code":"upstream_error".*\}.*\}\n\n$/)
  t.notMatch(text, 'response.completed')
})

t.test('the body and the answer of its own dialect go through as they came', async (t) => {
  const body = `{ "model" : "chat", "input":[{"role":"user","content":"caf\\u00e9"}],"store":true , "metadata":{"a":"b"}, "stream":true}`
  const simulator = await simulate(t, { fallback: { answer: { text: ['one ', 'two'] } } })
  const fallback = fallbackOf(t, { chat: [{ provider: 'r', model: 'gpt-x', defaults: { temperature: 0.5 } }] }, { providers: all(simulator) })
  const direct = await fetch(`${simulator.url}/responses`, { method: 'POST', body: body.replace('"chat"', '"gpt-x"') })
  const expected = await direct.text()
  const text = await textOf(await fallback.handle(post(body, { path: '/responses' })))
  t.equal(text.replaceAll('resp_gptx2', 'resp_gptx1').replaceAll('gptx2n', 'gptx1n'), expected, 'to the last event')
  t.equal(simulator.calls[1]?.rawBody.toString(), body.replace('"chat"', '"gpt-x"').replace('"stream":true}', '"stream":true,"temperature":0.5}'))
  t.equal(simulator.calls[1]?.path, '/v1/responses')
  t.equal(simulator.calls[1]?.headers['authorization'], 'Bearer key-r')
})

t.test('fields that are ours never reach a provider, on this surface either', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const fallback = fallbackOf(t, { chat: ['r/gpt-x'] }, { providers: all(simulator) })
  const response = await fallback.handle(ask({ models: ['r/gpt-x'], redundancy: { timeout_ms: 5_000 }, idempotent: true }))
  t.equal(response.status, 200)
  t.strictSame(simulator.calls[0]?.body, { ...BODY, model: 'gpt-x' })
})

t.test('a lone leg of a response serves clients of chat completions, whose answers are not kept', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const fallback = fallbackOf(t, { chat: ['r/gpt-x'] }, { providers: all(simulator) })
  t.match(await jsonOf(await fallback.handle(post({ model: 'chat', messages: MESSAGES }))), { object: 'chat.completion', choices: [{ finish_reason: 'stop' }] })
  t.match(await textOf(await fallback.handle(post({ model: 'chat', messages: MESSAGES, stream: true }))), /"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/s)
  t.strictSame(simulator.calls.map(({ body }) => body), [
    { model: 'gpt-x', input: MESSAGES, store: false }, { model: 'gpt-x', input: MESSAGES, store: false, stream: true },
  ])
})

t.test('the limit in a leg\'s defaults counts for clients of every dialect', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const fallback = fallbackOf(t, { chat: [{ provider: 'a', model: 'claude-x', defaults: { max_tokens: 77 } }] }, { providers: all(simulator) })
  t.equal((await fallback.handle(ask())).status, 200)
  t.equal((await fallback.handle(ask({ max_output_tokens: 20 }))).status, 200)
  t.match(simulator.calls.map(({ body }) => body), [{ max_tokens: 77 }, { max_tokens: 20 }])
})

t.test('what a request wants kept or continued is for legs of its own dialect', async (t) => {
  const simulator = await simulate(t, { fallback: {} })
  const fallback = fallbackOf(t, { chat: ['o/gpt-o', 'r/gpt-x'] }, { providers: all(simulator) })
  for (const field of ['previous_response_id', 'conversation']) {
    const { headers } = await fallback.handle(ask({ [field]: 'x' }))
    t.strictSame(outline(headers['understudy-trail']), ['o/gpt-o skipped untranslatable', 'r/gpt-x served'])
    t.match(headers['understudy-trail'], `feature=${field}`)
  }
  t.strictSame(outline((await fallback.handle(ask({ store: false }))).headers['understudy-trail']), ['o/gpt-o served'])
})

t.test('a leg that does not know what is to be continued is passed over', async (t) => {
  const error = { code: 'previous_response_not_found', param: 'previous_response_id', message: 'Previous response not found.' }
  const simulator = await simulate(t, { models: { 'gpt-1': [{ status: 400, error }], 'gpt-2': [{}] } })
  const fallback = fallbackOf(t, { chat: ['r/gpt-1', 'r/gpt-2'] }, { providers: all(simulator) })
  const { headers } = await fallback.handle(ask({ previous_response_id: 'resp_1' }))
  t.strictSame(outline(headers['understudy-trail']), ['r/gpt-1 failed not_found', 'r/gpt-2 served'])
})

t.test('thoughts that another dialect\'s leg had are taken out where a client sends them back to the service, and nothing else is', async (t) => {
  const answer = { reasoning: ['It rains.'], text: ['Rain'] }
  const simulator = await simulate(t, { fallback: { answer }, strict: true })
  const fallback = fallbackOf(t, { other: ['a/claude-x'], chat: ['r/gpt-x'] }, { providers: all(simulator) })
  for (const streamed of [false, true]) {
    const asked = await fallback.handle(ask({ model: 'other', stream: streamed }))
    const text = await textOf(asked)
    const last = JSON.parse(streamed ? (text.split('\ndata: ').at(-1) ?? '') : `{"response":${text}}`) as { readonly response: { readonly output: readonly Readonly<Record<string, unknown>>[] } }
    const { output } = last.response
    t.match(output, [{ type: 'reasoning', id: /^rs_understudy_/ }, { type: 'message' }])
    const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gA' }
    const input = [{ role: 'user', content: 'Weather?' }, ...output, own, { role: 'user', content: 'And tomorrow?' }]
    const next = await fallback.handle(post({ model: 'chat', input, temperature: 1 }, { path: '/responses' }))
    t.equal(next.status, 200, 'the strict service takes it')
    const message = Object.fromEntries(Object.entries(output[1] ?? {}).filter(([key]) => key !== 'id'))
    t.strictSame(simulator.calls.at(-1)?.body, { model: 'gpt-x', input: input.toSpliced(1, 2, message), temperature: 1 })
  }
  t.equal((await fallback.handle(post({ model: 'other', input: [{ role: 'user', content: 'x' }, { type: 'reasoning', id: 'rs_1', summary: [] }, { role: 'user', content: 'y' }] }, { path: '/responses' }))).status, 200)
})

t.test('what refers to another dialect\'s leg\'s answer by its id is refused before a leg is asked, with the way out', async (t) => {
  const answer = { reasoning: ['hm'], text: ['Rain'], toolCalls: [{ id: 'c1', name: 'w', arguments: '{}' }] }
  const simulator = await simulate(t, { fallback: { answer }, strict: true })
  const fallback = fallbackOf(t, { other: ['a/claude-x'], chat: ['r/gpt-x', 'a/claude-x'] }, { providers: all(simulator) })
  const told = await jsonOf(await fallback.handle(ask({ model: 'other' }))) as unknown as { readonly id: string, readonly output: readonly { readonly id: string }[] }
  const [thought = '', message = '', call = ''] = told.output.map(({ id }) => id)
  const results = [{ type: 'function_call', call_id: 'c1', name: 'w', arguments: '{}' }, { type: 'function_call_output', call_id: 'c1', output: 'x' }]
  const goesOn = (fields: object) => fallback.handle(post({ model: 'chat', ...fields }, { path: '/v1/responses' }))
  const refer = (id: string) => ({ input: [{ role: 'user', content: 'Weather?' }, { type: 'item_reference', id }, ...results] })
  const asked = simulator.calls.length
  for (const [fields, feature] of [[refer(message), 'item_reference'], [refer(call), 'item_reference'], [{ input: 'And?', previous_response_id: told.id }, 'previous_response_id']] as const) {
    const refused = await goesOn(fields)
    t.match([refused.status, await jsonOf(refused)], [400, { error: { code: 'untranslatable_request', message: new RegExp(`${feature}; .*store: false`) } }])
    t.strictSame(outline(refused.headers['understudy-trail']), ['r/gpt-x skipped untranslatable', 'a/claude-x skipped untranslatable'])
  }
  t.equal(simulator.calls.length, asked)
  t.strictSame(outline((await goesOn(refer(thought))).headers['understudy-trail']), ['r/gpt-x served'], 'a thought says nothing')
  t.strictSame(simulator.calls.at(-1)?.body, { model: 'gpt-x', input: [{ role: 'user', content: 'Weather?' }, ...results] })
  t.equal((await fallback.handle(post({ model: 'other', ...refer(thought) }, { path: '/v1/responses' }))).status, 200)
})

t.test('an answer that is asked for as a stream and collected is the leg\'s own to the letter', async (t) => {
  const item = (type: string) => ({ id: 'x', type, status: 'completed' })
  const response = { id: 'resp_1', object: 'response', model: 'gpt-x', status: 'completed', odd: 1, output: [item('web_search_call'), { ...item('message'), role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [{ type: 'url_citation' }] }] }] }
  const event = (data: { readonly type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  const stream = event({ type: 'response.created', ...{ response: { ...response, output: [] } } }) + event({ type: 'response.completed', ...{ response } })
  const simulator = await simulate(t, { fallback: { chunks: [{ text: stream, then: 'end' }], contentType: 'text/event-stream' } })
  const routes = { chat: { legs: ['r/gpt-x'], bufferedVia: 'stream' as const } }
  const { understudy, ...told } = await jsonOf(await fallbackOf(t, routes, { providers: all(simulator) }).handle(ask({ tools: [{ type: 'web_search' }] })))
  t.match(understudy, { served_model: 'r/gpt-x' })
  t.strictSame(told, response)
  t.match(simulator.calls, [{ body: { stream: true } }])
})

t.test('Azure is asked in its own way: the model stands in the body', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const azure = { dialect: 'responses' as const, baseURL: simulator.url.replace(/\/v1$/, ''), apiKey: 'key-z', apiVersion: '2025-04-01-preview' }
  const fallback = fallbackOf(t, { chat: ['azure-eu/my-gpt'] }, { providers: { 'azure-eu': azure } })
  t.equal((await fallback.handle(ask())).status, 200)
  t.match(simulator.calls, [{ path: '/openai/responses', query: { 'api-version': '2025-04-01-preview' }, headers: { 'api-key': 'key-z' }, body: { model: 'my-gpt' } }])
})

t.test('OpenAI\'s own is known by name, and needs no more than its key', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const routes = { chat: ['openai-responses/gpt-5-mini'] }
  const fallback = fallbackOf(t, routes, { providers: { 'openai-responses': { baseURL: simulator.url } } }, { env: { OPENAI_API_KEY: 'key-env' } })
  t.equal((await fallback.handle(ask())).headers['understudy-served'], 'openai-responses/gpt-5-mini')
  t.match(simulator.calls, [{ path: '/v1/responses', headers: { authorization: 'Bearer key-env' } }])
})

t.test('the paths are ours under the mount; at the root of a host only the one with the version is', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')] })
  const ours = (path: string, atRoot: boolean, method = 'POST') => fallback.matches(method, path, atRoot)
  t.strictSame([ours('/responses', false), ours('/v1/responses', false), ours('/v1/responses/', true), ours('/responses', true)], [true, true, true, false])
  t.strictSame([ours('/v1/responses/resp_1', false, 'GET'), ours('/v1/responses', false, 'GET'), ours('/v1/responses/resp_1/cancel', false)], [false, false, false])
})
