import t from 'tap'
import {
  convertLineEnds,
  corruptBytes,
  corruptEvent,
  cutAfterBytes,
  cutAfterEvents,
  hasData,
  insertAfterEvents,
  splitEvents,
  splitWrites,
  stallAtEnd,
  type ByteStream,
} from '../../src/outbound/fault.js'

/** A source that says how far it was read and whether it was closed. */
function sourceOf(items: readonly string[]) {
  const log: string[] = []
  async function* read() {
    try {
      for (const item of items) {
        log.push(`read ${JSON.stringify(item)}`)
        yield Buffer.from(item, 'latin1')
      }
    } finally {
      log.push('closed')
    }
  }
  return { log, stream: read() }
}

async function texts(stream: ByteStream): Promise<string[]> {
  const items: string[] = []
  for await (const item of stream) items.push(Buffer.from(item).toString('latin1'))
  return items
}

const three = ['data: 1\n\n', ': ping\n\n', 'data: 2\n\n', 'data: 3\n\n']

t.test('cuts a stream into blocks wherever the reads fall, and keeps every byte', async (t) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const whole = ['data: 1', '', ': ping', '', 'event: x', 'data: 2', '', 'data: cut'].join(end)
    const blocks = [['data: 1', '', ''], [': ping', '', ''], ['event: x', 'data: 2', '', ''], ['data: cut']]
    t.strictSame(await texts(splitEvents(sourceOf([whole]).stream)), blocks.map((lines) => lines.join(end)), 'one read')
    for (let size = 1; size < whole.length; size += 1) {
      const blocksOfReads = await texts(splitEvents(splitWrites(sourceOf([whole]).stream, size)))
      t.equal(blocksOfReads.join(''), whole, `bytes in reads of ${size}`)
      t.equal(blocksOfReads.length, 4, `blocks in reads of ${size}`)
    }
  }
})

t.test('tells events from comments and fields without data', async (t) => {
  const events = ['data: 1\n\n', 'data\n\n', 'id: 1\rdata:1\r\r', '\xef\xbb\xbfdata: 1\n\n', 'data']
  const others = [': data: 1\n\n', 'id: 1\n\n', '\n', 'database: 1\n\n']
  t.strictSame(events.map((text) => hasData(Buffer.from(text, 'latin1'))), events.map(() => true))
  t.strictSame(others.map((text) => hasData(Buffer.from(text, 'latin1'))), others.map(() => false))
})

t.test('a cut after events ends at once, tells it, and closes the source', async (t) => {
  const { stream, log } = sourceOf(three)
  const passed = await texts(cutAfterEvents(stream, 2, () => log.push('cut')))
  t.strictSame(passed, three.slice(0, 3))
  t.strictSame(log, [...three.slice(0, 3).map((item) => `read ${JSON.stringify(item)}`), 'closed', 'cut'])
})

t.test('a cut after no event at all reads nothing', async (t) => {
  const { stream, log } = sourceOf(three)
  t.strictSame(await texts(cutAfterEvents(stream, 0, () => log.push('cut'))), [])
  t.strictSame(await texts(cutAfterBytes(stream, 0, () => log.push('cut'))), [])
  t.strictSame(log, ['cut', 'cut'])
})

t.test('a stream that ends before the cut passes whole and tells nothing', async (t) => {
  const told: string[] = []
  t.strictSame(await texts(cutAfterEvents(sourceOf(three).stream, 4, () => told.push('cut'))), three)
  t.strictSame(await texts(cutAfterBytes(sourceOf(three).stream, 1_000, () => told.push('cut'))), three)
  t.strictSame(told, [])
})

t.test('a cut after bytes falls inside an item', async (t) => {
  const { stream, log } = sourceOf(three)
  t.strictSame(await texts(cutAfterBytes(stream, 11, () => log.push('cut'))), ['data: 1\n\n', ': '])
  t.strictSame(log, ['read "data: 1\\n\\n"', 'read ": ping\\n\\n"', 'closed', 'cut'])
})

t.test('a stall passes everything, then waits for the signal and throws its reason', async (t) => {
  const controller = new AbortController()
  const seen: string[] = []
  const reading = (async () => {
    for await (const item of stallAtEnd(sourceOf(['data: 1\n\n']).stream, controller.signal)) {
      seen.push(Buffer.from(item).toString())
      setImmediate(() => controller.abort(new Error('enough')))
    }
  })()
  await t.rejects(reading, { message: 'enough' })
  t.strictSame(seen, ['data: 1\n\n'])
  await t.rejects(texts(stallAtEnd(sourceOf([]).stream, AbortSignal.abort('why'))), { message: 'aborted' })
})

t.test('corrupts one event and leaves the others', async (t) => {
  const chunk = (text: string) => `event: x\ndata: {"id":"c1","delta":{"text":"${text}"}}\n\n`
  const items = [chunk('one'), ': ping\n\n', chunk('two'), chunk('three')]
  t.strictSame(
    await texts(corruptEvent(sourceOf(items).stream, 2)),
    [items[0], items[1], 'event: x\ndata: {"id":"c\n\n', items[3]],
  )
  t.strictSame(
    await texts(corruptEvent(sourceOf(items).stream, 2, { keepText: true })),
    [items[0], items[1], 'event: x\ndata: {"id":"c1","delta":{"text":"two"}\n\n', items[3]],
  )
  t.strictSame(await texts(corruptEvent(sourceOf(['data: {"a":1}\r\n\r\n']).stream, 1)), ['data: {"a":1\r\n\r\n'])
  const broken = 'event: x\ndata: {"id":"c\n\n'
  t.strictSame(await texts(corruptEvent(sourceOf(items).stream, 'every')), [broken, items[1], broken, broken])
})

t.test('writes over the first bytes, wherever reads divide them, and leaves the rest', async (t) => {
  const over = '\xff'.repeat(8)
  t.strictSame(await texts(corruptBytes(sourceOf(['{"id":"chatcmpl"}']).stream)), [`${over}hatcmpl"}`])
  t.strictSame(await texts(corruptBytes(sourceOf(['{"i', 'd":"chat', 'cmpl"}']).stream)), ['\xff\xff\xff', '\xff\xff\xff\xff\xffhat', 'cmpl"}'])
})

t.test('puts bytes in after an event, and ends there unless it is to go on', async (t) => {
  const bytes = Buffer.from('data: error\n\n')
  const insert = (events: number, goOn: boolean) => texts(insertAfterEvents(sourceOf(three).stream, events, bytes,
    { goOn }))
  t.strictSame(await insert(0, false), ['data: error\n\n'])
  t.strictSame(await insert(0, true), ['data: error\n\n', ...three])
  t.strictSame(await insert(2, false), [...three.slice(0, 3), 'data: error\n\n'])
  t.strictSame(await insert(2, true), [...three.slice(0, 3), 'data: error\n\n', three[3]])
  t.strictSame(await insert(9, false), three)
})

t.test('splits writes without regard to items', async (t) => {
  t.strictSame(await texts(splitWrites(sourceOf(['abc', 'd', 'efgh']).stream, 3)), ['abc', 'def', 'gh'])
})

t.test('converts every kind of line end, also one that two reads share', async (t) => {
  const items = ['a\nb\r', '\nc\r', 'd\r\n', '', '\re']
  t.equal((await texts(convertLineEnds(sourceOf(items).stream, '\r\n'))).join(''), 'a\r\nb\r\nc\r\nd\r\n\r\ne')
  t.equal((await texts(convertLineEnds(sourceOf(items).stream, '\r'))).join(''), 'a\rb\rc\rd\r\re')
})

t.test('whoever stops reading early closes the source', async (t) => {
  const transforms: Record<string, (source: ByteStream) => ByteStream> = {
    splitEvents,
    cutAfterEvents: (source) => cutAfterEvents(source, 3),
    cutAfterBytes: (source) => cutAfterBytes(source, 100),
    stallAtEnd: (source) => stallAtEnd(source, new AbortController().signal),
    corruptEvent: (source) => corruptEvent(source, 3),
    corruptBytes: (source) => corruptBytes(source),
    insertAfterEvents: (source) => insertAfterEvents(source, 3, Buffer.from('x')),
    splitWrites: (source) => splitWrites(source, 4),
    convertLineEnds: (source) => convertLineEnds(source, '\r'),
  }
  for (const [name, transform] of Object.entries(transforms)) {
    const { stream, log } = sourceOf(three)
    const iterator = transform(stream)[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    t.strictSame(log, ['read "data: 1\\n\\n"', 'closed'], name)
  }
})
