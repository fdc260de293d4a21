import type { Part } from '@understudy/core'
import { anthropic, gemini, openai, responses } from '@understudy/dialects'
import fc from 'fast-check'
import t from 'tap'
import { chunk, DONE, event, replay, type ReplayOptions } from './replay.js'

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('', '"', '\\', '\n', ',"finish_reason":"stop"', 'x'.repeat(90)))

/** Mostly events that are like each other, between all that may stand beside them in a stream. */
const piece = fc.oneof(
  { arbitrary: text.map((content) => chunk({ content })), weight: 12 },
  { arbitrary: text.map((content) => chunk({ content }).replaceAll('\n', '\r\n')), weight: 2 },
  { arbitrary: text.map((content) => chunk({ content }).replaceAll('\n', '\r')), weight: 2 },
  { arbitrary: fc.constantFrom(
    'data: {no JSON\n\n', 'data: {no JSON\n\n', 'data: {no JSON\n\n', ': a comment\n\n', '\n', '\r', '\r\n', '\ufeff', 'data: {"content": junk}\n\n', 'data: {"unknown":true}\n\n', 'event: ping\n\n',
    chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), event({ error: { message: 'over', type: 'server_error' } }), DONE,
  ), weight: 4 },
)

/** A stream, and where its reads end: often where events do, as they come from a provider. */
const streamsOf = (piece: fc.Arbitrary<string>) => fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 30 }),
  isCutBetween: fc.infiniteStream(fc.boolean()),
  cuts: fc.array(fc.nat(4000), { maxLength: 4 }),
}).map(({ pieces, isCutBetween, cuts }) => {
  const bytes = Buffer.from(pieces.join(''))
  let length = 0
  const ends = pieces.map((part) => (length += Buffer.byteLength(part))).filter(() => isCutBetween.next().value === true)
  const places = [...new Set([...ends, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((one, other) => one - other)
  return places.map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
})

const streams = streamsOf(piece)

/** What a client can tell: with the look, plain events give no part. */
function heard(reads: readonly Uint8Array[], options: ReplayOptions) {
  const { parts, ...rest } = replay(reads, options)
  return { ...rest, parts: parts.filter(({ type }) => type !== 'text') }
}

/** A decoder that has learnt what plain events look like. */
function atPlainText() {
  const decoder = openai.createStreamDecoder({ forward: 'bytes' })
  for (const content of ['first', 'second']) decoder.push(Buffer.from(chunk({ content })))
  return decoder
}

t.test('reads of plain events that are not taken apart say what they say when each event is parsed', async (t) => {
  const limits = fc.constantFrom(undefined, 200)
  const check = fc.property(streams, fc.boolean(), limits, (reads, committed, maxFrameBytes) => {
    t.strictSame(heard(reads, { committed, maxFrameBytes }), heard(reads, { committed, maxFrameBytes, look: false }))
    return t.passing()
  })
  fc.assert(check, { numRuns: 3000 })
})

const named = (type: string, members: object) => `event: ${type}\n${event({ type, ...members })}`
const few = fc.constantFrom('a', 'a', 'b', '', '"', 'a'.repeat(60))

const openaiPiece = fc.oneof(
  few.map((content) => chunk({ content })),
  few.map((reasoning) => chunk({ reasoning })),
  fc.tuple(few, few).map(([content, obfuscation]) => chunk({ content }, null, { obfuscation })),
  fc.tuple(few, few).map(([content, reasoning]) => chunk({ content, reasoning })),
  fc.tuple(few, few).map(([reasoning_content, reasoning]) => chunk({ reasoning_content, reasoning })),
  fc.tuple(few, few).map(([text, obfuscation]) => chunk({ content: [{ type: 'text', text }] }, null, { obfuscation })),
  fc.tuple(few, few).map(([text, content]) => chunk({ reasoning_details: [{ text, content }] })),
  few.map((content) => event({ choices: [{ index: 1, delta: { content } }] })),
  fc.constantFrom(chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), event({ choices: [], usage: { prompt_tokens: 1 } })),
)

const delta = (index: number, members: object) => named('content_block_delta', { index, delta: members })
const anthropicPiece = fc.oneof(
  { arbitrary: few.map((text) => delta(0, { type: 'text_delta', text })), weight: 6 },
  { arbitrary: few.map((text) => delta(1, { type: 'text_delta', text })), weight: 2 },
  { arbitrary: fc.tuple(few, few).map(([thinking, text]) => delta(0, { type: 'thinking_delta', thinking, text })), weight: 2 },
  { arbitrary: fc.constantFrom(
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('content_block_start', { index: 1, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } }),
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
    named('ping', {}),
  ), weight: 3 },
)

const candidate = (parts: readonly object[], members: object = {}) => event({ candidates: [{ content: { parts }, ...members }] })
const geminiPiece = fc.oneof(
  { arbitrary: few.map((text) => candidate([{ text }])), weight: 4 },
  few.map((text) => candidate([{ text, thought: true }])),
  fc.tuple(few, few).map(([text, other]) => candidate([{ text }, { text: other }])),
  fc.tuple(few, few).map(([text, other]) => candidate([{ text }], { groundingMetadata: { text: other } })),
  few.map((text) => candidate([{ text }], { finishReason: 'STOP' })),
)

const ofItem = (kind: string, members: object) => event({ type: `response.${kind}`, item_id: 'i', output_index: 0, ...members })
const responsesPiece = fc.oneof(
  { arbitrary: fc.tuple(few, fc.nat(99)).map(([delta, sequence_number]) => ofItem('output_text.delta', { content_index: 0, delta, sequence_number })), weight: 4 },
  fc.tuple(few, few).map(([delta, obfuscation]) => ofItem('output_text.delta', { content_index: 0, delta, obfuscation })),
  fc.tuple(few, fc.nat(1)).map(([delta, summary_index]) => ofItem('reasoning_summary_text.delta', { summary_index, delta })),
  few.map((delta) => ofItem('refusal.delta', { content_index: 0, delta })),
  fc.constantFrom(ofItem('output_item.added', { item: { id: 'i', type: 'message', role: 'assistant', content: [] } }), event({ type: 'keepalive' })),
)

/** Neighbours of a kind as one: how a text is cut is no part of what it says. */
function joined(parts: readonly Part[]): readonly Part[] {
  const whole: Part[] = []
  for (const part of parts) {
    const last = whole.at(-1)
    if ((part.type === 'text' || part.type === 'reasoning') && part.type === last?.type && 'text' in last) {
      whole.splice(-1, 1, { ...last, text: `${last.text}${part.text}` })
    } else {
      whole.push(part)
    }
  }
  return whole
}

for (const [codec, piece] of [[openai, openaiPiece], [anthropic, anthropicPiece], [gemini, geminiPiece], [responses, responsesPiece]] as const) {
  t.test(`whatever stands between and beside plain events, they say what they say when each is parsed: ${codec.name}`, async (t) => {
    const check = fc.property(streamsOf(piece), fc.boolean(), fc.constantFrom('bytes', 'parts'), (reads, committed, forward) => {
      const [quick, slow] = [true, false].map((look) => {
        const { parts, ...rest } = replay(reads, { codec, committed, forward, look })
        return { ...rest, parts: forward === 'parts' ? joined(parts) : parts.filter(({ type }) => type !== 'text' && type !== 'reasoning') }
      })
      t.strictSame(quick, slow)
      return t.passing()
    })
    fc.assert(check, { numRuns: 2000 })
  })
}

t.test('a read of whole plain events is passed on as it is, and nothing in it is parsed or cut', async (t) => {
  const decoder = atPlainText()
  const parse = t.capture(JSON, 'parse', JSON.parse)
  const read = Buffer.from([chunk({ content: 'one' }), chunk({ content: 'two' })].join(''))
  t.match(decoder.push(read), { parts: { length: 0 }, bytes: read, events: 2 })
  t.equal(decoder.push(read)?.bytes, read)
  t.match(parse(), [])
})

t.test('plain events before something else in a read are passed on with it, without a copy', async (t) => {
  const decoder = atPlainText()
  const plain = chunk({ content: 'one' })
  const read = Buffer.from(`${plain}${chunk({}, 'stop')}${plain.slice(0, 20)}`)
  const arrival = decoder.push(read)
  t.match(arrival, { parts: [{ type: 'finish', reason: 'stop' }], events: 2 })
  t.equal(arrival?.bytes?.buffer, read.buffer)
  t.equal(Buffer.from(arrival?.bytes ?? []).toString(), read.subarray(0, -20).toString())
  t.match(decoder.push(Buffer.from(plain.slice(20))), { events: 1, bytes: Buffer.from(plain) })
})

t.test('malformed events with a read of plain ones between them are not in a row', async (t) => {
  const decoder = atPlainText()
  const malformed = Buffer.from('data: {no JSON\n\n')
  for (const read of [malformed, malformed, Buffer.from(chunk({ content: 'one' })), malformed, malformed]) {
    t.notMatch(decoder.push(read), { parts: [{ type: 'error' }] })
  }
  t.match(decoder.push(malformed), { parts: [{ type: 'error' }] })
})

t.test('what looks like a plain event in the middle of a frame is none', async (t) => {
  const decoder = atPlainText()
  t.equal(decoder.push(Buffer.from(': a comment that goes on with ')), undefined)
  t.equal(decoder.push(Buffer.from(chunk({ content: 'not said' }))), undefined)
  t.match(decoder.push(Buffer.from(chunk({ content: 'said' }))), { events: 1 })
})
