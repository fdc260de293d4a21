import OpenAI from 'openai'
import t from 'tap'
import { responses } from '../../src/dialect/responses.js'
import { startSimulator, type Answer, type Step } from '../../src/index.js'

const context = { model: 'gpt-x', number: 2, wantsUsage: true }
const user = { role: 'user' as const, content: 'hi' }

interface Event {
  readonly type: string
  readonly output_index?: number
  readonly [member: string]: unknown
}

function events(answer: Answer, options: Parameters<typeof responses.encodeStream>[2] = {}): readonly Event[] {
  return responses.encodeStream(answer, context, options).map((event, count) => {
    const [, name, data = ''] = /^event: ([\w.]+)\ndata: (.*)\n\n$/s.exec(event) ?? []
    const value = JSON.parse(data) as Event
    t.strictSame([value.type, value['sequence_number']], [name, count])
    return value
  })
}

t.test('streams thoughts, then text in its pieces, then tool calls piece by piece', (t) => {
  const said = events({
    reasoning: ['hm', '...'],
    text: ['a b', ' c'],
    toolCalls: [{ name: 'f', arguments: { x: 1 } }, { id: 'c2', name: 'g', arguments: '{}', pieces: ['{', '}'] }],
  })
  t.strictSame(said.map(({ type, output_index: place, delta }) => [type.replace('response.', ''), place, delta].filter((word) => word !== undefined)), [
    ['created'], ['in_progress'],
    ['output_item.added', 0], ['reasoning_summary_part.added', 0], ['reasoning_summary_text.delta', 0, 'hm'], ['reasoning_summary_text.delta', 0, '...'],
    ['reasoning_summary_text.done', 0], ['reasoning_summary_part.done', 0], ['output_item.done', 0],
    ['output_item.added', 1], ['content_part.added', 1], ['output_text.delta', 1, 'a b'], ['output_text.delta', 1, ' c'], ['output_text.done', 1],
    ['content_part.done', 1], ['output_item.done', 1],
    ['output_item.added', 2], ['function_call_arguments.delta', 2, '{"x":1}'], ['function_call_arguments.done', 2], ['output_item.done', 2],
    ['output_item.added', 3], ['function_call_arguments.delta', 3, '{'], ['function_call_arguments.delta', 3, '}'], ['function_call_arguments.done', 3],
    ['output_item.done', 3],
    ['completed'],
  ])
  t.end()
})

t.test('says the same in one piece, and why it ended', (t) => {
  const answer: Answer = { reasoning: ['hm'], text: ['a', 'b'], toolCalls: [{ name: 'f', arguments: '{"x":1}' }] }
  const whole = responses.encodeResponse(answer, context)
  t.match(whole, {
    id: 'resp_gptx2', object: 'response', model: 'gpt-x', status: 'completed',
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'enc-gptx' },
      { type: 'message', content: [{ type: 'output_text', text: 'ab' }] },
      { type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{"x":1}' },
    ],
    usage: { input_tokens: 10, output_tokens: 4, total_tokens: 14 },
  })
  t.strictSame(events(answer).at(-1)?.['response'], whole)
  t.match(responses.encodeResponse({ refusal: 'no' }, context), { output: [{ content: [{ type: 'refusal', refusal: 'no' }] }] })
  t.match(responses.encodeResponse({ text: 'a', finishReason: 'length' }, context), { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  t.match(events({ text: 'a', finishReason: 'content_filter' }).at(-1), { type: 'response.incomplete', response: { incomplete_details: { reason: 'content_filter' } } })
  t.match(responses.encodeResponse({ usage: false }, context), { usage: null })
  t.end()
})

t.test('ends twice, not at all, or goes on behind its end', (t) => {
  const types = (options: Parameters<typeof events>[1]) => events({ text: 'a' }, options).slice(7).map(({ type }) => type)
  t.strictSame(types({ done: 0 }), ['response.output_item.done'])
  t.strictSame(types({ done: 2, lateText: 'b' }), ['response.output_item.done', 'response.completed', 'response.completed', 'response.output_text.delta'])
  t.strictSame(types({ duplicateFinish: true }).length, 3)
  t.end()
})

t.test('the vendor\'s client reads it, streamed and buffered, and its errors', async (t) => {
  const steps: Step[] = [{}, {}, { status: 503 }, { fault: { do: 'error_event', afterEvents: 5, error: { code: 'rate_limit_exceeded', message: 'slow' } } }]
  const simulator = await startSimulator({ script: { models: { 'gpt-x': steps }, apiKey: 'key' } })
  t.teardown(() => simulator.close())
  const client = new OpenAI({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 })
  const body = { model: 'gpt-x', input: 'hi' }
  const whole = await client.responses.create(body)
  const streamed = await client.responses.stream(body).finalResponse()
  t.strictSame([streamed.status, streamed.usage, streamed.output.map(({ type }) => type)], [whole.status, whole.usage, whole.output.map(({ type }) => type)])
  t.ok(whole.output_text.length > 100)
  t.match(await thrownBy(client.responses.create(body)), { status: 503, code: 'overloaded' })
  t.match(await thrownBy(client.responses.stream(body).finalResponse()), { code: 'rate_limit_exceeded' })
  t.match(await thrownBy(new OpenAI({ baseURL: simulator.url, apiKey: 'other', maxRetries: 0 }).responses.create(body)), { status: 401 })
  t.match(await thrownBy(client.responses.create({ ...body, model: 'none' })), { status: 404, code: 'model_not_found' })
  const azure = await fetch(`${simulator.url.replace(/\/v1$/, '')}/openai/responses?api-version=1`, {
    method: 'POST', headers: { 'api-key': 'key' }, body: JSON.stringify(body),
  })
  t.match(await azure.json(), { object: 'response' }, 'Azure\'s path and key')
})

t.test('a strict vendor refuses what its API refuses', async (t) => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
  const messageOf = (body: unknown, rules: object = {}): string | undefined => {
    const refused = responses.refuse(body, { strict: true, refuseTrailingAssistant: false, headers: {}, ...rules })
    if (refused === undefined) return undefined
    t.equal(refused.status, 400)
    return (refused.body as { error: { message: string } }).error.message
  }
  const ofInput = (...input: unknown[]) => messageOf({ model: 'm', input })
  t.equal(messageOf({ model: 'm', input: 'hi' }), undefined)
  t.equal(ofInput(user, call, output), undefined)
  t.equal(messageOf({}, { strict: false }), undefined)
  t.match(messageOf({ model: 'm', input: 'hi', messages: [] }), /Unknown parameter: 'messages'/)
  t.match(messageOf({ model: 'm', input: 'hi', max_tokens: 9 }), /Unknown parameter: 'max_tokens'/)
  t.match(messageOf({ model: 'm' }), /must be provided/)
  t.equal(messageOf({ model: 'm', previous_response_id: 'r' }), undefined)
  t.match(messageOf({ model: 'm', input: 7 }), /Invalid type/)
  t.match(messageOf({ model: 'm', input: 'hi', max_output_tokens: 9 }), /below minimum/)
  t.match(messageOf({ model: 'm', input: 'hi', tool_choice: 'required' }), /Tool choices/)
  t.match(messageOf({ model: 'm', input: 'hi', tools: [{ type: 'function', function: { name: 'f' } }] }), /tools\[0\]\.name/)
  t.match(ofInput(user, output), /No tool call found/)
  t.equal(messageOf({ model: 'm', previous_response_id: 'r', input: [output] }), undefined, 'the call is elsewhere')
  t.match(ofInput(user, call), /No tool output found/)
  t.match(ofInput(user, { type: 'function_call', name: 'f', arguments: '{}' }), /input\[1\]\.call_id/)
  t.match(ofInput(user, call, { type: 'function_call_output', call_id: 'a' }), /input\[2\]\.output/)
  t.match(ofInput({ role: 'tool', content: 'x' }), /Invalid value: 'tool'/)
  t.match(ofInput({ role: 'user', content: [{ type: 'text', text: 'x' }] }), /Invalid value: 'text'/)
  t.match(ofInput({ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }), /Invalid value: 'input_text'/)
  t.match(ofInput({ role: 'user' }), /input\[0\]\.content/)
  t.match(ofInput({ type: 'odd' }), /Invalid value: 'odd'/)
  t.match(ofInput(user, { type: 'reasoning', id: 'rs', summary: [] }), /'rs' not found/)
  t.equal(ofInput(user, { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x' }), undefined)
  for (const type of [{ type: 'item_reference' }, {}]) t.match(ofInput(user, { ...type, id: 'msg_1' }), /'msg_1' not found/)
  t.match(ofInput(user, { role: 'assistant', id: 'x', content: 'Hi' }), /'input\[1\]\.id': 'x'\. Expected an ID that begins with 'msg'/)
  t.equal(ofInput(user, { role: 'assistant', id: 'msg_1', content: 'Hi' }), undefined)
  t.match(messageOf({ model: 'm', input: [user, { role: 'assistant', content: 'x' }] }, { strict: false, refuseTrailingAssistant: true }), /prefill/)
})

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(() => undefined, (error: unknown) => error)
}
