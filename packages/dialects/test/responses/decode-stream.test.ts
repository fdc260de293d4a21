import t from 'tap'
import type { Part } from '@understudy/core'
import { responses } from '@understudy/dialects'
import { recorded } from '../../../../test/kit/recorded.js'
import { cuttings, replay, type ReplayOptions } from '../replay.js'

function recording(name: string): string {
  return recorded(`responses/${name}.sse`)
}

function decoded(stream: string, options: ReplayOptions = {}) {
  return replay([Buffer.from(stream)], { codec: responses, ...options })
}

/** Without the whole response that an end brings. */
function withoutDocument(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) => (part.type === 'end' ? { type: 'end' } : part))
}

function event(type: string, members: Readonly<Record<string, unknown>> = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
}

const START: Part = { type: 'start', id: 'resp_A', model: 'gpt-5-mini-2025-08-07', created: 1741290958 }

function counted(inputTokens: number, outputTokens: number, more: object = {}): Part {
  return { type: 'usage', usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...more } }
}

const RECORDINGS: Readonly<Record<string, readonly Part[]>> = {
  text: [
    START,
    { type: 'text', text: 'Good' },
    { type: 'text', text: ' morning' },
    { type: 'text', text: ', "you" \u00e9\n' },
    { type: 'finish', reason: 'stop', raw: 'completed' },
    counted(25, 15),
    { type: 'end' },
  ],
  tools: [
    START,
    { type: 'text', text: 'I look' },
    { type: 'text', text: ' it up.' },
    { type: 'tool-call', index: 0, id: 'call_1', name: 'get_weather', arguments: '' },
    { type: 'tool-call', index: 0, arguments: '{"location":' },
    { type: 'tool-call', index: 0, arguments: ' "Oslo"}' },
    { type: 'tool-call', index: 1, id: 'call_2', name: 'now', arguments: '' },
    { type: 'tool-call', index: 1, arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', raw: 'completed' },
    counted(502, 89, { cachedInputTokens: 20 }),
    { type: 'end' },
  ],
  reasoning: [
    START,
    { type: 'reasoning', text: '', signature: 'rs_A' },
    { type: 'reasoning', text: 'First' },
    { type: 'reasoning', text: ' this.' },
    { type: 'reasoning', text: '\n\nThen that.' },
    { type: 'reasoning', text: '', signature: 'rs_A gAAAAABo' },
    { type: 'text', text: '42' },
    { type: 'finish', reason: 'stop', raw: 'completed' },
    counted(25, 40, { reasoningTokens: 30 }),
    { type: 'end' },
  ],
  refusal: [
    START,
    { type: 'refusal', text: 'I cannot' },
    { type: 'refusal', text: ' help with that.' },
    { type: 'finish', reason: 'stop', raw: 'completed' },
    counted(25, 6),
    { type: 'end' },
  ],
  'web-search': [
    START,
    { type: 'media' },
    { type: 'text', text: 'It is x.' },
    { type: 'finish', reason: 'stop', raw: 'completed' },
    counted(1000, 50),
    { type: 'end' },
  ],
  incomplete: [
    START,
    { type: 'text', text: 'I can' },
    { type: 'finish', reason: 'length', raw: 'max_output_tokens' },
    counted(25, 16),
    { type: 'end' },
  ],
}

for (const [name, parts] of Object.entries(RECORDINGS)) {
  t.test(`${name}: the same parts and bytes however it is cut`, async (t) => {
    const stream = recording(name)
    t.strictSame(withoutDocument(decoded(stream, { forward: 'parts' }).parts), parts)
    t.match(decoded(stream).parts.at(-1), { document: { id: 'resp_A', output: [{}] } }, 'the end brings all of it')
    t.strictSame(withoutDocument(decoded(stream, { look: false }).parts), parts)
    for (const line of ['\n', '\r\n', '\r']) {
      const written = stream.replaceAll('\n', line)
      const passed = Buffer.from(line === '\r' ? stream : written).toString('latin1')
      for (const reads of cuttings(written)) {
        t.strictSame(withoutDocument(replay(reads, { codec: responses, forward: 'parts' }).parts), parts)
        // Behind a lone CR the reader ends the frame itself.
        const { bytes } = replay(reads, { codec: responses })
        t.equal(line === '\r' ? bytes.replace(/\r\n?/g, '\n') : bytes, passed, 'its last event too')
      }
    }
  })
}

t.test('with the look, later texts of a part are passed on unread whatever their number, and nothing else changes', async (t) => {
  for (const name of Object.keys(RECORDINGS)) {
    const looked = decoded(recording(name))
    const unlooked = decoded(recording(name), { look: false })
    t.strictSame([looked.bytes, looked.events], [unlooked.bytes, unlooked.events], name)
  }
  t.equal(decoded(recording('text')).parts.filter(({ type }) => type === 'text').length, 1)
  t.equal(decoded(recording('tools')).parts.filter(({ type }) => type === 'tool-call').length, 5, 'pieces of calls are read')
  const delta = (number: unknown, text: string) => event('response.output_text.delta', { sequence_number: number, item_id: 'm', output_index: 0, content_index: 0, delta: text, logprobs: [] })
  const parts = (stream: string) => decoded(stream).parts.map((part) => ('text' in part ? part.text : part.type))
  t.strictSame(parts(delta(4, 'a') + delta(5, 'b')), ['a'])
  t.strictSame(parts(delta(9, 'a') + delta(10, 'b')), ['a'])
  t.strictSame(parts(delta(4, 'a') + delta(5.5, 'b') + delta(null, 'c') + delta('7', 'd')), ['a', 'b', 'c', 'd'])
})

t.test('nothing behind the last event is passed on', async (t) => {
  const text = recording('text')
  const late = event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'late' })
  for (const more of [late, 'data: [DONE]\n\n', text]) {
    t.strictSame(decoded(text + more).bytes, decoded(text).bytes)
    t.strictSame(decoded(text + more).parts, decoded(text).parts)
  }
  const cut = text.slice(0, text.indexOf('event: response.completed'))
  t.notOk(decoded(cut).parts.some(({ type }) => type === 'end' || type === 'finish'), 'and only that event is an end')
  t.equal(decoded(`${cut}data: [DONE]\n\n`).skipped, 1)
})

t.test('lifecycle events and openers say nothing that commits', async (t) => {
  const item = { id: 'msg', type: 'message', content: [] }
  const opened = event('response.created', { response: { id: 'r' } })
    + event('response.queued', { response: { id: 'r' } })
    + event('response.in_progress', { response: { id: 'r' } })
    + event('response.output_item.added', { output_index: 0, item })
    + event('response.content_part.added', { output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } })
    + event('response.output_text.delta', { output_index: 0, content_index: 0, delta: '' })
    + event('response.output_item.added', { output_index: 1, item: { id: 'ws', type: 'web_search_call' } })
    + event('response.web_search_call.searching', { output_index: 1, item_id: 'ws' })
    + event('response.output_item.done', { output_index: 2, item: { id: 'l', type: 'mcp_list_tools', tools: [] } })
  t.strictSame(decoded(opened).parts, [{ type: 'start', id: 'r' }])
  t.strictSame(decoded(opened).bytes, opened)
  t.strictSame(decoded(event('keepalive')), { parts: [], bytes: '', events: 0, skipped: 0 })
  t.equal(decoded(event('keepalive'), { committed: true }).bytes, event('keepalive'))
})

t.test('every kind of output commits', async (t) => {
  const kinds = (...events: string[]) => decoded(events.join('')).parts.map(({ type }) => type)
  t.strictSame(kinds(event('response.output_text.delta', { delta: ' ' })), ['text'], 'white space too, and without any index')
  t.strictSame(kinds(event('response.reasoning_text.delta', { delta: 'x', content_index: 0 })), ['reasoning'])
  t.strictSame(kinds(event('response.reasoning_summary_text.delta', { delta: 'x', summary_index: 0 })), ['reasoning'])
  t.strictSame(kinds(event('response.refusal.delta', { delta: 'x' })), ['refusal'])
  t.strictSame(kinds(event('response.output_item.added', { item: { type: 'function_call', call_id: 'c', name: 'f', arguments: '' } })), ['tool-call'])
  t.strictSame(kinds(event('response.function_call_arguments.delta', { delta: '{' })), ['tool-call'])
  t.strictSame(kinds(event('response.custom_tool_call_input.delta', { delta: 'x' })), ['media'])
  t.strictSame(kinds(event('response.image_generation_call.partial_image', { partial_image_b64: 'AA==' })), ['media'])
  t.strictSame(kinds(event('response.audio.delta', { delta: 'AA==' })), ['media'])
  t.strictSame(kinds(event('response.output_item.done', { item: { type: 'code_interpreter_call' } })), ['media'])
})

t.test('failures are told with their kind, and are not passed on', async (t) => {
  const { parts, bytes } = decoded(recording('failed'))
  t.match(parts.at(-1), { type: 'error', failure: { kind: 'rate_limit', code: 'rate_limit_exceeded' } })
  t.notMatch(bytes, 'response.failed')
  t.match(decoded(recording('error')).parts.at(-1), { type: 'error', failure: { kind: 'server_error' } })
  const kindOf = (stream: string) => {
    const part = decoded(stream).parts.at(-1)
    return part?.type === 'error' ? part.failure.kind : part?.type
  }
  t.equal(kindOf(event('error', { code: 'insufficient_quota', message: 'x' })), 'auth_error')
  t.equal(kindOf(event('error', { error: { type: 'insufficient_quota', code: 'credit_balance_exhausted', message: 'x' }, sequence_number: 2 })), 'auth_error')
  t.equal(kindOf(event('error', { error: { type: 'too_many_requests', code: 'too_many_requests', message: 'x' } })), 'rate_limit')
  t.equal(kindOf(event('error', { error: { type: 'tokens', code: 'rate_limit_exceeded', headers: { 'x-ratelimit-limit-tokens': '1' }, message: 'x' } })), 'rate_limit')
  t.equal(kindOf(event('error', { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'x' } })), 'context_length')
  t.equal(kindOf(`data: ${JSON.stringify({ type: 'error', code: 'rate_limit_exceeded' })}\n\n`), 'rate_limit', 'without a name')
  t.equal(kindOf('event: error\ndata: busy\n\n'), 'server_error')
  t.equal(kindOf(event('error', { code: 429, message: 'x' })), 'rate_limit', 'a code of an odd type')
  t.equal(kindOf(event('error', { code: null, message: null })), 'server_error')
  t.equal(kindOf(event('response.failed', { response: { status: 'failed', error: null } })), 'server_error')
  t.equal(kindOf(event('response.failed')), 'server_error')
  t.equal(kindOf(event('response.failed', { response: { error: { code: 'invalid_image_url', message: 'x' } } })), 'invalid_request')
  t.equal(kindOf(event('response.completed', { response: { status: 'failed', error: { code: 'server_error' } } })), 'server_error')
})

t.test('an answer may be told in fewer events than the vendor sends', async (t) => {
  const item = { id: 'fc', type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' }
  const message = { id: 'm', type: 'message', content: [{ type: 'output_text', text: 'one' }, { type: 'refusal', refusal: 'two' }] }
  const thought = { id: 'rs', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }
  const said = [
    { type: 'text', text: 'one' },
    { type: 'refusal', text: 'two' },
    { type: 'reasoning', text: 'hm', signature: 'rs' },
    { type: 'tool-call', index: 0, id: 'c', name: 'f', arguments: '{"a":1}' },
  ]
  const output = [message, thought, item]
  const done = output.map((each, index) => event('response.output_item.done', { output_index: index, item: each })).join('')
  t.strictSame(decoded(done).parts, said, 'whole items')
  const end = event('response.completed', { response: { id: 'r', output } })
  const finish = { type: 'finish', reason: 'tool_calls', raw: 'completed' }
  t.strictSame(withoutDocument(decoded(end).parts), [{ type: 'start', id: 'r' }, ...said, finish, { type: 'end' }], 'all of it at the end')
  t.strictSame(withoutDocument(decoded(done + end).parts), [...said, { type: 'start', id: 'r' }, finish, { type: 'end' }], 'and nothing twice')
  const pieces = event('response.function_call_arguments.delta', { item_id: 'fc', delta: '{"a":1}' })
    + event('response.output_item.done', { item })
  t.strictSame(decoded(pieces).parts, [
    { type: 'tool-call', index: 0, arguments: '{"a":1}' },
    { type: 'tool-call', index: 0, id: 'c', name: 'f', arguments: '' },
  ], 'a call that was never opened')
})

t.test('what only the end says, or says more of, is said once; an end that says something else is malformed', async (t) => {
  const opened = { id: 'm', type: 'message', content: [] }
  const message = (...texts: readonly string[]) => ({ ...opened, content: texts.map((text) => ({ type: 'output_text', text })) })
  const call = (args: unknown, more: object = {}) => ({ id: 'fc', type: 'function_call', call_id: 'c', name: 'f', arguments: args, ...more })
  const added = (item: object, place = 0) => event('response.output_item.added', { output_index: place, item })
  const ended = (item: object, place = 0) => event('response.output_item.done', { output_index: place, item })
  const completed = (...output: readonly object[]) => event('response.completed', { response: { output } })
  const delta = (text: string, place = 0, part = 0) => event('response.output_text.delta', { output_index: place, content_index: part, delta: text })
  const textDone = (text: string, part = 0) => event('response.output_text.done', { output_index: 0, content_index: part, text })
  const piece = (text: string, place = 0) => event('response.function_call_arguments.delta', { output_index: place, delta: text })
  const argsDone = (text: string) => event('response.function_call_arguments.done', { output_index: 0, item_id: 'fc', arguments: text })
  const said = (stream: string, forward: 'parts' | 'bytes' = 'parts') => {
    const calls = new Map<number, string>()
    let text = ''
    for (const part of decoded(stream, { forward }).parts) {
      if (part.type === 'text') text += part.text
      if (part.type === 'tool-call') calls.set(part.index, (calls.get(part.index) ?? '') + (part.name ?? '') + part.arguments)
      if (part.type === 'error') return part.failure.kind
    }
    return [text, ...calls.values()].join(' ').trim()
  }
  const X = '{"x":1}'
  const whole: readonly (readonly [string, string, string])[] = [
    ['a part of a text', added(opened) + textDone('TEXT') + completed(message('TEXT')), 'TEXT'],
    ['a part that was cut', added(opened) + delta('TE') + textDone('TEXT') + ended(message('TEXT')) + completed(message('TEXT')), 'TEXT'],
    ['an item that was cut', added(opened) + delta('TE') + ended(message('TEXT')), 'TEXT'],
    ['a response that was cut', added(opened) + delta('T') + delta('E') + completed(message('TEXT')), 'TEXT'],
    ['a response with a second part', added(opened) + delta('one') + completed(message('one', 'two')), 'onetwo'],
    ['a second part in pieces', added(opened) + delta('one') + textDone('one') + delta('tw', 0, 1) + textDone('two', 1) + ended(message('one', 'two')), 'onetwo'],
    ['parts without places', ['one', 'two'].map((text) => event('response.output_text.delta', { delta: text }) + event('response.output_text.done', { text })).join('') + completed(message('one', 'two')), 'onetwo'],
    ['a second message', ended(message('one')) + completed(message('one'), { ...message('two'), id: 'm2' }), 'onetwo'],
    ['a response of other ids and places', delta('one', 3) + completed({ id: 'rs', type: 'reasoning', summary: [] }, { ...message('one'), id: 'other' }), 'one'],
    ['arguments', added(call('')) + argsDone(X) + completed(call(X)), `f${X}`],
    ['arguments that were cut', added(call('')) + piece('{"x"') + argsDone(X) + ended(call(X)) + completed(call(X)), `f${X}`],
    ['arguments of an item', added(call('')) + ended(call(X)) + completed(call(X)), `f${X}`],
    ['arguments of a response', added(call('')) + completed(call(X)), `f${X}`],
    ['arguments that are written anew', added(call('')) + piece('{ "x": 1 }') + ended(call({ x: 1 })), 'f{ "x": 1 }'],
    ['a call that only the end tells of', ended(message('one')) + completed(message('one'), call(X)), `one f${X}`],
    ['calls with the same id', ended(call(X)) + ended(call('{"y":2}'), 1) + completed(call(X), call('{"y":2}')), `f${X} f{"y":2}`],
    ['calls in turns', added(call('')) + added(call('', { id: 'b' }), 1) + piece('{"x"') + piece('{}', 1) + piece(':1}') + completed(call(X), call('{}', { id: 'b' })), `f${X} f{}`],
    ['an end that says nothing of it', added(opened) + delta('TEXT') + textDone('') + ended(opened) + completed(), 'TEXT'],
  ]
  for (const [name, stream, expected] of whole) {
    t.equal(said(stream), expected, name)
    for (const reads of cuttings(stream)) t.equal(replay(reads, { codec: responses, forward: 'parts' }).parts.length, decoded(stream, { forward: 'parts' }).parts.length, name)
  }
  const odd: readonly (readonly [string, string])[] = [
    ['a text', added(opened) + delta('TE') + textDone('OTHER')],
    ['less of a text', added(opened) + delta('TEXT') + textDone('TEX')],
    ['an item', added(opened) + delta('TEXT') + ended(message('TEST'))],
    ['a response', added(opened) + delta('T') + delta('E') + delta('X') + completed(message('TEST'))],
    ['arguments', added(call('')) + piece('{"x"') + argsDone('{"y":1}')],
    ['arguments of a response', added(call('')) + piece(X) + completed(call('{"x":2}'))],
  ]
  for (const [name, stream] of odd) {
    t.equal(said(stream), 'malformed', name)
    t.not(said(stream, 'bytes'), 'malformed', 'a client that is sent the events has the end too')
  }
})

t.test('what is no event of the API is skipped, unless it may have been output', async (t) => {
  t.strictSame(decoded('data: null\n\ndata: {}\n\ndata: 42\n\n').skipped, 3)
  t.equal(decoded('data: {"type":"response.content_part.added","part":{"text":""}\n\n').skipped, 1)
  t.match(decoded('data: {"type":"response.output_text.delta","delta":"x"\n\n').parts, [{ type: 'error', failure: { kind: 'malformed' } }])
  t.match(decoded('data: {"type":"response.output_item.added","item":{"name":"f"\n\n').parts, [{ type: 'error', failure: { kind: 'malformed' } }])
})

t.test('what an event that was left out may have opened is opened before what follows it', async (t) => {
  const text = recording('text')
  const without = (name: string) => {
    const at = text.indexOf(`event: ${name}\n`)
    const end = text.indexOf('\n\n', at) + 2
    return decoded(`${text.slice(0, at)}data: {"type":"${name}"\n\n${text.slice(end)}`).bytes
  }
  const types = (bytes: string) => [...bytes.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
  for (const name of ['response.output_item.added', 'response.content_part.added']) {
    const bytes = without(name)
    t.strictSame(types(bytes), types(text), name)
    t.match(bytes, name === 'response.content_part.added' ? /"item_id":"msg_A","output_index":0,"content_index":0,"part":\{"type":"output_text"/ : /"item":\{"id":"msg_A","type":"message"/)
  }
  const unopened = text.slice(text.indexOf('event: response.output_item.added'))
  t.strictSame(types(decoded(`data: {"type":"response.created"\n\n${unopened}`).bytes).slice(0, 2), ['response.created', 'response.output_item.added'])
  t.equal(decoded(unopened).bytes, decoded(unopened, { look: false }).bytes, 'nothing was left out, so nothing is made up')
  t.strictSame(types(decoded(unopened).bytes), types(unopened))
})

t.test('a bare response in place of a stream is passed on as one; an error is one', async (t) => {
  const body = JSON.stringify({ id: 'r', object: 'response', model: 'm', status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'hi' }] }] }, null, 2)
  const { parts, bytes } = decoded(body)
  t.match(parts, [{ type: 'start', id: 'r' }, { type: 'text', text: 'hi' }, { type: 'finish' }, { type: 'end' }])
  t.strictSame(withoutDocument(decoded(bytes, { forward: 'parts' }).parts).filter(({ type }) => type === 'text' || type === 'end'), [{ type: 'text', text: 'hi' }, { type: 'end' }])
  t.match(decoded('{\n  "error": { "message": "x", "code": "insufficient_quota" }\n}').parts, [{ type: 'error', failure: { kind: 'auth_error' } }])
})
