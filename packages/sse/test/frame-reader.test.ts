import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { createFrameReader, isFrameTooLargeError } from '@understudy/sse'
import { byteByByte, cutAt, replay, split } from './replay.js'

const utf8 = (text: string) => Buffer.from(text, 'utf8')
const latin1 = (text: string) => utf8(text).toString('latin1')

const streams: { name: string; stream: string; frames: string[]; data: string[] }[] = [
  { name: 'LF', stream: 'data: a\n\ndata: b\n\n', frames: ['data: a\n\n', 'data: b\n\n'], data: ['a', 'b'] },
  {
    name: 'CRLF',
    stream: 'data: a\r\n\r\ndata: b\r\n\r\n',
    frames: ['data: a\r\n\r\n', 'data: b\r\n\r\n'],
    data: ['a', 'b'],
  },
  {
    name: 'bare CR, made whole for clients that wait for a LF',
    stream: 'data: a\r\rdata: b\r\r',
    frames: ['data: a\r\r\n', 'data: b\r\r\n'],
    data: ['a', 'b'],
  },
  {
    name: 'mixed line ends',
    stream: 'data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\rdata: e\r\n\rdata: f\n\n',
    frames: [
      'data: a\r\n\n',
      'data: b\n\r\n',
      'data: c\r\r\n',
      'data: d\n\r\n',
      'data: e\r\n\r\n',
      'data: f\n\n',
    ],
    data: ['a', 'b', 'c', 'd', 'e', 'f'],
  },
  { name: 'a BOM at the start', stream: '\ufeffdata: a\n\n', frames: ['data: a\n\n'], data: ['a'] },
  {
    name: 'a BOM at the start of a later line, and one in its text',
    stream: 'data: \ufeffa\n\n\ufeffdata: b\r\n\ufeff\ufeffdata: c\r\n\r\ndata: d\n\n',
    frames: ['data: \ufeffa\n\n', 'data: b\r\ndata: c\r\n\r\n', 'data: d\n\n'],
    data: ['\ufeffa', 'b\nc', 'd'],
  },
  { name: 'a second BOM', stream: '\ufeff\ufeffdata: a\n\n', frames: ['data: a\n\n'], data: ['a'] },
  { name: 'a BOM in the event that has no blank line', stream: 'data: a\n\n\ufeffdata: {}', frames: ['data: a\n\n', 'data: {}\n\n'], data: ['a', '{}'] },
  { name: 'a BOM that is a line', stream: 'data: a\n\ufeff\ndata: b\n\n', frames: ['data: a\n\ufeff\ndata: b\n\n'], data: ['a\nb'] },
  { name: 'half a BOM', stream: 'data: \u00ef\n\n', frames: ['data: \u00ef\n\n'], data: ['\u00ef'] },
  {
    name: 'text of one to four bytes a character',
    stream: 'data: a\u00e9\u20ac\u{1f600}\n\n',
    frames: ['data: a\u00e9\u20ac\u{1f600}\n\n'],
    data: ['a\u00e9\u20ac\u{1f600}'],
  },
  {
    name: 'U+2028, U+2029 and U+0085 inside data',
    stream: 'data: a\u2028b\u2029c\u0085d\n\n',
    frames: ['data: a\u2028b\u2029c\u0085d\n\n'],
    data: ['a\u2028b\u2029c\u0085d'],
  },
  {
    name: 'data of several lines',
    stream: 'data: a\ndata:\ndata: b\n\ndata: c\rdata: d\r\ndata: e\n\n',
    frames: ['data: a\ndata:\ndata: b\n\n', 'data: c\rdata: d\r\ndata: e\n\n'],
    data: ['a\n\nb', 'c\nd\ne'],
  },
  {
    name: 'comment lines by themselves and between fields',
    stream: ':\n\n: ping\n\nid: 1\n:\n: x\ndata: a\n\n',
    frames: [':\n\n', ': ping\n\n', 'id: 1\n:\n: x\ndata: a\n\n'],
    data: ['a'],
  },
  {
    name: 'blank lines before and between events',
    stream: '\n\r\n\rdata: a\n\n\n\ndata: b\r\n\r\n\r\n\r\rdata: c\r\r\r\n\n',
    frames: ['data: a\n\n', 'data: b\r\n\r\n', 'data: c\r\r\n'],
    data: ['a', 'b', 'c'],
  },
  { name: 'blank lines only', stream: '\n\r\r\n\n\r', frames: [], data: [] },
  { name: 'nothing', stream: '', frames: [], data: [] },
  { name: 'a BOM only', stream: '\ufeff', frames: [], data: [] },
  { name: 'a last event that was cut', stream: 'data: a\n\ndata: {"b":', frames: ['data: a\n\n'], data: ['a'] },
  { name: 'a last event of plain text', stream: 'data: a', frames: [], data: [] },
  { name: 'a last number, which may be cut', stream: 'data: 12', frames: [], data: [] },
  { name: 'a last event without data', stream: 'event: a\n: b', frames: [], data: [] },
  { name: 'a last [DONE]', stream: 'data: [DONE]', frames: ['data: [DONE]\n\n'], data: ['[DONE]'] },
  { name: 'a last [DONE] in its line', stream: 'data: [DONE]\n', frames: ['data: [DONE]\n\n'], data: ['[DONE]'] },
  { name: 'a last [DONE], CRLF', stream: 'data: [DONE]\r\n', frames: ['data: [DONE]\r\n\n'], data: ['[DONE]'] },
  { name: 'a last [DONE], CR', stream: 'data: [DONE]\r', frames: ['data: [DONE]\r\n\n'], data: ['[DONE]'] },
  {
    name: 'a last event of whole JSON',
    stream: 'data: a\n\nevent: x\ndata: {"b":"\u00e9"}',
    frames: ['data: a\n\n', 'event: x\ndata: {"b":"\u00e9"}\n\n'],
    data: ['a', '{"b":"\u00e9"}'],
  },
]

t.test('gives the same frames and events whole, byte by byte and cut anywhere', async (t) => {
  for (const { name, stream, frames, data } of streams) {
    const bytes = utf8(stream)
    const reads = { 'whole': [bytes], 'byte by byte': byteByByte(bytes) }
    for (const [how, pieces] of Object.entries(reads)) {
      const replayed = replay(pieces)
      t.strictSame(replayed.frames, frames.map(latin1), `frames: ${name}, ${how}`)
      t.strictSame(replayed.events.map((event) => event.data), data, `data: ${name}, ${how}`)
    }
    for (let offset = 0; offset <= bytes.length; offset++) {
      const replayed = replay(cutAt(bytes, [offset]))
      if (replayed.frames.join('|') !== frames.map(latin1).join('|')) t.fail(`${name}, cut at ${offset}`)
    }
  }
})

t.test('completes a frame at the second CR, and takes a later LF as the rest of that line end', async (t) => {
  const reader = createFrameReader()
  const reads = ['data: a\r', '\r', '\n', 'data: b\r\n\r', '\ndata: c\r', '\ndata: d\r', 'data: e\r\r']
  const frames = reads.map((read) => split(reader.push(utf8(read))))
  t.strictSame(frames, [
    [], ['data: a\r\r\n'], [], ['data: b\r\n\r\n'], [], [], ['data: c\r\ndata: d\rdata: e\r\r\n'],
  ])
  t.equal(reader.bufferedBytes, 0)
})

t.test('holds back no more than the frame that has not ended', async (t) => {
  const reader = createFrameReader()
  const held = ['\u00ef', '\n\n\n', 'data: a', '\n\ndat', 'a: b\n', '\n', '\r\r\r'].map((read) => {
    reader.push(Buffer.from(read, 'latin1'))
    return reader.bufferedBytes
  })
  t.strictSame(held, [1, 0, 7, 3, 8, 0, 0])
})

t.test('passes on the memory of the read where it holds whole frames', async (t) => {
  const read = utf8('data: a\n\ndata: b\r\n\r\n')
  const reader = createFrameReader()
  t.equal(reader.push(read)?.bytes, read)

  const withRest = utf8('data: a\n\ndata: b')
  t.equal(reader.push(withRest)?.bytes.buffer, withRest.buffer)
  withRest.fill(0)
  t.strictSame(split(reader.push(utf8('\n\n'))), ['data: b\n\n'], 'what is held back is a copy')
})

t.test('gives a plain Uint8Array the same treatment as a Buffer', async (t) => {
  const shifted = new Uint8Array([120, ...utf8('data: a\n\n')]).subarray(1)
  t.strictSame(split(createFrameReader().push(shifted)), ['data: a\n\n'])
})

t.test('throws once a frame passes the bound, the same however it is cut, and from then on', async (t) => {
  const bytes = utf8(`data: a\n\ndata: ${'b'.repeat(20)}\n\ndata: c\n\n`)
  const fits = replay([bytes], { maxFrameBytes: 28 })
  t.strictSame([fits.error, fits.frames.length], [undefined, 3])

  for (const reads of [[bytes], byteByByte(bytes), cutAt(bytes, [12]), cutAt(bytes, [9, 36])]) {
    const { frames, error } = replay(reads, { maxFrameBytes: 27 })
    t.strictSame({ frames, error }, { frames: ['data: a\n\n'], error: 'ERR_SSE_FRAME_TOO_LARGE' })
  }

  const later = createFrameReader({ maxFrameBytes: 27 })
  later.push(bytes)
  t.equal(later.bufferedBytes, 0, 'nothing is held back for a stream that cannot go on')

  const reader = createFrameReader({ maxFrameBytes: 4 })
  for (const read of ['data:', '\n\n']) {
    try {
      reader.push(utf8(read))
      t.fail('did not throw')
    } catch (error) {
      t.ok(isFrameTooLargeError(error))
      t.match(error, { name: 'FrameTooLargeError', maxFrameBytes: 4, message: /maxFrameBytes \(4 bytes\)/ })
    }
  }
  t.throws(() => reader.end(), { code: 'ERR_SSE_FRAME_TOO_LARGE' })
  t.equal(reader.bufferedBytes, 0)
})

t.test('does not count blank lines towards the bound', async (t) => {
  const reader = createFrameReader({ maxFrameBytes: 16 })
  for (let index = 0; index < 100; index++) reader.push(utf8('\r\n'))
  t.strictSame(split(reader.push(utf8(`${'\n'.repeat(100)}data: a\n\n`))), ['data: a\n\n'])
})

t.test('copies and decodes each byte of a long line a bounded number of times', async (t) => {
  for (const mebibytes of [1, 2]) {
    const packet = Buffer.alloc(1024, 'x')
    const count = mebibytes * 1024
    const { set } = Uint8Array.prototype
    const { toString } = Buffer.prototype
    let touched = 0
    let calls = 0
    Uint8Array.prototype.set = function (source: Uint8Array, offset?: number) {
      touched += source.length
      calls++
      set.call(this, source, offset)
    }
    Buffer.prototype.toString = function (this: Buffer, ...args: Parameters<typeof toString>) {
      touched += this.length
      return toString.apply(this, args)
    }
    let read: ReturnType<ReturnType<typeof createFrameReader>['push']>
    try {
      const reader = createFrameReader()
      reader.push(utf8('data: '))
      for (let index = 0; index < count; index++) reader.push(packet)
      read = reader.push(utf8('\n\n'))
    } finally {
      Uint8Array.prototype.set = set
      Buffer.prototype.toString = toString
    }
    t.equal(read?.bytes.length, count * 1024 + 8)
    t.ok(calls > count, 'the copies were counted')
    t.ok(touched < count * 1024 * 6, `${touched} bytes touched for ${count * 1024}`)
  }
})

const fragments = fc.constantFrom(
  'data: ', 'data', 'event: a', 'id: 1', 'id:\0', 'retry: 1', ':', ': c', 'x', ' ', '{}', '[DONE]',
  '\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n', '\ufeff', '\u2028', '\u00e9', '\u{1f600}',
)
const streamBytes = fc.oneof(
  fc.array(fragments, { maxLength: 40 }).map((parts) => utf8(parts.join(''))),
  fc.uint8Array({ maxLength: 200 }),
  fc.array(fc.constantFrom(...utf8(':ad\n\r\ufeff\u00e9 ')), { maxLength: 60 }).map((bytes) => Uint8Array.from(bytes)),
)
const cuts = fc.array(fc.nat(200), { maxLength: 20 })

t.test('any bytes: cuts change nothing', async () => {
  fc.assert(
    fc.property(streamBytes, cuts, fc.constantFrom(undefined, 5, 20), (bytes, offsets, maxFrameBytes) => {
      const options = { maxFrameBytes }
      const whole = JSON.stringify(replay([bytes], options))
      return (
        JSON.stringify(replay(cutAt(bytes, offsets), options)) === whole &&
        JSON.stringify(replay(byteByByte(bytes), options)) === whole
      )
    }),
    { numRuns: 3000 },
  )
})

t.test('any bytes: nothing but blank lines, BOMs and the event that was cut is left out', async () => {
  fc.assert(
    fc.property(streamBytes, (bytes) => {
      const text = Buffer.from(bytes).toString('latin1').replace(/^\xef\xbb\xbf/, '')
      const blocks = text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').split(/\n\n+/)
      const expected = blocks.slice(0, -1).map((block) => `${block}\n\n`.replace(/(?<=^|\n)(?:\xef\xbb\xbf)+(?=[^\n])/g, ''))
      const frames = split(createFrameReader().push(bytes)).map((frame) => frame.replace(/\r\n?/g, '\n'))
      deepStrictEqual(frames, expected)
    }),
    { numRuns: 2000 },
  )
})

t.test('says whether a read of whole frames need not be pushed', async (t) => {
  const frame = Buffer.from('data: a\n\n')
  const reader = createFrameReader({ maxFrameBytes: 20 })
  t.equal(reader.canSkip(frame), true)
  reader.push(Buffer.from('data: b\n'))
  t.equal(reader.canSkip(frame), false, 'in the middle of a frame')
  reader.push(Buffer.from('\n'))
  t.equal(reader.canSkip(frame), true)
  t.equal(reader.canSkip(Buffer.alloc(21)), false, 'a frame in it may be too large')
  t.throws(() => reader.push(Buffer.alloc(21)))
  t.equal(reader.canSkip(frame), false, 'nothing can follow')
})
