import t from 'tap'
import type { Part } from '@understudy/core'
import { anthropic } from '@understudy/dialects'
import { replay } from '../replay.js'

const OPTIONS = { id: 'msg_own', created: 1, includeUsage: true, model: 'm' }

interface Event {
  readonly type: string
  readonly index?: number
}

/** The events of a stream whose arrivals are these; each must be named as its type. */
function eventsOf(arrivals: readonly (readonly Part[])[]): readonly Event[] {
  const encoder = anthropic.createStreamEncoder(OPTIONS)
  const bytes = Buffer.concat([...arrivals.map((parts) => encoder.push(parts) ?? Buffer.alloc(0)), encoder.end()]).toString('utf8')
  return bytes.split('\n\n').slice(0, -1).map((frame) => {
    const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(frame) ?? []
    const event = JSON.parse(data) as Event
    t.equal(event.type, name)
    return event
  })
}

/** An event in a few words. */
function brief(event: Event): string {
  const { type, index = '', content_block: block, delta } = event as Event & {
    readonly type: string
    readonly index?: number
    readonly content_block?: { readonly type: string, readonly name?: string }
    readonly delta?: { readonly type?: string, readonly text?: string, readonly thinking?: string, readonly partial_json?: string, readonly signature?: string }
  }
  const said = delta?.text ?? delta?.thinking ?? delta?.partial_json ?? delta?.signature
  return [type.replace('content_block_', ''), index, block?.name ?? block?.type, said].filter((word) => word !== undefined && word !== '').join(' ')
}

function call(index: number, text: string, name?: string): Part {
  return { type: 'tool-call', index, arguments: text, ...(name === undefined ? {} : { name, id: `id_${name}` }) }
}

t.test('an answer is opened once, its blocks follow one another, and the end says reason and counts', async (t) => {
  const events = eventsOf([
    [{ type: 'start', id: 'cc-A', model: 'other' }],
    [{ type: 'reasoning', text: 'hm' }],
    [{ type: 'reasoning', text: '...' }, { type: 'text', text: '' }, { type: 'text', text: 'a' }],
    [{ type: 'text', text: 'b' }],
    [call(0, '', 'f')],
    [call(0, '{"x"'), call(0, ':1}')],
    [call(1, '{}', 'g'), { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' }],
    [{ type: 'usage', usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 1 } }, { type: 'end' }],
  ])
  t.strictSame(events.map(brief), [
    'message_start',
    'start 0 thinking', 'delta 0 hm', 'delta 0 ...', 'stop 0',
    'start 1 text', 'delta 1 a', 'delta 1 b', 'stop 1',
    'start 2 f', 'delta 2 {"x"', 'delta 2 :1}', 'stop 2',
    'start 3 g', 'delta 3 {}', 'stop 3',
    'message_delta', 'message_stop',
  ])
  t.strictSame(events[0], {
    type: 'message_start',
    message: {
      id: 'cc-A', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  })
  t.strictSame(events.at(-2), {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { input_tokens: 7, cache_read_input_tokens: 2, output_tokens: 4, output_tokens_details: { thinking_tokens: 1 } },
  })
  t.match(events[9], { content_block: { type: 'tool_use', id: 'id_f', name: 'f', input: {} } })
})

t.test('a signature ends its thought, and what was redacted is a block of its own', async (t) => {
  const events = eventsOf([[
    { type: 'reasoning', text: 'a' },
    { type: 'reasoning', text: '', signature: 's' },
    { type: 'reasoning', text: '', redacted: 'r' },
    { type: 'reasoning', text: 'b' },
  ]])
  t.strictSame(events.slice(1, -2).map(brief), [
    'start 0 thinking', 'delta 0 a', 'delta 0 s', 'stop 0',
    'start 1 redacted_thinking', 'stop 1',
    'start 2 thinking', 'delta 2 b', 'stop 2',
  ])
})

t.test('calls that are streamed side by side become blocks one after the other, piece by piece where they can', async (t) => {
  const events = eventsOf([
    [call(0, '{"a"', 'f'), call(1, '{"b"', 'g')],
    [call(0, ':1')],
    [call(1, ':2'), { type: 'text', text: 'hi' }],
    [call(0, '}')],
    [call(1, '}')],
  ])
  t.strictSame(events.slice(1, -2).map(brief), [
    'start 0 f', 'delta 0 {"a"', 'delta 0 :1', 'delta 0 }', 'stop 0',
    'start 1 g', 'delta 1 {"b":2', 'delta 1 }', 'stop 1',
    'start 2 text', 'delta 2 hi', 'stop 2',
  ])
})

t.test('a call that never becomes whole holds nothing back for good', async (t) => {
  const events = eventsOf([[call(0, '', 'f'), call(1, '{}', 'g'), { type: 'text', text: 'hi' }, { type: 'finish', reason: 'stop' }]])
  t.strictSame(events.slice(1, -2).map(brief), [
    'start 0 f', 'stop 0', 'start 1 g', 'delta 1 {}', 'stop 1', 'start 2 text', 'delta 2 hi', 'stop 2',
  ])
})

t.test('an id that a provider left out is made up, and a name may come late', async (t) => {
  const events = eventsOf([[
    { type: 'start', id: 'cc:A' },
    { type: 'tool-call', index: 0, arguments: '{' },
    { type: 'tool-call', index: 0, name: 'f', arguments: '}' },
  ]])
  t.match(events[1], { content_block: { id: 'toolu_cc_A_0', name: 'f' } })
  t.strictSame(events.slice(1, -2).map(brief), ['start 0 f', 'delta 0 {}', 'stop 0'])
})

t.test('the reasons to stop', async (t) => {
  const said = (part: Omit<Part & { readonly type: 'finish' }, 'type'>, before: readonly Part[] = []) => {
    const { delta } = eventsOf([[...before, { type: 'finish', ...part }]]).at(-2) as unknown as { delta: Record<string, unknown> }
    return [delta['stop_reason'], delta['stop_sequence']]
  }
  t.strictSame(said({ reason: 'stop', raw: 'stop' }), ['end_turn', null])
  t.strictSame(said({ reason: 'stop', raw: 'stop_sequence', stopSequence: 'x' }), ['stop_sequence', 'x'])
  t.strictSame(said({ reason: 'length', raw: 'model_context_window_exceeded' }), ['model_context_window_exceeded', null])
  t.strictSame(said({ reason: 'length', raw: 'length' }), ['max_tokens', null])
  t.strictSame(said({ reason: 'content_filter', raw: 'content_filter' }), ['refusal', null])
  t.strictSame(said({ reason: 'unknown', raw: 'odd' }), ['end_turn', null])
  t.strictSame(said({ reason: 'stop', raw: 'stop' }, [call(0, '{}', 'f')]), ['tool_use', null], 'where a server ends calls so')
  t.strictSame(said({ reason: 'stop', raw: 'end_turn' }, [call(0, '{}', 'f')]), ['end_turn', null])
  t.strictSame(said({ reason: 'stop', raw: 'stop' }, [{ type: 'refusal', text: 'no' }]), ['refusal', null])
})

t.test('what the encoder writes, the decoder reads', async (t) => {
  const parts: readonly Part[] = [
    { type: 'start', id: 'a', model: 'm' },
    { type: 'text', text: 'x' },
    { type: 'finish', reason: 'stop', raw: 'end_turn' },
  ]
  const encoder = anthropic.createStreamEncoder(OPTIONS)
  const bytes = Buffer.concat([encoder.push(parts) ?? Buffer.alloc(0), encoder.end()])
  const read = replay([bytes], { codec: anthropic, forward: 'parts' }).parts
  t.strictSame(read.filter(({ type }) => type !== 'usage'), [...parts, { type: 'end' }])
})

t.test('the whole answer in one piece', async (t) => {
  const options = { id: 'msg_own', created: 1 }
  const encoded = anthropic.encodeResponse([
    { type: 'start', id: 'a', model: 'm' },
    { type: 'reasoning', text: 'h' },
    { type: 'reasoning', text: 'm', signature: 's' },
    { type: 'reasoning', text: '', redacted: 'r' },
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'text', text: 'other choice', choice: 1 },
    call(0, '{"x"', 'f'),
    call(0, ':1}'),
    call(1, 'no JSON', 'g'),
    { type: 'media' },
    { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' },
    { type: 'usage', usage: { inputTokens: 6, outputTokens: 4, cacheWriteTokens: 5 } },
    { type: 'end' },
  ], options)
  t.strictSame(encoded, {
    id: 'a',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'r' },
      { type: 'text', text: 'ab' },
      { type: 'tool_use', id: 'id_f', name: 'f', input: { x: 1 } },
      { type: 'tool_use', id: 'id_g', name: 'g', input: { arguments: 'no JSON' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, cache_creation_input_tokens: 5, output_tokens: 4 },
  })
  t.match(anthropic.encodeResponse([], options), { id: 'msg_own', content: [], stop_reason: 'end_turn' })
})

t.test('errors in the envelope of the vendor, by their status', async (t) => {
  const types = new Map([
    [400, 'invalid_request_error'], [401, 'authentication_error'], [403, 'permission_error'], [404, 'not_found_error'],
    [413, 'request_too_large'], [415, 'invalid_request_error'], [429, 'rate_limit_error'], [500, 'api_error'], [502, 'api_error'],
    [503, 'overloaded_error'], [504, 'timeout_error'],
  ])
  for (const [status, type] of types) {
    const { body } = anthropic.encodeFailure({ status, type: 'ours', code: 'c', message: 'm', param: 'p', failures: [{ a: 1 }], attempts: [1], requestId: 'r' })
    t.strictSame(body, {
      type: 'error', error: { type, message: 'm', code: 'c', param: 'p', failures: [{ a: 1 }] }, attempts: [1], request_id: 'r',
    })
  }
  const event = Buffer.from(anthropic.encodeStreamFailure({ status: 502, type: 'x', code: 'stream_truncated', message: 'm' })).toString()
  t.equal(event, 'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"m","code":"stream_truncated"}}\n\n')
})

t.test('a report has its place in a document and none in a stream', async (t) => {
  const frames = Buffer.from('event: ping\ndata: {"type":"ping"}\n\n')
  t.equal(anthropic.withStreamField(frames, 'k', '1'), frames)
  t.equal(Buffer.from(anthropic.withResponseField(Buffer.from('{"a":1}'), 'k', '1')).toString(), '{"k":1,"a":1}')
  t.equal(Buffer.from(anthropic.streamTerminator).toString(), 'event: message_stop\ndata: {"type":"message_stop"}\n\n')
})
