import { openai } from '@understudy/dialects'
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
const streams = fc.record({
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
