import Anthropic from '@anthropic-ai/sdk'
import t from 'tap'
import { anthropic } from '../../src/dialect/anthropic.js'
import { startSimulator, type Answer, type Step } from '../../src/index.js'

const context = { model: 'claude-x', number: 2, wantsUsage: true }
const messages = [{ role: 'user' as const, content: 'hi' }]

interface Event {
  readonly type: string
  readonly index?: number
  readonly [member: string]: unknown
}

function events(answer: Answer, options: Parameters<typeof anthropic.encodeStream>[2] = {}): readonly Event[] {
  return anthropic.encodeStream(answer, context, options).map((event) => {
    const [, name, data = ''] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(event) ?? []
    const value = JSON.parse(data) as Event
    t.equal(value.type, name)
    return value
  })
}

t.test('streams thinking, then text in its pieces, then tool calls piece by piece', (t) => {
  const said = events({
    reasoning: ['hm', '...'],
    text: ['a b', ' c'],
    toolCalls: [{ name: 'f', arguments: { x: 1 } }, { id: 'c2', name: 'g', arguments: '{}', pieces: ['{', '}'] }],
  })
  t.strictSame(said.map(({ type, index, delta }) => [type, index, delta].filter((word) => word !== undefined)), [
    ['message_start'],
    ['content_block_start', 0],
    ['ping'],
    ['content_block_delta', 0, { type: 'thinking_delta', thinking: 'hm' }],
    ['content_block_delta', 0, { type: 'thinking_delta', thinking: '...' }],
    ['content_block_delta', 0, { type: 'signature_delta', signature: 'sig-claude-x' }],
    ['content_block_stop', 0],
    ['content_block_start', 1],
    ['content_block_delta', 1, { type: 'text_delta', text: 'a b' }],
    ['content_block_delta', 1, { type: 'text_delta', text: ' c' }],
    ['content_block_stop', 1],
    ['content_block_start', 2],
    ['content_block_delta', 2, { type: 'input_json_delta', partial_json: '{"x":1}' }],
    ['content_block_stop', 2],
    ['content_block_start', 3],
    ['content_block_delta', 3, { type: 'input_json_delta', partial_json: '{' }],
    ['content_block_delta', 3, { type: 'input_json_delta', partial_json: '}' }],
    ['content_block_stop', 3],
    ['message_delta', { stop_reason: 'tool_use', stop_sequence: null }],
    ['message_stop'],
  ])
  t.end()
})

t.test('says the same in one piece', (t) => {
  t.strictSame(anthropic.encodeResponse({ text: ['a', 'b'], toolCalls: [{ name: 'f', arguments: '{"x":1}' }], finishReason: 'length' }, context), {
    id: 'msg_claude_x_2',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [{ type: 'text', text: 'ab' }, { type: 'tool_use', id: 'toolu_0', name: 'f', input: { x: 1 } }],
    stop_reason: 'max_tokens',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 3 },
  })
  t.match(anthropic.encodeResponse({ refusal: 'no' }, context), { content: [{ text: 'no' }], stop_reason: 'refusal' })
  t.end()
})

t.test('ends twice, not at all, or goes on behind its end', (t) => {
  const types = (options: Parameters<typeof events>[1]) => events({ text: 'a' }, options).slice(4).map(({ type }) => type)
  t.strictSame(types({ done: 0 }), ['content_block_stop', 'message_delta'])
  t.strictSame(types({ done: 2, duplicateFinish: true, lateText: 'b' }), [
    'content_block_stop', 'message_delta', 'message_delta', 'message_stop', 'message_stop', 'content_block_delta',
  ])
  t.end()
})

t.test('the vendor\'s client reads it, streamed and buffered, and its errors', async (t) => {
  const steps: Step[] = [{}, {}, { status: 529 }, { fault: { do: 'error_event', afterEvents: 4, error: { type: 'overloaded_error' } } }]
  const simulator = await startSimulator({ script: { models: { 'claude-x': steps }, apiKey: 'key' } })
  t.teardown(() => simulator.close())
  const client = new Anthropic({ baseURL: simulator.url.replace(/\/v1$/, ''), apiKey: 'key', authToken: null, maxRetries: 0 })
  const body = { model: 'claude-x', max_tokens: 9, messages }
  const whole = await client.messages.create(body)
  const streamed = await client.messages.stream(body).finalMessage()
  t.strictSame([streamed.content, streamed.stop_reason, streamed.usage], [whole.content, whole.stop_reason, whole.usage])
  t.match(await thrownBy(client.messages.create(body)), { status: 529, error: { error: { type: 'overloaded_error' } } })
  t.match(await thrownBy(client.messages.stream(body).finalMessage()), { error: { error: { type: 'overloaded_error' } } })
  const stranger = new Anthropic({ baseURL: simulator.url.replace(/\/v1$/, ''), apiKey: 'other', authToken: null, maxRetries: 0 })
  t.match(await thrownBy(stranger.messages.create(body)), { status: 401 })
  t.match(await thrownBy(client.messages.create({ ...body, model: 'none' })), { status: 404, error: { error: { message: 'model: none' } } })
})

t.test('a strict vendor refuses what its API refuses', async (t) => {
  const rules = { strict: true, refuseTrailingAssistant: false, headers: { 'anthropic-version': '2023-06-01' } }
  const good = { model: 'm', max_tokens: 9, messages }
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }
  const messageOf = (body: unknown, other: Partial<typeof rules> = {}): string | undefined => {
    const refused = anthropic.refuse(body, { ...rules, ...other })
    if (refused === undefined) return undefined
    t.equal(refused.status, 400)
    return (refused.body as { error: { message: string } }).error.message
  }
  t.equal(messageOf(good), undefined)
  t.equal(messageOf({ ...good, messages: [...messages, call, result] }), undefined)
  t.equal(messageOf({}, { strict: false }), undefined)
  t.match(messageOf(good, { headers: {} as typeof rules.headers }), /anthropic-version/)
  t.match(messageOf({ ...good, n: 1 }), /^n: Extra inputs/)
  t.match(messageOf({ ...good, max_tokens: undefined }), /^max_tokens/)
  t.match(messageOf({ ...good, temperature: 1.5 }), /^temperature/)
  t.match(messageOf({ ...good, thinking: { type: 'enabled', budget_tokens: 2_000 } }), /budget_tokens/)
  t.match(messageOf({ ...good, tool_choice: { type: 'auto' } }), /^tool_choice/)
  const thinks = { ...good, max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 2_000 } }
  const thought = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, ...call.content] }
  t.match(messageOf({ ...thinks, messages: [...messages, call, result] }), /^messages\.1\.content\.0\.type: Expected `thinking`.* but found `tool_use`/)
  t.match(messageOf({ ...thinks, messages: [...messages, thought, result, ...messages, call, result] }), /^messages\.4\./)
  t.equal(messageOf({ ...thinks, messages: [...messages, thought, result, call, result] }), undefined)
  t.equal(messageOf({ ...thinks, messages: [...messages, call, result, ...messages] }), undefined)
  t.equal(messageOf({ ...thinks, thinking: { type: 'adaptive' }, messages: [...messages, call, result] }), undefined)
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false }
  const held = (to: object) => ({ ...good, output_config: { format: { type: 'json_schema', schema: to } } })
  t.equal(messageOf(held(schema)), undefined)
  t.match(messageOf(held({ ...schema, additionalProperties: true })), /^output_config\.format\.schema: For 'object' type, 'additionalProperties' must be/)
  t.match(messageOf(held({ ...schema, properties: { a: { type: 'object' } } })), /must be explicitly set to false/)
  t.match(messageOf(held({ type: 'array', items: { anyOf: [{ type: 'integer', minimum: 1 }] } })), /For 'integer' type, property 'minimum' is not supported/)
  t.match(messageOf({ ...good, tools: [{ name: 'f', strict: true, input_schema: { type: 'object' } }] }), /^tools\.0\.custom: For 'object'/)
  t.equal(messageOf({ ...good, tools: [{ name: 'f', input_schema: { type: 'object' } }] }), undefined)
  t.match(messageOf({ ...good, messages: [] }), /^messages/)
  t.match(messageOf({ ...good, messages: [call] }), /first message/)
  t.match(messageOf({ ...good, messages: [...messages, { role: 'tool', content: 'x' }] }), /messages.1.role/)
  t.match(messageOf({ ...good, messages: [...messages, call, ...messages] }), /without `tool_result`/)
  t.match(messageOf({ ...good, messages: [...messages, result] }), /unexpected `tool_use_id`/)
  t.match(messageOf({ ...good, messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }), /non-empty/)
  t.match(messageOf({ ...good, messages: [...messages, { role: 'assistant', content: 'x' }] }, { refuseTrailingAssistant: true }), /prefill/)
})

async function thrownBy(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(() => undefined, (error: unknown) => error)
}
