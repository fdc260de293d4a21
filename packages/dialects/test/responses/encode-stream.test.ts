import t from 'tap'
import type { Part } from '@understudy/core'
import { responses, type ClientError, type StreamEncoderOptions } from '@understudy/dialects'

type Json = Readonly<Record<string, unknown>>

const OPTIONS: StreamEncoderOptions = { id: 'resp_A', created: 7, includeUsage: true, model: 'm' }
const stop: Part = { type: 'finish', reason: 'stop' }

function eventsOf(bytes: Uint8Array | undefined): readonly Json[] {
  const frames = Buffer.from(bytes ?? []).toString('utf8').split('\n\n').filter((frame) => frame !== '')
  return frames.map((frame) => {
    const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? []
    const event = JSON.parse(data) as Json
    if (event['type'] !== name) throw new Error(`${name}: named ${String(event['type'])}`)
    return event
  })
}

function written(reads: readonly (readonly Part[])[], options: Partial<StreamEncoderOptions> = {}): readonly Json[] {
  const encoder = responses.createStreamEncoder({ ...OPTIONS, ...options })
  return eventsOf(Buffer.concat([...reads.map((parts) => encoder.push(parts) ?? Buffer.alloc(0)), encoder.end()]))
}

function outline(events: readonly Json[]): readonly string[] {
  return events.map(({ type, output_index: place, content_index: part, delta }) =>
    [String(type).replace('response.', ''), place, part, delta].filter((piece) => piece !== undefined).join(' '))
}

t.test('text opens the response once, its item and its part, and each ends once', async (t) => {
  const events = written([[{ type: 'start', id: 'a', model: 'x', created: 9 }], [{ type: 'text', text: 'one ' }, { type: 'text', text: 'two' }, { type: 'text', text: '' }], [stop]])
  t.strictSame(outline(events), [
    'created', 'in_progress', 'output_item.added 0', 'content_part.added 0 0', 'output_text.delta 0 0 one ', 'output_text.delta 0 0 two',
    'output_text.done 0 0', 'content_part.done 0 0', 'output_item.done 0', 'completed',
  ])
  t.strictSame(events.map(({ sequence_number: count }) => count), events.map((_, index) => index))
  t.match(events[0], { response: { id: 'a', object: 'response', created_at: 9, status: 'in_progress', model: 'm', output: [], usage: null } })
  const item = { id: 'msg_understudy_a0', type: 'message', status: 'completed', role: 'assistant', content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'one two' }] }
  t.strictSame(events.at(-2)?.['item'], item)
  t.match(events.at(-1), { response: { id: 'a', status: 'completed', error: null, incomplete_details: null, output: [item] } })
})

t.test('nothing is written before there is something to say, but for the response itself', async (t) => {
  const encoder = responses.createStreamEncoder(OPTIONS)
  t.equal(encoder.push([{ type: 'usage', usage: { inputTokens: 1 } }]), undefined)
  t.strictSame(outline(eventsOf(encoder.push([{ type: 'start' }]))), ['created', 'in_progress'])
  t.equal(encoder.push([{ type: 'start', id: 'other' }]), undefined, 'once')
  t.equal(encoder.push([{ type: 'media' }, { type: 'end' }]), undefined)
  t.strictSame(outline(written([])), ['created', 'in_progress', 'completed'])
})

t.test('a thought, a text, a refusal and a call are items in their order', async (t) => {
  const events = written([[
    { type: 'reasoning', text: 'hm' }, { type: 'text', text: 'one' }, { type: 'refusal', text: 'no' },
    { type: 'tool-call', index: 0, id: 'c', name: 'f', arguments: '' }, { type: 'tool-call', index: 0, arguments: '{"a":1}' },
    { type: 'text', text: 'two' }, { type: 'finish', reason: 'tool_calls' },
  ]])
  t.strictSame(outline(events).slice(2, -1), [
    'output_item.added 0', 'reasoning_summary_part.added 0', 'reasoning_summary_text.delta 0 hm', 'reasoning_summary_text.done 0', 'reasoning_summary_part.done 0', 'output_item.done 0',
    'output_item.added 1', 'content_part.added 1 0', 'output_text.delta 1 0 one', 'output_text.done 1 0', 'content_part.done 1 0',
    'content_part.added 1 1', 'refusal.delta 1 1 no', 'refusal.done 1 1', 'content_part.done 1 1', 'output_item.done 1',
    'output_item.added 2', 'function_call_arguments.delta 2 {"a":1}', 'function_call_arguments.done 2', 'output_item.done 2',
    'output_item.added 3', 'content_part.added 3 0', 'output_text.delta 3 0 two', 'output_text.done 3 0', 'content_part.done 3 0', 'output_item.done 3',
  ])
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
  t.match(events.at(-1), { response: { output: done } }, 'the response holds the items as they were told')
})

t.test('calls that are streamed side by side stay open side by side', async (t) => {
  const call = (index: number, text: string, id?: string): Part => ({ type: 'tool-call', index, ...(id === undefined ? {} : { id, name: 'f' }), arguments: text })
  const events = written([[call(0, '{"a"', 'c'), call(1, '{}', 'd'), call(0, ':1}'), call(2, '', 'e'), call(0, ' '), stop]])
  t.strictSame(outline(events).slice(2, -1), [
    'output_item.added 0', 'function_call_arguments.delta 0 {"a"', 'output_item.added 1', 'function_call_arguments.delta 1 {}',
    'function_call_arguments.delta 0 :1}',
    'function_call_arguments.done 1', 'output_item.done 1', 'function_call_arguments.done 0', 'output_item.done 0',
    'output_item.added 2', 'function_call_arguments.delta 2 {}', 'function_call_arguments.done 2', 'output_item.done 2',
  ], 'one that is whole ends where the next begins; one without arguments has none, as JSON')
  t.match(events.at(-1), { response: { output: [{ call_id: 'c', arguments: '{"a":1}' }, { call_id: 'd' }, { call_id: 'e', arguments: '{}' }] } })
  t.match(written([[{ type: 'tool-call', index: 0, name: 'f', arguments: '{}' }]]).at(-1), { response: { output: [{ call_id: 'call_A0' }] } }, 'an id is made up')
})

t.test('why it ended is the status of the response', async (t) => {
  const last = (reason: 'length' | 'content_filter' | 'stop' | 'unknown' | 'error') =>
    written([[{ type: 'text', text: 'x' }, { type: 'finish', reason }, { type: 'usage', usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1, reasoningTokens: 2 } }]]).at(-1)
  t.match(last('length'), { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [{ status: 'incomplete' }] } })
  t.match(last('content_filter'), { type: 'response.incomplete', response: { incomplete_details: { reason: 'content_filter' } } })
  t.match(last('unknown'), { type: 'response.completed', response: { status: 'completed', incomplete_details: null } })
  t.match(last('stop'), { response: { usage: {
    input_tokens: 3, input_tokens_details: { cached_tokens: 1 }, output_tokens: 4, output_tokens_details: { reasoning_tokens: 2 }, total_tokens: 7,
  } } })
})

t.test('the proofs of thoughts go to clients of the same dialect only', async (t) => {
  const parts: readonly Part[] = [
    { type: 'reasoning', text: '', signature: 'rs_1' }, { type: 'reasoning', text: 'hm' }, { type: 'reasoning', text: '', signature: 'rs_1 gA' },
    { type: 'reasoning', text: 'then', signature: 'rs_2 gB' }, { type: 'reasoning', text: '', signature: 'rs_3' }, { type: 'text', text: 'x' }, stop,
  ]
  const outputOf = (options: Partial<StreamEncoderOptions>) => (written([parts], options).at(-1)?.['response'] as Json)['output'] as readonly Json[]
  t.match(outputOf({}), [
    { id: 'rs_1', summary: [{ text: 'hm' }], encrypted_content: 'gA' },
    { id: 'rs_2', summary: [{ text: 'then' }], encrypted_content: 'gB' },
    { id: 'rs_3', summary: [] },
    { type: 'message' },
  ])
  const foreign = outputOf({ isForeign: true })
  t.equal(foreign.length, 2)
  t.notMatch(JSON.stringify(foreign), /gA|rs_[123]"/)
  t.strictSame(responses.encodeResponse(parts, OPTIONS)['output'], outputOf({}), 'whole as in pieces')
})

t.test('a response says again what was asked, and nothing that is not so', async (t) => {
  const tools = [{ type: 'function', name: 'f' }]
  const asked = responses.echoOf?.({ model: 'chat', input: 'hi', instructions: 'x', tools, temperature: 0.2, store: true, background: true, metadata: null, previous_response_id: 'r' })
  t.strictSame(asked, { instructions: 'x', temperature: 0.2, tools })
  const response = responses.encodeResponse([{ type: 'text', text: 'x' }], { ...OPTIONS, asked })
  t.match(response, { instructions: 'x', tools, temperature: 0.2, store: false, model: 'm', top_p: 1, tool_choice: 'auto', metadata: {} })
})

t.test('a stream that fails ends with one event, counted on', async (t) => {
  const error: ClientError = { status: 502, type: 'upstream_error', code: 'stream_truncated', message: 'broke off', requestId: 'r' }
  const encoder = responses.createStreamEncoder(OPTIONS)
  const before = eventsOf(encoder.push([{ type: 'text', text: 'x' }]))
  t.strictSame(eventsOf(encoder.fail?.(error)), [{
    type: 'error', sequence_number: before.length, code: 'stream_truncated', message: 'broke off', param: null,
    error: { message: 'broke off', type: 'upstream_error', code: 'stream_truncated', param: null }, request_id: 'r',
  }])
  t.match(eventsOf(responses.encodeStreamFailure(error)), [{ type: 'error', sequence_number: 0 }])
  t.match(responses.encodeFailure({ ...error, param: 'input', failures: [{ provider: 'p' }] }).body, {
    error: { message: 'broke off', type: 'upstream_error', code: 'stream_truncated', param: 'input', failures: [{ provider: 'p' }] }, request_id: 'r',
  })
  t.equal(responses.streamTerminator.length, 0)
})

t.test('a collected answer of the same dialect is the response that its stream ended with', async (t) => {
  const document = { id: 'r', object: 'response', output: [{ type: 'web_search_call' }] }
  const parts: readonly Part[] = [{ type: 'start', id: 'r' }, { type: 'text', text: 'x' }, stop, { type: 'end', document }]
  t.equal(responses.encodeResponse(parts, OPTIONS), document)
  t.match(responses.encodeResponse(parts, { ...OPTIONS, isForeign: true }), { output: [{ type: 'message' }] })
})

t.test('only the first of several choices can be said', async (t) => {
  const events = written([[{ type: 'text', text: 'x' }, { type: 'text', text: 'y', choice: 1 }, { type: 'finish', reason: 'length', choice: 1 }, stop]])
  t.match(events.at(-1), { type: 'response.completed', response: { output: [{ content: [{ text: 'x' }] }] } })
})
