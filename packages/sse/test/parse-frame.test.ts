import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import t from 'tap'
import { parseFrame } from '@understudy/sse'

const frame = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

t.test('takes a BOM at the start of a frame for content, in the first frame ever too', async (t) => {
  t.equal(parseFrame(frame('\ufeffdata: a\n\n')), undefined)
  t.equal(parseFrame(frame('\ufeffdata: a\n\n')), undefined)
})

t.test('reads the fields that a frame has, and no others', async (t) => {
  const cases: [text: string, event: ReturnType<typeof parseFrame>][] = [
    ['data: a\n\n', { data: 'a' }],
    ['data:a\n\n', { data: 'a' }],
    ['data:  a \n\n', { data: ' a ' }],
    ['data\n\n', { data: '' }],
    ['event: b\ndata: a\n\n', { event: 'b', data: 'a' }],
    ['id: 1\ndata: a\n\n', { data: 'a', id: '1' }],
    ['id\nevent: b\ndata: a\ndata: c\n\n', { event: 'b', data: 'a\nc', id: '' }],
    ['event:\ndata: a\n\n', { data: 'a' }],
    ['id: 1\0\ndata: a\n\n', { data: 'a' }],
    ['foo: 1\nretry: x\n: c\ndata: a\n\n', { data: 'a' }],
    ['data: a\r\rdata: b\r\r', { data: 'a' }],
    ['event: b\r\ndata: a\r\n\r\n', { event: 'b', data: 'a' }],
    ['data: a\r', { data: 'a' }],
    ['data: a', { data: 'a' }],
    ['\ufeffdata: a\ndata: b\n\n', { data: 'b' }],
    ['data: \ufeffa\n\n', { data: '\ufeffa' }],
    ['event: \u00e9\nid: \u20ac\ndata: \u{1f600}\n\n', { event: '\u00e9', data: '\u{1f600}', id: '\u20ac' }],
    [': c\n\n', undefined],
    ['retry: 1\n\n', undefined],
    ['event: a\nid: 1\n\n', undefined],
    ['', undefined],
  ]
  for (const [text, event] of cases) t.strictSame(parseFrame(frame(text)), event, JSON.stringify(text))
})

t.test('keeps nothing of one frame for the next', async (t) => {
  for (const left of ['id: 1\nevent: a', 'data: a', 'data: a\r', 'dat', '\r', 'id: 1\n\n']) {
    parseFrame(left)
    t.strictSame(parseFrame('data: b\n\n'), { data: 'b' }, JSON.stringify(left))
  }
})

t.test('decodes as TextDecoder does, what is no UTF-8 included', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 30 }),
    fc.array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0xed, 0xff), { maxLength: 12 }),
  )
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  fc.assert(
    fc.property(bytes, (input) => {
      const value = Buffer.from(input.filter((byte) => byte !== 10 && byte !== 13 && byte !== 0))
      const latin1 = value.toString('latin1')
      const event = parseFrame(`event:  ${latin1}\nid:  ${latin1}\ndata:  ${latin1}\n\n`)
      const text = ` ${decoder.decode(value)}`
      return event?.data === text && event.id === text && event.event === text
    }),
    { numRuns: 2000 },
  )
})

t.test('reads a long frame as it reads a short one', async (t) => {
  const long = 'x'.repeat(5000)
  const text = `event: b\r\nid: 1\rfoo\ndatax: 1\neventful\n: c\nretry: 1\nid\0: 2\ndata: ${long}\r\ndata\n\r\n`
  t.strictSame(parseFrame(text), { event: 'b', data: `${long}\n`, id: '1' })
  t.strictSame(parseFrame(`: ${long}\ndata: a\n\n`), { data: 'a' })
  t.strictSame(parseFrame(`data: b\nfoo: ${long}\n`), { data: 'b' })
})

t.test('spends little on a frame full of unknown lines, or of CR', async (t) => {
  const elapsedMs = (work: () => unknown) => {
    const start = performance.now()
    work()
    return performance.now() - start
  }
  for (const text of [`${'a\n'.repeat(50_000)}data: b\n\n`, `${'data\n'.repeat(50_000)}data: b\r\n\n`]) {
    const parserMs = elapsedMs(() => createParser({}).feed(text))
    const ours = elapsedMs(() => t.match(parseFrame(text), { data: /b$/ }))
    t.ok(ours < parserMs / 3, `${ours} ms, the parser alone ${parserMs} ms`)
  }
})
