import t from 'tap'
import type { Part } from '@understudy/core'
import { anthropic } from '@understudy/dialects'
import { recorded } from '../../../../test/kit/recorded.js'
import { cuttings, replay, type ReplayOptions } from '../replay.js'

function recording(name: string): string {
  return recorded(`anthropic/${name}.sse`)
}

function decoded(stream: string, options: ReplayOptions = {}) {
  return replay([Buffer.from(stream)], { codec: anthropic, ...options })
}

function event(type: string, members: Readonly<Record<string, unknown>> = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
}

const START: Part = { type: 'start', id: 'msg_A', model: 'claude-sonnet-4-5-20250929' }
const OPENED: Part = { type: 'usage', usage: { inputTokens: 25, outputTokens: 1 } }
const STOP = event('message_stop')

const RECORDINGS: Readonly<Record<string, readonly Part[]>> = {
  text: [
    START,
    OPENED,
    { type: 'text', text: 'Good' },
    { type: 'text', text: ' morning' },
    { type: 'text', text: ', "you" \u00e9\n' },
    { type: 'finish', reason: 'stop', raw: 'end_turn' },
    { type: 'usage', usage: { inputTokens: 25, outputTokens: 15 } },
    { type: 'end' },
  ],
  tools: [
    START,
    { type: 'usage', usage: { inputTokens: 502, outputTokens: 2, cachedInputTokens: 20, cacheWriteTokens: 10 } },
    { type: 'text', text: 'I look' },
    { type: 'text', text: ' it up.' },
    { type: 'tool-call', index: 0, id: 'toolu_1', name: 'get_weather', arguments: '' },
    { type: 'tool-call', index: 0, arguments: '{"location":' },
    { type: 'tool-call', index: 0, arguments: ' "Oslo"}' },
    { type: 'tool-call', index: 1, id: 'toolu_2', name: 'now', arguments: '' },
    { type: 'tool-call', index: 1, arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
    { type: 'usage', usage: { inputTokens: 502, outputTokens: 89, cachedInputTokens: 20, cacheWriteTokens: 10 } },
    { type: 'end' },
  ],
  thinking: [
    START,
    OPENED,
    { type: 'reasoning', text: 'First' },
    { type: 'reasoning', text: ' this, then that.' },
    { type: 'reasoning', text: '', signature: 'EqQBCgIYAg==' },
    { type: 'reasoning', text: '', redacted: 'EmwKAhgB' },
    { type: 'text', text: '42' },
    { type: 'finish', reason: 'stop', raw: 'stop_sequence', stopSequence: 'END' },
    { type: 'usage', usage: { inputTokens: 25, outputTokens: 40, reasoningTokens: 30 } },
    { type: 'end' },
  ],
  'web-search': [
    START,
    OPENED,
    { type: 'media' },
    { type: 'media' },
    { type: 'text', text: 'It is x.' },
    { type: 'finish', reason: 'stop', raw: 'end_turn' },
    { type: 'usage', usage: { inputTokens: 1000, outputTokens: 50 } },
    { type: 'end' },
  ],
  refusal: [
    START,
    OPENED,
    { type: 'text', text: 'I can' },
    { type: 'finish', reason: 'content_filter', raw: 'refusal' },
    { type: 'usage', usage: { inputTokens: 25, outputTokens: 4 } },
    { type: 'end' },
  ],
}

for (const [name, parts] of Object.entries(RECORDINGS)) {
  t.test(`${name}: the same parts and bytes however it is cut`, async (t) => {
    const stream = recording(name)
    t.strictSame(decoded(stream, { forward: 'parts' }).parts, parts)
    t.strictSame(decoded(stream, { look: false }).parts, parts)
    // Pings are no part of what is held back; the terminator is ours to write.
    const passed = Buffer.from(stream.replaceAll(event('ping'), '').replace(STOP, '')).toString('latin1')
    for (const line of ['\n', '\r\n', '\r']) {
      const written = stream.replaceAll('\n', line)
      for (const reads of cuttings(written)) {
        const whole = replay(reads, { codec: anthropic, forward: 'parts' })
        t.strictSame(whole.parts, parts)
        // Behind a lone CR the reader ends the frame itself.
        const { bytes } = replay(reads, { codec: anthropic })
        t.equal(line === '\r' ? bytes.replace(/\r\n?/g, '\n') : bytes, line === '\r' ? passed : passed.replaceAll('\n', line))
      }
    }
  })
}

t.test('with the look, later texts of a block are passed on unread, and nothing else changes', async (t) => {
  const { parts, bytes, events } = decoded(recording('text'))
  t.strictSame(parts.filter(({ type }) => type === 'text').length, 1)
  const unlooked = decoded(recording('text'), { look: false })
  t.strictSame([bytes, events], [unlooked.bytes, unlooked.events])
})

t.test('a ping counts for no event and passes after the commit only', async (t) => {
  const ping = event('ping')
  t.strictSame(decoded(ping), { parts: [], bytes: '', events: 0, skipped: 0 })
  t.strictSame(decoded(ping, { committed: true }), { parts: [], bytes: ping, events: 0, skipped: 0 })
  t.strictSame(decoded(`: comment\n\n${ping}`, { committed: true }).bytes, `: comment\n\n${ping}`)
})

t.test('an error event ends the stream with its kind and is not passed on', async (t) => {
  const { parts, bytes } = decoded(recording('overloaded'))
  t.match(parts.at(-1), { type: 'error', failure: { kind: 'overloaded', code: 'overloaded_error' } })
  t.notMatch(bytes, 'event: error')
  const kindOf = (text: string) => {
    const part = decoded(text).parts.at(-1)
    return part?.type === 'error' ? part.failure.kind : part?.type
  }
  t.equal(kindOf(event('error', { error: { type: 'rate_limit_error', message: 'x' } })), 'rate_limit')
  t.equal(kindOf(event('error', { error: { type: 'api_error', message: 'x' } })), 'server_error')
  t.equal(kindOf(event('error', { error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' } })), 'context_length')
  t.equal(kindOf('event: error\ndata: busy\n\n'), 'server_error')
  t.equal(kindOf(`data: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error' } })}\n\n`), 'overloaded', 'without a name')
})

t.test('only message_stop ends a stream', async (t) => {
  const text = recording('text')
  t.notOk(decoded(text.replace(STOP, '')).parts.some(({ type }) => type === 'end'))
  const late = decoded(text + event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'late' } }))
  t.strictSame(late.parts.at(-1), { type: 'end' }, 'and nothing follows it')
  t.equal(decoded('data: [DONE]\n\n').skipped, 1)
})

t.test('what a block says in its start counts, and a gateway may say all of a call there', async (t) => {
  const block = (index: number, content: unknown) => event('content_block_start', { index, content_block: content })
  const stop = (index: number) => event('content_block_stop', { index })
  const { parts } = decoded(
    block(0, { type: 'text', text: 'hi' }) + stop(0) + block(1, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }) + stop(1),
  )
  t.strictSame(parts, [
    { type: 'text', text: 'hi' },
    { type: 'tool-call', index: 0, id: 'a', name: 'f', arguments: '' },
    { type: 'tool-call', index: 0, arguments: '{"x":1}' },
  ])
})

t.test('junk is skipped and counted, unless it may have carried output', async (t) => {
  const delta = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"'
  for (const junk of ['data: null\n\n', 'data: 42\n\n', 'data: {}\n\n', 'event: ping\ndata: {\n\n', 'data: {"type":"message_del\n\n']) {
    t.strictSame(decoded(junk), { parts: [], bytes: '', events: 1, skipped: 1 }, junk)
  }
  t.match(decoded(`data: ${delta}\n\n`).parts, [{ type: 'error', failure: { kind: 'malformed' } }])
  for (const key of ['thinking', 'partial_json', 'signature']) {
    t.match(decoded(`data: {"delta":{"${key}":"x"\n\n`).parts, [{ type: 'error', failure: { kind: 'malformed' } }], key)
  }
  t.match(decoded('data: {\n\n'.repeat(3)).parts, [{ type: 'error', failure: { kind: 'malformed' } }])
})

t.test('what an event that could not be read would have opened is opened before what follows', async (t) => {
  const names = (bytes: string) => bytes.match(/"type":"(?:message|content_block)_\w+"/g)?.map((type) => type.slice(8, -1))
  const [start = '', block = '', ping = '', ...rest] = recording('text').split(/(?<=\n\n)/)
  const whole = names(decoded(recording('text')).bytes)
  const cut = (event: string) => `${event.slice(0, event.indexOf('data:') + 20)}\n\n`
  for (const stream of [
    [cut(start), block, ping, ...rest], [start, cut(block), ping, ...rest], [cut(start), ping, cut(block), ...rest],
  ]) {
    const { bytes, skipped, parts } = decoded(stream.join(''))
    t.strictSame(names(bytes), whole)
    t.ok(skipped > 0)
    t.match(parts.at(-1), { type: 'end' })
  }
  t.strictSame(names(decoded(recording('text').replace(rest[0] ?? '', `data: {\n\n${rest[0]}`)).bytes), whole, 'and nothing twice')
})

const MESSAGE = event('message_start', { message: { id: 'a', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } } })
const block = (index: number, content: unknown = { type: 'text', text: '' }) => event('content_block_start', { index, content_block: content })
const delta = (index: number, text: string) => event('content_block_delta', { index, delta: { type: 'text_delta', text } })
const piece = (index: number, text: string) => event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: text } })
const stop = (index: number) => event('content_block_stop', { index })
const end = (reason: string) => event('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 2 } })
const call = (input: unknown) => ({ type: 'tool_use', id: 'a', name: 'f', input })

t.test('a call whose block never stops keeps all of its input, and fails where that is no whole JSON', async (t) => {
  const argumentsOf = (stream: string) => decoded(stream, { forward: 'parts' }).parts.map((part) => part.type === 'tool-call' ? part.arguments : part.type)
  const open = MESSAGE + block(0, call({ amount: 5 }))
  t.strictSame(argumentsOf(open + end('tool_use') + STOP), ['start', 'usage', '', '{"amount":5}', 'finish', 'usage', 'end'])
  t.strictSame(argumentsOf(open + STOP), ['start', 'usage', '', '{"amount":5}', 'end'])
  t.strictSame(argumentsOf(open + block(1) + delta(1, 'x')), ['start', 'usage', '', '{"amount":5}', 'text'])
  t.strictSame(argumentsOf(MESSAGE + block(0, call({})) + end('tool_use')).slice(2, 4), ['', '{}'])
  t.strictSame(argumentsOf(`${open}event: content_block_stop\ndata: {"type":"content_bl\n\n${end('tool_use')}`).slice(2, 4), ['', '{"amount":5}'])
  t.strictSame(argumentsOf(open + piece(0, '{"a":1}') + end('tool_use')).slice(2, 5), ['', '{"a":1}', 'finish'])
  t.strictSame(argumentsOf(open + piece(0, '{"a"') + end('max_tokens')).slice(2, 5), ['', '{"a"', 'finish'])
  for (const last of [end('tool_use'), STOP, block(1)]) t.equal(argumentsOf(open + piece(0, '{"a"') + last).at(-1), 'error', last)
})

t.test('an order of events in which clients lose output is malformed', async (t) => {
  const wrong = {
    'a second message': MESSAGE + block(0) + delta(0, 'x') + MESSAGE,
    'a message behind its content': block(0) + delta(0, 'x') + stop(0) + MESSAGE,
    'one index twice': MESSAGE + block(0) + delta(0, 'x') + stop(0) + block(0),
    'an index left out': MESSAGE + block(0) + stop(0) + block(2),
    'a piece of a call without its start': MESSAGE + piece(0, '{}'),
    'text of a block that is not there': MESSAGE + delta(1, 'x'),
    'two blocks at once': MESSAGE + block(0) + delta(0, 'x') + block(1) + delta(1, 'y') + delta(0, 'z') + stop(0),
  }
  for (const [name, stream] of Object.entries(wrong)) {
    for (const options of [{}, { look: false }, { forward: 'parts' }] as const) {
      t.match(decoded(stream, options).parts.at(-1), { type: 'error', failure: { kind: 'malformed', code: 'event_order' } }, name)
    }
  }
})

t.test('what is only missing is added where nothing is lost: the openers, the end of a block, the name of an event', async (t) => {
  const whole = MESSAGE + block(0) + delta(0, 'x') + stop(0) + block(1) + delta(1, 'y') + stop(1) + end('end_turn')
  t.equal(decoded(whole).bytes, whole)
  for (const missing of [block(0), stop(0), block(1), stop(1)]) t.equal(decoded(whole.replace(missing, '')).bytes, whole, missing)
  t.match(decoded(whole.replace(MESSAGE, '')).bytes, /^event: message_start\ndata: .*\n\nevent: content_block_start/)
  const unnamed = whole.replace(/^event: .*\n/gm, '')
  const spread = `\ufeff${unnamed.replaceAll('\n\n', '\n\n\n')}`
  for (const stream of [unnamed, spread, unnamed.replace(/^data: /gm, 'id: 1\ndata: ')]) {
    for (const reads of cuttings(stream)) {
      const { bytes } = replay(reads, { codec: anthropic })
      t.equal(bytes.replaceAll('\n\n\n', '\n\n').replaceAll('id: 1\n', '').trimEnd(), whole.trimEnd())
    }
  }
})

t.test('a bare message instead of events is passed on as the stream that it should have been', async (t) => {
  const message = {
    id: 'msg_B', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null,
    content: [{ type: 'text', text: 'hi' }], usage: { input_tokens: 1, output_tokens: 2 },
  }
  const { parts, bytes } = decoded(JSON.stringify(message, null, 2))
  t.strictSame(parts.map(({ type }) => type), ['start', 'text', 'finish', 'usage', 'end'])
  t.strictSame(decoded(bytes, { forward: 'parts' }).parts.map(({ type }) => type), ['start', 'usage', 'text', 'finish', 'usage'])
  t.match(decoded('{"type":"error","error":{"type":"overloaded_error","message":"x"}}').parts, [
    { type: 'error', failure: { kind: 'overloaded' } },
  ])
  t.match(decoded('<html>').parts, [{ type: 'error', failure: { kind: 'malformed' } }])
})
