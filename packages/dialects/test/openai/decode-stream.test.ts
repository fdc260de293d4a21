import fc from 'fast-check'
import t from 'tap'
import { failureOf, type FailureKind, type Part } from '@understudy/core'
import { openai } from '@understudy/dialects'
import { chunk, cuttings, DONE, event, replay, type Decoded } from '../replay.js'

const HEAD = { id: 'cc-A', object: 'chat.completion.chunk', created: 1700000000, model: 'm-A' }
const START: Part = { type: 'start', id: 'cc-A', model: 'm-A', created: 1700000000 }
const STOP: Part = { type: 'finish', reason: 'stop', raw: 'stop' }
const END: Part = { type: 'end' }
const role = chunk({ role: 'assistant', content: '' })
const text = (value: string): Part => ({ type: 'text', text: value })
const toolChunk = (...toolCalls: unknown[]) => chunk({ tool_calls: toolCalls })

interface Case {
  readonly name: string
  readonly stream: string
  readonly parts: readonly Part[]
  /** What is passed on; absent = everything but the terminator. */
  readonly bytes?: string
  readonly skipped?: number
}

const CASES: readonly Case[] = [
  { name: 'a plain answer', stream: role + chunk({ content: 'a' }) + chunk({}, 'stop') + DONE, parts: [START, text('a'), STOP, END] },
  { name: 'white space is text', stream: chunk({ content: ' ' }), parts: [START, text(' ')] },
  { name: 'the role on every chunk opens once', stream: chunk({ role: 'assistant', content: 'a' }) + chunk({ role: 'assistant', content: 'b' }), parts: [START, text('a'), text('b')] },
  { name: 'reasoning under three names', stream: chunk({ reasoning_content: 'a' }) + chunk({ reasoning: 'b' }) + chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'c' }] }), parts: [START, { type: 'reasoning', text: 'a' }, { type: 'reasoning', text: 'b' }, { type: 'reasoning', text: 'c' }] },
  { name: 'the same thought under two names is read once', stream: chunk({ content: '', reasoning: 'a', reasoning_details: [{ text: 'a' }] }), parts: [START, { type: 'reasoning', text: 'a' }] },
  { name: 'content blocks', stream: chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }, { type: 'text', text: 'b' }, { type: 'image_url' }] }), parts: [START, { type: 'reasoning', text: 'a' }, text('b'), { type: 'media' }] },
  { name: 'refusal', stream: chunk({ refusal: 'no' }), parts: [START, { type: 'refusal', text: 'no' }] },
  { name: 'audio is output, its empty opener is not', stream: chunk({ audio: { id: 'a' } }) + chunk({ audio: { data: 'AA' } }), parts: [START, { type: 'media' }] },
  {
    name: 'parallel tool calls in pieces',
    stream: toolChunk({ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '' } }) + toolChunk({ index: 0, function: { arguments: '{' } }, { index: 1, id: 'c1', function: { name: 'g', arguments: '' } }) + toolChunk({ index: 1, function: { arguments: '[' } }) + chunk({}, 'tool_calls'),
    parts: [START, { type: 'tool-call', index: 0, id: 'c0', name: 'f', arguments: '' }, { type: 'tool-call', index: 0, arguments: '{' }, { type: 'tool-call', index: 1, id: 'c1', name: 'g', arguments: '' }, { type: 'tool-call', index: 1, arguments: '[' }, { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' }],
  },
  {
    name: 'tool calls without an index go by id, then by the call before',
    stream: toolChunk({ id: 'c0', function: { name: 'f', arguments: '' } }) + toolChunk({ function: { arguments: '1' } }) + toolChunk({ id: 'c1', function: { name: 'g', arguments: '' } }) + toolChunk({ function: { arguments: '2' } }) + toolChunk({ id: 'c0', function: { arguments: '3' } }),
    parts: [START, { type: 'tool-call', index: 0, id: 'c0', name: 'f', arguments: '' }, { type: 'tool-call', index: 0, arguments: '1' }, { type: 'tool-call', index: 1, id: 'c1', name: 'g', arguments: '' }, { type: 'tool-call', index: 1, arguments: '2' }, { type: 'tool-call', index: 0, id: 'c0', arguments: '3' }],
  },
  {
    name: 'parallel calls that all say index 0',
    stream: toolChunk({ index: 0, id: 'c0', function: { name: 'f', arguments: '{}' } }) + toolChunk({ index: 0, id: 'c1', function: { name: 'g', arguments: { x: 1 } } }),
    parts: [START, { type: 'tool-call', index: 0, id: 'c0', name: 'f', arguments: '{}' }, { type: 'tool-call', index: 1, id: 'c1', name: 'g', arguments: '{"x":1}' }],
  },
  {
    name: 'parallel calls with the same id under indices of their own, in pieces',
    stream: toolChunk({ index: 0, id: 'null', function: { name: 'f', arguments: '{"x"' } }) + toolChunk({ index: 1, id: 'null', function: { name: 'g', arguments: '{"y"' } }) + toolChunk({ index: 0, id: 'null', function: { arguments: ':1}' } }, { index: 1, id: 'null', function: { arguments: ':2}' } }),
    parts: [START, ...[[0, 'f', '{"x"'], [1, 'g', '{"y"'], [0, '', ':1}'], [1, '', ':2}']].map(([index, name, said]): Part => ({ type: 'tool-call', index: Number(index), id: 'null', ...(name === '' ? {} : { name: String(name) }), arguments: String(said) }))],
  },
  {
    name: 'calls with the same id, or none, in one delta',
    stream: toolChunk({ id: 'f', function: { name: 'f', arguments: '{"x":1}' } }, { id: 'f', function: { name: 'f', arguments: '{"x":2}' } }) + toolChunk({ index: 7, function: { name: 'g', arguments: '{}' } }, { index: 7, function: { name: 'g', arguments: '{}' } }),
    parts: [START, { type: 'tool-call', index: 0, id: 'f', name: 'f', arguments: '{"x":1}' }, { type: 'tool-call', index: 1, id: 'f', name: 'f', arguments: '{"x":2}' }, { type: 'tool-call', index: 7, name: 'g', arguments: '{}' }, { type: 'tool-call', index: 8, name: 'g', arguments: '{}' }],
  },
  {
    name: 'another name behind the arguments is another call',
    stream: toolChunk({ index: 0, function: { name: 'f', arguments: '{}' } }) + toolChunk({ index: 0, function: { name: 'g', arguments: '{' } }) + toolChunk({ index: 0, function: { name: 'g', arguments: '}' } }),
    parts: [START, { type: 'tool-call', index: 0, name: 'f', arguments: '{}' }, { type: 'tool-call', index: 1, name: 'g', arguments: '{' }, { type: 'tool-call', index: 1, arguments: '}' }],
  },
  { name: 'a legacy function call', stream: chunk({ function_call: { name: 'f', arguments: '{}' } }) + chunk({}, 'function_call'), parts: [START, { type: 'tool-call', index: 0, name: 'f', arguments: '{}' }, { type: 'finish', reason: 'tool_calls', raw: 'function_call' }] },
  { name: 'a whole message behind its pieces says nothing again', stream: chunk({ content: 'a' }) + chunk({ content: 'b' }) + event({ choices: [{ index: 0, message: { role: 'assistant', content: 'ab' }, finish_reason: 'stop' }] }), parts: [START, text('a'), text('b'), STOP] },
  { name: 'a whole message in a stream', stream: event({ ...HEAD, choices: [{ index: 0, message: { role: 'assistant', content: 'ab' }, finish_reason: 'stop' }] }), parts: [START, text('ab'), STOP] },
  { name: 'empty tool pieces say nothing', stream: toolChunk() + toolChunk({ index: 0, function: { name: '', arguments: '' } }) + toolChunk({ index: 0, function: null }), parts: [START] },
  { name: 'an empty finish reason is no end', stream: chunk({ content: 'a' }, '') + chunk({ content: 'b' }, ''), parts: [START, text('a'), text('b')] },
  { name: 'an unknown finish reason, a prototype name too', stream: chunk({}, 'constructor'), parts: [START, { type: 'finish', reason: 'unknown', raw: 'constructor' }] },
  { name: 'usage behind the finish', stream: chunk({}, 'stop') + event({ id: 'x', choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, prompt_tokens_details: { cached_tokens: 1 }, completion_tokens_details: { reasoning_tokens: 2 } } }) + DONE, parts: [START, STOP, { type: 'usage', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, cachedInputTokens: 1, reasoningTokens: 2 } }, END] },
  { name: 'usage as Groq and Moonshot put it', stream: event({ choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 1 } }] }) + event({ choices: [], x_groq: { usage: { completion_tokens: 2 } } }), parts: [{ type: 'start' }, { type: 'usage', usage: { inputTokens: 1 } }, { type: 'usage', usage: { outputTokens: 2 } }] },
  { name: 'null usage', stream: chunk({ content: 'a' }, null, { usage: null }), parts: [START, text('a')] },
  { name: 'prompt filter results', stream: event({ id: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }) + chunk({ content: 'a' }), parts: [START, text('a')] },
  { name: 'lean chunks', stream: event({ id: 'x', choices: null }) + event({ choices: [{ delta: null }] }) + event({ choices: [null] }) + event({ choices: [{ delta: { content: 'a' } }] }), parts: [{ type: 'start' }, text('a')] },
  { name: 'several choices', stream: event({ choices: [{ index: 1, delta: { content: 'b' } }, { index: 0, delta: { content: 'a' } }, { index: 1, delta: {}, finish_reason: 'length' }] }), parts: [{ type: 'start' }, { type: 'text', text: 'b', choice: 1 }, text('a'), { type: 'finish', reason: 'length', raw: 'length', choice: 1 }] },
  { name: 'nothing follows the terminator', stream: chunk({ content: 'a' }) + DONE + chunk({ content: 'late' }) + DONE, parts: [START, text('a'), END], bytes: chunk({ content: 'a' }) },
  { name: 'junk between good events', stream: event('null') + 'data:\n\n' + event('42') + event('"s"') + event({}) + event([]) + event({ type: 'ping' }) + role + event('true') + chunk({ content: 'a' }), parts: [START, text('a')], bytes: role + chunk({ content: 'a' }), skipped: 8 },
  { name: 'a comment before the commit', stream: ': OPENROUTER PROCESSING\n\n' + chunk({ content: 'a' }), parts: [START, text('a')], bytes: chunk({ content: 'a' }) },
  { name: 'a malformed event without output', stream: role + event('{"choices":[{"delta":{"content":""}}') + chunk({ content: 'a' }), parts: [START, text('a')], bytes: role + chunk({ content: 'a' }), skipped: 1 },
  { name: 'the event of the role left out: it is said in its place', stream: event('{"choices":[{"delta":{"role":"assistant","content":""}}') + chunk({ content: 'a' }) + chunk({ content: 'b' }), parts: [START, text('a'), text('b')], bytes: role + chunk({ content: 'a' }) + chunk({ content: 'b' }), skipped: 1 },
  { name: 'the event of the role left out, and the next one says it too', stream: event('{') + chunk({ role: 'assistant', content: 'a' }), parts: [START, text('a')], bytes: chunk({ role: 'assistant', content: 'a' }), skipped: 1 },
  { name: 'the role of a second choice left out', stream: role + chunk({ content: 'a' }) + event('{') + event({ ...HEAD, choices: [{ index: 0, delta: { content: 'b' } }, { index: 1, delta: { content: 'c' } }], usage: null }) + event({ choices: [{ index: 1, delta: { content: 'd' } }] }), parts: [START, text('a'), text('b'), { type: 'text', text: 'c', choice: 1 }, { type: 'text', text: 'd', choice: 1 }], bytes: role + chunk({ content: 'a' }) + event({ ...HEAD, choices: [{ index: 1, delta: { role: 'assistant', content: '' }, finish_reason: null }], usage: null }) + event({ ...HEAD, choices: [{ index: 0, delta: { content: 'b' } }, { index: 1, delta: { content: 'c' } }], usage: null }) + event({ choices: [{ index: 1, delta: { content: 'd' } }] }), skipped: 1 },
  { name: 'no role at all, and nothing left out', stream: chunk({ content: 'a' }), parts: [START, text('a')] },
  { name: 'a byte-order mark in the middle', stream: role + '\ufeff' + chunk({ content: 'a' }) + '\ufeff' + DONE, parts: [START, text('a'), END], bytes: role + chunk({ content: 'a' }) },
  { name: 'a malformed event with output', stream: role + event('{"choices":[{"delta":{"content":"lost"}') + chunk({ content: 'a' }), parts: [START, failed('malformed')], bytes: role },
  { name: 'three malformed events in a row', stream: role + event('{') + event('{') + chunk({ content: 'a' }) + event('{') + event('{') + event('{') + chunk({ content: 'b' }), parts: [START, text('a'), failed('malformed')], bytes: role + chunk({ content: 'a' }), skipped: 4 },
  { name: 'CRLF and CR', stream: chunk({ content: 'a' }).replaceAll('\n', '\r\n') + DONE.replaceAll('\n', '\r\n'), parts: [START, text('a'), END], bytes: chunk({ content: 'a' }).replaceAll('\n', '\r\n') },
  { name: 'JSON over several data lines', stream: 'data: {"id":"cc-A",\ndata: "choices":[{"delta":{"content":"a"}}]}\n\n', parts: [{ type: 'start', id: 'cc-A' }, text('a')] },
  { name: 'an end without its blank line', stream: chunk({ content: 'a' }) + 'data: [DONE]', parts: [START, text('a'), END], bytes: chunk({ content: 'a' }) },
  { name: 'a stream that just stops', stream: chunk({ content: 'a' }) + 'data: {"id":"cc', parts: [START, text('a')], bytes: chunk({ content: 'a' }) },
  { name: 'nothing at all', stream: '', parts: [] },
  { name: 'comments only', stream: ': a\n\n: b\n\n', parts: [], bytes: '' },
  { name: 'an error instead of events', stream: '{\n  "error": {\n    "code": 503,\n\n    "message": "busy",\n    "status": "UNAVAILABLE"\n  }\n}\n', parts: [failed('server_error', 503, 'UNAVAILABLE')], bytes: '' },
  { name: 'a page instead of events', stream: '<!doctype html><title>wait</title><p>checking', parts: [failed('malformed')], bytes: '' },
]

const ERRORS: readonly (readonly [string, string, FailureKind, (number | undefined)?, string?])[] = [
  ['a string', event({ error: 'bad' }), 'server_error'],
  ['true', event({ error: true }), 'server_error'],
  ['an empty object', event({ error: {} }), 'server_error'],
  ['an array', event({ error: [{ message: 'x', code: 429 }] }), 'rate_limit', 429],
  ['an array around it all', event([{ error: { code: 503, message: 'x' } }]), 'server_error', 503],
  ['nested twice', event({ error: { error: { message: 'x', code: '429' } } }), 'rate_limit', 429],
  ['odd types', event({ error: { message: null, code: 'gateway_error', status_code: 'n/a' } }), 'server_error', undefined, 'gateway_error'],
  ['beside empty choices', event({ id: 'g', choices: [], error: { code: 502, message: 'worker limit' } }), 'server_error', 502],
  ['beside content', chunk({ content: 'a' }, null, { error: { code: 502 } }), 'server_error', 502],
  ['in the choice', event({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', error: { code: 429 } }] }), 'rate_limit', 429],
  ['as a finish reason', chunk({ content: 'a' }, 'error'), 'server_error'],
  ['as a named event', 'event: error\n' + event({ message: 'x', code: 401 }), 'auth_error', 401],
  ['as a named event without JSON', 'event: error\n' + event('upstream timed out'), 'server_error'],
  ['as a named event that is null', 'event: error\n' + event('null'), 'server_error'],
  ['a failed tool call', 'event: error\n' + event({ error: { message: 'x', type: 'invalid_request_error', code: 'tool_use_failed', status_code: 400 } }), 'server_error', 400, 'tool_use_failed'],
  ['as Anthropic says it', event({ type: 'error', error: { details: null, type: 'overloaded_error', message: 'x' } }), 'overloaded', undefined, 'overloaded_error'],
  ['as old vLLM says it', event({ object: 'error', message: "This model's maximum context length is 4096 tokens.", type: 'BadRequestError', param: null, code: 400 }), 'context_length', 400, 'BadRequestError'],
  ['as FastAPI says it', event({ detail: 'Not enough replicas', status_code: 503 }), 'server_error', 503],
  ['a wrapped one', event({ error: { message: 'Provider returned error', code: 429, metadata: { raw: '{"error":{"code":"insufficient_quota"}}' } } }), 'auth_error', 429, 'insufficient_quota'],
  ['a status that is none', event({ error: { code: 200, status: 1000 } }), 'server_error', undefined, '200'],
]

t.test('a stream says the same however it is cut', async (t) => {
  for (const { name, stream, parts, bytes = stream.replace(DONE, ''), skipped = 0 } of CASES) {
    for (const [index, reads] of cuttings(stream).entries()) {
      const decoded = replay(reads)
      t.strictSame(visible(decoded.parts), parts, `${name}, cut ${index}: parts`)
      t.equal(decoded.bytes, Buffer.from(bytes, 'utf8').toString('latin1'), `${name}, cut ${index}: bytes`)
      t.equal(decoded.skipped, skipped, `${name}, cut ${index}: skipped`)
      t.strictSame(visible(replay(reads, { forward: 'parts' }).parts), parts, `${name}, cut ${index}: forward parts`)
    }
  }
})

t.test('an error of any shape ends the stream and is not passed on', async (t) => {
  for (const [name, stream, kind, status, code] of ERRORS) {
    for (const reads of cuttings(role + stream + chunk({ content: 'late' }))) {
      const { parts, bytes } = replay(reads)
      t.strictSame(visible(parts), [START, failed(kind, status, code)], name)
      t.equal(bytes, role, `${name}: bytes`)
    }
  }
})

t.test('a comment is passed on after the commit and is no event', async (t) => {
  const stream = ': a\n\nretry: 10\n\nevent: ping\n\n'
  t.strictSame(replay([Buffer.from(stream)], { committed: true }), { bytes: ': a\n\n', events: 0, parts: [], skipped: 0 })
})

t.test('an event over the bound fails the stream once', async (t) => {
  const decoder = openai.createStreamDecoder({ forward: 'bytes', maxFrameBytes: 512 })
  const arrivals = [chunk({ content: 'a' }), `data: ${'x'.repeat(600)}`, chunk({ content: 'b' })].map((read) =>
    decoder.push(Buffer.from(read)),
  )
  t.strictSame(
    arrivals.map((arrival) => visible(arrival?.parts ?? [])),
    [[START, text('a')], [failed('malformed')], []],
  )
  t.equal(decoder.end(), undefined)
})

t.test('a whole answer without events is passed on as the stream it should have been', async (t) => {
  const answer = { id: 'x', created: 1, model: 'm', choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] }
  const { parts, bytes } = replay([Buffer.from(JSON.stringify(answer, null, 2))])
  t.strictSame(parts, [{ type: 'start', id: 'x', model: 'm', created: 1 }, text('a'), STOP, END])
  t.strictSame(replay([Buffer.from(bytes, 'latin1')]).parts, parts.slice(0, -1))
})

t.test('a document over 64 KiB is not kept', async (t) => {
  const document = JSON.stringify({ error: { message: 'x'.repeat(64 * 1024) } }, null, 2)
  t.strictSame(replay([Buffer.from(document)]).parts, [])
})

t.test('what is passed on of an undisturbed read is the memory of that read', async (t) => {
  const decoder = openai.createStreamDecoder({ forward: 'bytes' })
  const read = Buffer.from(role + chunk({ content: 'a' }) + DONE)
  t.equal(decoder.push(read)?.bytes?.buffer, read.buffer)
})

const hostile = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"finish_reason":"stop"', '"error":{}', '[DONE]', '\\"', '\\\\', '\ud83d', '\ude00', '"content":"x', '\u2028', '\0', '}]}'),
)

const rawBody = fc.oneof(
  hostile.map((value) => JSON.stringify(value).slice(1, -1)),
  fc.constantFrom('\\ud83d\\ude00', '\\ud83d', '\\u00', '\\x', 'a"', '"', '\\', '\t', '', '","finish_reason":"stop', '","content":"y', '\\u12G4'),
)

const PLAIN_FRAMES: readonly ((one: string, two: string) => string)[] = [
  (one) => `data: {"id":"c","choices":[{"index":0,"delta":{"content":"${one}"},"finish_reason":null}]}\n\n`,
  (one) => `data:{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"${one}"}}]}\r\n\r\n`,
  (one, two) => `data: {"choices":[{"delta":{"content":"${one}"}}],"usage":null,"obfuscation":"${two}"}\n\n`,
  (one, two) => `data: {"choices":[{"delta":{"content":"${one}", "reasoning" : "${two}"}}]}\n\n`,
  (one, two) => `data: {"choices":[{"delta":{"content":"${one}","content":"${two}"}}]}\n\n`,
  (one, two) => `data: {"x":"\\"content\\":\\"${one}\\"","choices":[{"delta":{"content":"${two}"}}]}\n\n`,
  (one, two) => `: "content":"${one}"\ndata: {"choices":[{"delta":{"content":"${two}"}}]}\n\n`,
  (one, two) => `data: {"choices":[{"index":1,"delta":{"content":"${one}"}}],"obfuscation":"${two}"}\n\n`,
  (one, two) => `data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"${one}"}}],"content":"${two}"}}]}\n\n`,
  (one) => `data: {"choices":[{"delta":{"content":"${one}"}}],"error":{"content":"x"}}\n\n`,
  (one, two) => `data: {"choices":[{"delta":{"content":"${one}"},"finish_reason":"${two}"}]}\n\n`,
]

const frame = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.nat(4), rawBody, rawBody).map(([index, one, two]) => PLAIN_FRAMES[index]?.(one, two) ?? '') },
  { weight: 2, arbitrary: fc.tuple(fc.nat(PLAIN_FRAMES.length - 1), rawBody, rawBody).map(([index, one, two]) => PLAIN_FRAMES[index]?.(one, two) ?? '') },
  { weight: 1, arbitrary: fc.constantFrom(': c\n\n', 'data: {}\n\n', 'data: {\n\n', DONE, event({ error: 'x' }), chunk({}, 'stop')) },
)

/** Everything but plain content, which a look leaves out. */
function notPlain({ parts, ...rest }: Decoded): unknown {
  const isPlain = (part: Part) => (part.type === 'text' || part.type === 'reasoning') && part.choice === undefined
  return { ...rest, parts: visible(parts.filter((part) => !isPlain(part))) }
}

t.test('the look holds where an event changes how later ones are read', async (t) => {
  const withCall = (content: string) => chunk({ content, tool_calls: [{ index: 0 }] })
  const twoChoices = (one: string, two: string) =>
    event({ choices: [{ index: 0, delta: { content: one } }, { index: 1, delta: { content: two } }] })
  const sequences = [
    [chunk({ content: 'a' }), event('{'), chunk({ content: 'b' }), event('{'), chunk({ content: 'c' }), event('{')],
    [withCall('a'), toolChunk({ id: 'c1', function: { name: 'g' } }), withCall('b'), toolChunk({ function: { arguments: '1' } })],
    [twoChoices('a', ''), twoChoices('b', 'c')],
    ['a', 'b'].map((content) => event({ choices: [{ index: 1, delta: { content } }] })),
    [chunk({ content: 'a' }), chunk({ content: 'b' }, 'stop'), chunk({ content: 'c' })],
  ]
  for (const sequence of sequences) {
    const reads = [role, ...sequence].map((read) => Buffer.from(read))
    t.strictSame(
      notPlain(replay(reads, { committed: true })),
      notPlain(replay(reads, { committed: true, look: false })),
      sequence.join(''),
    )
  }
})

t.test('the look changes nothing but which plain parts are given', async (t) => {
  const stream = fc.array(frame, { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.nat(3), stream, fc.nat(4), (first, frames, cut) => {
      const opening = PLAIN_FRAMES[first]?.('a', 'b') ?? ''
      const reads = cuttings(opening + opening + frames.join(''))[cut] ?? []
      const fast = replay(reads, { committed: true })
      const slow = replay(reads, { committed: true, look: false })
      t.strictSame(notPlain(fast), notPlain(slow))
      const slowTexts = slow.parts.filter(({ type }) => type === 'text' || type === 'reasoning')
      if (fast.parts.length > slow.parts.length || slowTexts.length === 0) throw new Error('the look added a part')
      return true
    }),
    { numRuns: 600 },
  )
})

t.test('the look spares plain events their parts', async (t) => {
  const reads = [chunk({ content: 'a' }), chunk({ content: 'b' }), chunk({ content: 'c"\\\u20ac' }), chunk({ content: '' }), chunk({}, 'stop')].map((read) => Buffer.from(read))
  t.strictSame(replay(reads, { committed: true }).parts, [START, text('a'), text('b'), STOP])
})

t.test('the look begins behind the first output text, in the same read and before the commit', async (t) => {
  const decoder = openai.createStreamDecoder({ forward: 'bytes' })
  const empty = chunk({ content: '' })
  t.strictSame(decoder.push(Buffer.from(role + empty + chunk({ content: 'a' }) + empty + chunk({ content: 'b' })))?.parts, [START, text('a')])
  decoder.committed()
  t.strictSame(decoder.push(Buffer.from(chunk({ content: 'c' }) + chunk({}, 'stop')))?.parts, [STOP])
})

t.test('no bytes make the decoder throw or go on for ever', async (t) => {
  const bits = [...CASES.map(({ stream }) => stream), ...ERRORS.map(([, stream]) => stream)]
  const mutated = fc
    .tuple(fc.array(fc.constantFrom(...bits), { maxLength: 4 }), fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 6 }))
    .map(([pieces, changes]) => {
      const bytes = Buffer.from(pieces.join(''))
      for (const [position, byte] of changes) if (bytes.length > 0) bytes[position % bytes.length] = byte
      return new Uint8Array(bytes)
    })
  const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated)
  fc.assert(
    fc.property(anyBytes, fc.boolean(), fc.nat(4), (bytes, committed, cut) => {
      const whole = replay([bytes], { committed, look: false })
      const inPieces = replay(cuttings(bytes)[cut] ?? [], { committed, look: false })
      t.strictSame(inPieces.parts, whole.parts)
      const closing = whole.parts.findIndex(({ type }) => type === 'error' || type === 'end')
      if (closing !== -1 && closing !== whole.parts.length - 1) throw new Error('something follows the end')
    }),
    { numRuns: 600 },
  )
})

t.test('what came before the first output of a read is counted as it would be in reads of its own', async (t) => {
  const empty = chunk({ content: '' })
  const whole = `${empty.repeat(300)}: ping\n\n${chunk({ content: 'a' })}${empty}${chunk({ content: 'b' })}${DONE}`
  for (const forward of ['bytes', 'parts'] as const) {
    for (const reads of cuttings(whole)) {
      const decoder = openai.createStreamDecoder({ forward })
      let before = 0
      for (const read of reads) {
        const arrival = decoder.push(read)
        const hasOutput = arrival?.parts.some(({ type }) => type === 'text') === true
        before += hasOutput ? arrival?.leading ?? 0 : arrival?.events ?? 0
        if (hasOutput) break
      }
      t.equal(before, 300)
    }
  }
  const [arrival] = [openai.createStreamDecoder({ forward: 'parts' }).push(Buffer.from(empty.repeat(5) + chunk({}, 'stop') + DONE))]
  t.match(arrival, { events: 7, leading: 5 }, 'an end without output')
  t.notOk('leading' in (openai.createStreamDecoder({ forward: 'bytes' }).push(Buffer.from(chunk({ content: 'a' }))) ?? {}))
})

function failed(kind: FailureKind, status?: number, code?: string): Part {
  const details = { ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }) }
  return { type: 'error', failure: failureOf(kind, details) }
}

/** Without what is not enumerable, which has its own tests. */
function visible(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) => (part.type === 'error' ? { ...part, failure: { ...part.failure } } : part))
}
