import { deepStrictEqual } from 'node:assert/strict'
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import t from 'tap'
import { createEventReader, readEvents, type ServerSentEvent } from '@understudy/sse'
import { cutAt } from './replay.js'

const utf8 = (text: string) => Buffer.from(text, 'utf8')

t.test('gives the events of each read, and the last one at the end', async (t) => {
  const reader = createEventReader()
  const reads = [': hi\n\nid: 1\nda', 'ta: a\n\ndata: b\n\nevent: c\n', '', 'data: {}']
  t.strictSame(
    reads.map((read) => reader.push(utf8(read))),
    [[], [{ data: 'a', id: '1' }, { data: 'b' }], [], []],
  )
  t.strictSame(reader.end(), [{ event: 'c', data: '{}' }])
  t.strictSame(reader.end(), [])
})

t.test('reads a whole source in order', async (t) => {
  async function* source() {
    yield utf8('data: a\n\nda')
    yield utf8('ta: b\n\ndata: [DONE]')
  }
  const events: ServerSentEvent[] = []
  for await (const event of readEvents(source())) events.push(event)
  t.strictSame(events, [{ data: 'a' }, { data: 'b' }, { data: '[DONE]' }])
})

t.test('closes its source when the consumer stops, and when a frame is too large', async (t) => {
  const log: string[] = []
  async function* source() {
    try {
      yield utf8('data: a\n\ndata: b\n\n')
      log.push('read on')
      yield utf8('data: cccccccccccc')
    } finally {
      log.push('closed')
    }
  }
  for await (const event of readEvents(source())) {
    log.push(event.data)
    break
  }
  t.strictSame(log, ['a', 'closed'])

  log.length = 0
  await t.rejects(async () => {
    for await (const event of readEvents(source(), { maxFrameBytes: 10 })) log.push(event.data)
  }, { code: 'ERR_SSE_FRAME_TOO_LARGE' })
  t.strictSame(log, ['a', 'b', 'read on', 'closed'])
})

function referenceEvents(text: string): ServerSentEvent[] {
  const events: ServerSentEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data, id }) =>
      events.push({ ...(event === undefined ? {} : { event }), data, ...(id === undefined ? {} : { id }) }),
  })
  // The decoded text has lost its BOM; the parser would take U+00EF U+00BB U+00BF for another one.
  parser.feed('')
  // And it would lose the line behind a mark that comes later, as the standard has it.
  parser.feed(text.replace(/(?<=^|[\r\n])\ufeff+(?=[^\r\n])/g, ''))
  // It waits for the LF that may follow a CR; at the end none does.
  if (text.endsWith('\r')) parser.feed('\n')
  return events
}

t.test('agrees with eventsource-parser on any text, however it is cut', async () => {
  const fragment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n', 'data: ', 'data:', 'event: ', 'id: ', ':') },
    { weight: 1, arbitrary: fc.constantFrom('\ufeff', '\0', ' ', 'retry: 1', 'datax', '\u2028', '\u00ef\u00bb\u00bf') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  )
  const text = fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(150), { maxLength: 20 }), (stream, offsets) => {
      const bytes = utf8(stream)
      const reader = createEventReader()
      const events = cutAt(bytes, offsets).flatMap((piece) => reader.push(piece))
      deepStrictEqual(events, referenceEvents(new TextDecoder().decode(bytes)))
    }),
    { numRuns: 3000 },
  )
})

t.test('agrees with eventsource-parser on any bytes, what is no UTF-8 included', async () => {
  const special = fc.constantFrom(...utf8('::data: id: event: \n\n\r\r'), 0xef, 0xbb, 0xbf, 0xc3, 0xe2, 0xf0, 0x80)
  const stream = fc.array(fc.oneof(special, fc.constantFrom(10, 13), fc.nat(255)), { maxLength: 80 })
  fc.assert(
    fc.property(stream, fc.array(fc.nat(80), { maxLength: 10 }), (head, offsets) => {
      const bytes = Buffer.concat([utf8('data: '), Uint8Array.from(head), utf8('\n\n')])
      const reader = createEventReader()
      const events = cutAt(bytes, offsets).flatMap((piece) => reader.push(piece))
      deepStrictEqual(events, referenceEvents(new TextDecoder().decode(bytes)))
    }),
    { numRuns: 3000 },
  )
})
