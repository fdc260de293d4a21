import t from 'tap'
import type { Part } from '@understudy/core'
import { gemini } from '@understudy/dialects'
import { recorded } from '../../../../test/kit/recorded.js'
import { cuttings, event, replay, type ReplayOptions } from '../replay.js'

function recording(name: string): string {
  return recorded(`gemini/${name}`)
}

function decoded(stream: string, options: ReplayOptions = {}) {
  return replay([Buffer.from(stream)], { codec: gemini, forward: 'parts', ...options })
}

function answer(parts: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): string {
  return event({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }], responseId: 'r' })
}

function start(model: string): Part {
  return { type: 'start', id: 'resp-A', model }
}

function usage(inputTokens: number, outputTokens: number | undefined, totalTokens: number, more: object = {}): Part {
  return { type: 'usage', usage: { inputTokens, ...(outputTokens === undefined ? {} : { outputTokens }), totalTokens, ...more } }
}

const RECORDINGS: Readonly<Record<string, readonly Part[]>> = {
  text: [
    start('gemini-2.5-flash'),
    { type: 'text', text: 'Good' },
    usage(10, 1, 11),
    { type: 'text', text: ' morning' },
    usage(10, 2, 12),
    { type: 'text', text: ', "you" \u00e9\n' },
    { type: 'finish', reason: 'stop', raw: 'STOP' },
    usage(10, 6, 16),
  ],
  tools: [
    start('gemini-3-pro-preview'),
    { type: 'reasoning', text: '', signature: 'EpwCCpkC' },
    { type: 'tool-call', index: 0, name: 'get_weather', arguments: '{"location":"Oslo","days":2}' },
    { type: 'tool-call', index: 1, id: 'call-7', name: 'now', arguments: '{}' },
    usage(72, 71, 143, { reasoningTokens: 53 }),
    { type: 'finish', reason: 'tool_calls', raw: 'STOP' },
    usage(72, 71, 143, { reasoningTokens: 53 }),
  ],
  thinking: [
    start('gemini-2.5-pro'),
    { type: 'reasoning', text: '**First**' },
    usage(25, 50, 75, { cachedInputTokens: 20, reasoningTokens: 50 }),
    { type: 'reasoning', text: ' this.' },
    usage(25, 70, 95, { cachedInputTokens: 20, reasoningTokens: 70 }),
    { type: 'text', text: '42' },
    usage(25, 71, 96, { cachedInputTokens: 20, reasoningTokens: 70 }),
    { type: 'reasoning', text: '', signature: 'EqQBCgIYAg==' },
    { type: 'finish', reason: 'stop', raw: 'STOP' },
    usage(25, 71, 96, { cachedInputTokens: 20, reasoningTokens: 70 }),
  ],
  image: [
    start('gemini-2.5-flash-image'),
    { type: 'text', text: 'Here:' },
    { type: 'media' },
    usage(5, 1290, 1295),
    { type: 'finish', reason: 'stop', raw: 'STOP' },
    usage(5, 1290, 1295),
  ],
  safety: [
    start('gemini-2.5-flash'),
    { type: 'text', text: 'I can' },
    usage(8, undefined, 8),
    { type: 'finish', reason: 'content_filter', raw: 'SAFETY' },
    usage(8, undefined, 8),
  ],
}

for (const [name, parts] of Object.entries(RECORDINGS)) {
  t.test(`${name}: the same parts and bytes however it is cut`, async (t) => {
    const stream = recording(`${name}.sse`)
    t.strictSame(decoded(stream).parts, parts)
    t.strictSame(decoded(stream, { forward: 'bytes', look: false }).parts, parts)
    const passed = Buffer.from(stream).toString('latin1')
    for (const line of ['\n', '\r\n', '\r']) {
      for (const reads of cuttings(stream.replaceAll('\n', line))) {
        t.strictSame(replay(reads, { codec: gemini, forward: 'parts' }).parts, parts)
        const { bytes } = replay(reads, { codec: gemini })
        t.equal(line === '\r' ? bytes.replace(/\r\n?/g, '\n') : bytes, line === '\r' ? passed : passed.replaceAll('\n', line))
      }
    }
  })
}

t.test('an event that differs in its text only is passed on unread, and nothing else changes', async (t) => {
  const stream = [answer([{ text: 'a' }]), answer([{ text: 'b' }]), answer([{ text: 'c' }]), answer([{ text: 'd' }], { finishReason: 'STOP' })].join('')
  const looked = decoded(stream, { forward: 'bytes' })
  const unlooked = decoded(stream, { forward: 'bytes', look: false })
  t.strictSame(looked.parts.map((part) => part.type), ['start', 'text', 'text', 'text', 'finish'])
  t.strictSame([looked.bytes, looked.events], [unlooked.bytes, unlooked.events])
})

t.test('an error that is written into the stream without a name ends it, however it is cut', async (t) => {
  for (const reads of cuttings(recording('overloaded.sse'))) {
    const { parts, bytes } = replay(reads, { codec: gemini })
    t.match(parts.at(-1), { type: 'error', failure: { kind: 'overloaded', status: 503, code: 'UNAVAILABLE' } })
    t.notMatch(bytes, 'error')
  }
})

t.test('a stream as a JSON array is one answer, and is passed on as events', async (t) => {
  for (const reads of cuttings(recording('array.json'))) {
    const { parts, bytes } = replay(reads, { codec: gemini })
    t.strictSame(parts.map((part) => part.type), ['start', 'text', 'usage', 'text', 'finish', 'usage', 'end'])
    t.strictSame(decoded(bytes).parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''), 'Good morning')
  }
  t.match(decoded(recording('array.json').slice(0, -40)).parts, [{ type: 'error', failure: { kind: 'malformed' } }])
  t.match(decoded('[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x"}}]').parts, [
    { type: 'error', failure: { kind: 'rate_limit', status: 429 } },
  ])
})

t.test('a prompt that is blocked is a failure, and no output', async (t) => {
  t.match(decoded(recording('blocked.sse')).parts, [{ type: 'error', failure: { kind: 'content_filter', code: 'PROHIBITED_CONTENT' } }])
  t.match(decoded(event({ promptFeedback: { blockReason: 'OTHER' } })).parts, [{ type: 'error', failure: { kind: 'content_filter', code: 'OTHER' } }])
  t.match(decoded(event({ promptFeedback: { safetyRatings: [] }, candidates: [] })).parts, [])
})

t.test('each finish reason is one of ours', async (t) => {
  const table: readonly (readonly [raw: string, reason: string])[] = [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['LANGUAGE', 'unknown'],
    ['OTHER', 'unknown'],
    ['NEW_WORD', 'unknown'],
  ]
  for (const [raw, reason] of table) {
    t.strictSame(decoded(answer([], { finishReason: raw })).parts, [{ type: 'start', id: 'r' }, { type: 'finish', reason, raw }])
  }
  for (const raw of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE']) {
    const { parts } = decoded(answer([{ text: 'x' }], { finishReason: raw, finishMessage: 'Malformed function call' }))
    t.match(parts, [{ type: 'error', failure: { kind: 'server_error', code: raw } }], 'nothing of it is output')
    t.equal(parts.length, 1)
  }
  t.strictSame(decoded(answer([{ text: 'x' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' })).parts.length, 2)
})

t.test('an error inside a stream is one, whatever its shape', async (t) => {
  const of = (value: unknown) => decoded(answer([{ text: 'x' }]) + event(value)).parts.at(-1)
  t.match(of({ error: { code: 500, message: 'x', status: 'INTERNAL' } }), { type: 'error', failure: { kind: 'server_error', status: 500, code: 'INTERNAL' } })
  t.match(of([{ error: { code: '429', message: 'x' } }]), { type: 'error', failure: { kind: 'rate_limit', status: 429 } })
  t.match(of({ error: 'boom' }), { type: 'error', failure: { kind: 'server_error' } })
  t.match(of({ code: 503, message: 'x', status: 'UNAVAILABLE' }), { type: 'error', failure: { status: 503 } })
})

t.test('what is no answer is left out and counted, unless it may have held output', async (t) => {
  const { parts, skipped } = decoded(event('null') + event({ hello: 1 }) + event('{"usageMeta') + answer([{ text: 'x' }]))
  t.strictSame(parts, [{ type: 'start', id: 'r' }, { type: 'text', text: 'x' }])
  t.equal(skipped, 3)
  t.match(decoded(event('{"candidates":[{"content":{"parts":[{"text":"Go')).parts, [{ type: 'error', failure: { kind: 'malformed' } }])
})

t.test('several candidates are several choices, each with its own calls', async (t) => {
  const candidates = [
    { content: { parts: [{ functionCall: { name: 'a' } }] }, finishReason: 'STOP', index: 0 },
    { content: { parts: [{ text: 'x' }, { functionCall: { name: 'b', args: { c: 1 } } }] }, index: 1 },
  ]
  t.strictSame(decoded(event({ candidates })).parts, [
    { type: 'start' },
    { type: 'tool-call', index: 0, name: 'a', arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', raw: 'STOP' },
    { type: 'text', text: 'x', choice: 1 },
    { type: 'tool-call', index: 0, name: 'b', arguments: '{"c":1}', choice: 1 },
  ])
})

t.test('output of a kind that the neutral form does not know is counted as output', async (t) => {
  for (const part of [{ executableCode: { code: '1' } }, { codeExecutionResult: { output: '1' } }, { fileData: { fileUri: 'x' } }, { new_kind: {} }]) {
    t.strictSame(decoded(answer([part])).parts, [{ type: 'start', id: 'r' }, { type: 'media' }])
  }
  t.strictSame(decoded(answer([{ text: '' }, {}])).parts, [{ type: 'start', id: 'r' }])
})
