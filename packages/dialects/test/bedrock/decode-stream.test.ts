import t from 'tap'
import type { Part } from '@understudy/core'
import { bedrock } from '@understudy/dialects'
import { recorded } from '../../../../test/kit/recorded.js'
import { cuttings, replay } from '../replay.js'

function recording(name: string): string {
  return recorded(`bedrock/${name}.sse`)
}

function decoded(stream: string) {
  return replay([Buffer.from(stream)], { codec: bedrock, forward: 'parts' })
}

function event(name: string, members: Readonly<Record<string, unknown>> = {}): string {
  return `event: ${name}\ndata: ${JSON.stringify(members)}\n\n`
}

const START = event('messageStart', { role: 'assistant' })
const delta = (contentBlockIndex: number, value: unknown) => event('contentBlockDelta', { contentBlockIndex, delta: value })
const call = (contentBlockIndex: number) => event('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: 'a', name: 'f' } } })
const piece = (contentBlockIndex: number, input: string) => delta(contentBlockIndex, { toolUse: { input } })
const stop = (contentBlockIndex: number) => event('contentBlockStop', { contentBlockIndex })
const end = (stopReason: string) => event('messageStop', { stopReason })
const COUNTS = event('metadata', { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, metrics: { latencyMs: 1 } })

const RECORDINGS: Readonly<Record<string, readonly Part[]>> = {
  text: [
    { type: 'start' },
    { type: 'text', text: 'Good' },
    { type: 'text', text: ' morning' },
    { type: 'text', text: ', "you" \u00e9\u{1f600}\n' },
    { type: 'finish', reason: 'stop', raw: 'end_turn' },
    { type: 'usage', usage: { inputTokens: 25, outputTokens: 15, totalTokens: 40 } },
    { type: 'end' },
  ],
  tools: [
    { type: 'start' },
    { type: 'text', text: 'I look' },
    { type: 'text', text: ' it up.' },
    { type: 'tool-call', index: 0, id: 'tooluse_1', name: 'get_weather', arguments: '' },
    { type: 'tool-call', index: 0, arguments: '{"location":' },
    { type: 'tool-call', index: 0, arguments: ' "Oslo"}' },
    { type: 'tool-call', index: 1, id: 'tooluse_2', name: 'now', arguments: '' },
    { type: 'tool-call', index: 1, arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
    { type: 'usage', usage: { inputTokens: 502, outputTokens: 89, totalTokens: 591, cachedInputTokens: 20, cacheWriteTokens: 10 } },
    { type: 'end' },
  ],
  thinking: [
    { type: 'start' },
    { type: 'reasoning', text: 'First' },
    { type: 'reasoning', text: ' this, then that.' },
    { type: 'reasoning', text: '', signature: 'EqQBCgIYAg==' },
    { type: 'reasoning', text: '', redacted: 'EmwKAhgB' },
    { type: 'text', text: '42' },
    { type: 'finish', reason: 'stop', raw: 'stop_sequence', stopSequence: 'END' },
    { type: 'usage', usage: { inputTokens: 25, outputTokens: 40, totalTokens: 65 } },
    { type: 'end' },
  ],
  guardrail: [
    { type: 'start' },
    { type: 'text', text: 'Sorry, the model cannot answer this question.' },
    { type: 'finish', reason: 'content_filter', raw: 'guardrail_intervened' },
    { type: 'usage', usage: { inputTokens: 8, outputTokens: 0, totalTokens: 8 } },
    { type: 'end' },
  ],
}

for (const [name, parts] of Object.entries(RECORDINGS)) {
  t.test(`the recording ${name} gives the same parts, however it is cut`, async (t) => {
    for (const reads of cuttings(recording(name))) t.strictSame(replay(reads, { codec: bedrock, forward: 'parts' }).parts, parts)
  })
}

t.test('an exception ends the stream with its kind and the status that it stands for', async (t) => {
  t.match(decoded(recording('throttled')).parts, [
    { type: 'start' },
    { type: 'text', text: 'Half' },
    {
      type: 'error',
      failure: { kind: 'rate_limit', status: 429, code: 'throttlingException', providerMessage: 'Too many tokens, please wait before trying again.' },
    },
  ])
  const kindOf = (type: string, status: number, message = 'x') => {
    const last = decoded(START + event('error', { type: 'error', error: { type, message, status } })).parts.at(-1)
    return last?.type === 'error' ? [last.failure.kind, last.failure.status] : last?.type
  }
  t.strictSame(kindOf('validationException', 400), ['invalid_request', 400])
  t.strictSame(kindOf('validationException', 400, 'Input is too long for requested model.'), ['context_length', 400])
  t.strictSame(kindOf('modelStreamErrorException', 424), ['server_error', 424])
  t.strictSame(kindOf('internalServerException', 500), ['server_error', 500])
  t.strictSame(kindOf('serviceUnavailableException', 503), ['server_error', 503])
  t.strictSame(kindOf('modelTimeoutException', 408), ['timeout', 408])
  t.match(decoded('event: error\ndata: no JSON\n\n').parts, [{ type: 'error', failure: { kind: 'server_error' } }])
})

t.test('the counts end a stream that has finished, and nothing follows them', async (t) => {
  const whole = START + delta(0, { text: 'x' }) + stop(0) + end('max_tokens') + COUNTS
  t.strictSame(decoded(whole + delta(0, { text: 'late' })).parts.slice(-3), [
    { type: 'finish', reason: 'length', raw: 'max_tokens' },
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } },
    { type: 'end' },
  ])
  t.equal(decoded(whole.replace(COUNTS, '')).parts.at(-1)?.type, 'finish', 'without them it is whole where its source ends')
  t.equal(decoded(START + COUNTS).parts.at(-1)?.type, 'usage', 'counts alone end nothing')
})

t.test('what stands in a thought\'s place is one thing, in however many pieces it comes, and is told by the finish at the latest', async (t) => {
  const hidden = (contentBlockIndex: number, text: string) => delta(contentBlockIndex, { reasoningContent: { redactedContent: Buffer.from(text).toString('base64') } })
  const told = (stream: string) => decoded(stream).parts.filter(({ type }) => type === 'reasoning' || type === 'text')
  const first = { type: 'reasoning', text: '', redacted: 'EmwKAhgB' } as const
  t.strictSame(told(START + hidden(0, 'EmwK') + hidden(0, 'AhgB') + stop(0) + hidden(1, 'x') + stop(1) + delta(2, { text: 'y' })), [
    first, { type: 'reasoning', text: '', redacted: 'x' }, { type: 'text', text: 'y' },
  ])
  t.strictSame(told(START + hidden(0, 'EmwKA') + hidden(0, 'hgB') + end('end_turn')), [first])
})

t.test('a model that fails at its own output is a failure of the server', async (t) => {
  for (const reason of ['malformed_model_output', 'malformed_tool_use']) {
    t.match(decoded(START + delta(0, { text: 'x' }) + end(reason) + COUNTS).parts.at(-1), {
      type: 'error', failure: { kind: 'server_error', code: reason },
    })
  }
  t.match(decoded(START + end('something_new')).parts.at(-1), { type: 'finish', reason: 'unknown', raw: 'something_new' })
})

t.test('an order of events in which output would be lost or doubled is malformed', async (t) => {
  const wrong = {
    'a second message': START + delta(0, { text: 'x' }) + START,
    'a piece of a call without its start': START + piece(0, '{}'),
    'text behind the finish': START + end('end_turn') + delta(0, { text: 'x' }),
    'a block behind the finish': START + end('end_turn') + call(1),
    'a call that was cut off': START + call(0) + piece(0, '{"a"') + end('tool_use'),
  }
  for (const [name, stream] of Object.entries(wrong)) {
    t.match(decoded(stream).parts.at(-1), { type: 'error', failure: { kind: 'malformed', code: 'event_order' } }, name)
  }
  t.equal(decoded(START + call(0) + piece(0, '{"a"') + end('max_tokens')).parts.at(-1)?.type, 'finish', 'where there was no more room it may be cut')
  t.strictSame(decoded(START + call(0) + end('tool_use')).parts.at(-2), { type: 'tool-call', index: 0, arguments: '{}' })
})

t.test('what is not known says nothing, what cannot be read is counted, and output of another kind is told', async (t) => {
  t.strictSame(decoded(event('newThing', { a: 1 }) + delta(0, { newDelta: {} })), { parts: [], bytes: '', events: 2, skipped: 0 })
  t.strictSame(decoded('data: {}\n\n'), { parts: [], bytes: '', events: 1, skipped: 1 }, 'an event without a name is none')
  t.strictSame(decoded('event: contentBlockStop\ndata: {"content\n\n').skipped, 1)
  t.match(decoded('event: contentBlockDelta\ndata: {"delta":{"text":"x\n\n').parts, [{ type: 'error', failure: { kind: 'malformed' } }])
  t.strictSame(decoded(event('contentBlockStart', { contentBlockIndex: 0, start: { image: { format: 'png' } } })).parts, [{ type: 'media' }])
  t.match(decoded('data: {"message":"broken"}\n\n').parts, [{ type: 'error', failure: { kind: 'server_error' } }], 'a bare error')
  t.strictSame(decoded(event('whatever', { message: 'hello' })).parts, [], 'a message of an event that is not known is none')
})

t.test('a document where a stream was promised is the answer', async (t) => {
  const document = JSON.stringify({ output: { message: { role: 'assistant', content: [{ text: 'hi' }] } }, stopReason: 'end_turn' })
  t.strictSame(decoded(document).parts.map(({ type }) => type), ['start', 'text', 'finish', 'end'])
})
