import t from 'tap'

import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { createSourceReader } from '../../src/live/source-reader.js'
import type { SourceReaderOptions } from '../../src/live/source-reader.js'
import { fakeSource } from './stage.js'
import type { FakeSource } from './stage.js'

function reading(source: SourceReaderOptions['source'], more: Partial<SourceReaderOptions> = {}) {
  const clock = createFakeClock()
  const log: string[] = []
  const reader = createSourceReader({
    source,
    pollMs: 1_000,
    jitter: 0.1,
    readTimeoutMs: 300,
    clock,
    random: () => 0.5,
    onReading: ({ type }) => void log.push(`${clock.now()} ${type}`),
    onTrouble: (trouble) => void log.push(`${clock.now()} ${trouble}`),
    ...more,
  })
  return { clock, log, reader }
}

t.test('it reads at once, and then at each poll, with the etag of what was read last', async (t) => {
  const source = fakeSource({ type: 'document', document: {}, etag: 'one' })
  const { clock, log, reader } = reading(source)
  reader.start()
  await clock.advance(0)
  source.answer = { type: 'unchanged' }
  await clock.advance(2_500)
  t.strictSame(log, ['0 document', '1000 unchanged', '2000 unchanged'])
  t.strictSame(source.reads.map(({ etag }) => etag), [undefined, 'one', 'one'])
  reader.close()
  t.equal(clock.pending, 0)
})

t.test('behind a read that found no document the next one asks for the whole of it', async (t) => {
  const source = fakeSource({ type: 'document', document: {}, etag: 'one' })
  const { clock, reader } = reading(source)
  reader.start()
  await clock.advance(0)
  source.answer = { type: 'none' }
  await clock.advance(2_500)
  t.strictSame(source.reads.map(({ etag }) => etag), [undefined, 'one', undefined])
  reader.close()
})

t.test('what is no reading fails the read with what would be right: a document without its frame is not lost without a word', async (t) => {
  const given: readonly unknown[] = [{ version: 3, routes: {} }, '{"version":3}', undefined, { type: 'document' }, { type: 'other' }]
  for (const each of given) {
    const { clock, log, reader } = reading({ read: () => Promise.resolve(each as never) })
    reader.start()
    await clock.advance(0)
    t.match(log, ["0 its read gave what is no reading; give { type: 'document', document }, { type: 'unchanged' } or { type: 'none' }"])
    await t.rejects(reader.readOnce(), { message: /no reading/ })
    reader.close()
  }
})

t.test('the waits differ by chance, within the jitter', async (t) => {
  const randoms = [0, 1, 0.75]
  const { clock, log, reader } = reading(fakeSource(), { random: () => randoms.shift() ?? 0.5 })
  reader.start()
  await clock.advance(4_200)
  t.strictSame(log, ['0 none', '900 none', '2000 none', '3050 none', '4050 none'])
  reader.close()
})

t.test('polling never ends: a read that fails, throws or hangs is followed by the next one', async (t) => {
  const answers: (() => Promise<never>)[] = [
    () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
    () => {
      throw new Error('thrown at once')
    },
    () => new Promise(() => undefined),
    () => Promise.reject(new Error('cannot reach redis://user:password@host')),
    () => Promise.reject(undefined),
  ]
  const { clock, log, reader } = reading({ read: () => (answers.shift() ?? (() => Promise.resolve({ type: 'none' as const })))() })
  reader.start()
  await clock.advance(5_400)
  t.strictSame(log, [
    '0 ECONNREFUSED',
    '1000 thrown at once',
    '2300 the source did not answer in time',
    '3300 cannot reach redis://***@host',
    '4300 unknown',
    '5300 none',
  ])
  reader.close()
})

t.test('behind the first failures of a row the next read is soon, and then as ever', async (t) => {
  const source = fakeSource(new Error('away'))
  const { clock, log, reader } = reading(source, { pollMs: 10_000 })
  reader.start()
  await clock.advance(15_000)
  source.answer = { type: 'none' }
  await clock.advance(10_000)
  source.answer = new Error('away')
  await clock.advance(11_500)
  t.strictSame(log, ['0 away', '1200 away', '2400 away', '3600 away', '13600 away', '23600 none', '33600 away', '34800 away', '36000 away'])
  reader.close()
})

t.test('a read that is given up is aborted, and what it comes to then is nobody\'s', async (t) => {
  let late: (() => void) | undefined
  let aborted = false
  const { clock, log, reader } = reading({
    read: ({ signal }) => {
      signal.addEventListener('abort', () => (aborted = true))
      return new Promise((resolve) => (late ??= () => resolve({ type: 'document', document: 'late' })))
    },
  })
  reader.start()
  await clock.advance(300)
  t.equal(aborted, true)
  late?.()
  await clock.advance(100)
  t.strictSame(log, ['300 the source did not answer in time'])
  reader.close()
})

t.test('a push is read at once, a storm of them with pauses, and the poll waits behind it', async (t) => {
  const source = fakeSource()
  const { clock, log, reader } = reading(source)
  reader.start()
  await clock.advance(500)
  source.push()
  source.push()
  await clock.advance(0)
  t.strictSame(log, ['0 none', '500 none'])
  for (let sent = 0; sent < 100; sent += 1) {
    source.push()
    await clock.advance(1)
  }
  t.strictSame(log.slice(2), ['550 none', '600 none'])
  await clock.advance(1_100)
  t.equal(log.at(-1), '1600 none', 'the poll waits a whole interval behind the last of them')
  reader.close()
})

t.test('a refresh during a read is followed by one more, for all who ask', async (t) => {
  const source = fakeSource()
  const { clock, log, reader } = reading(source)
  const asked = [reader.refresh(), reader.refresh(), reader.refresh()]
  await clock.advance(0)
  await Promise.all(asked)
  t.strictSame(log, ['0 none', '0 none'])
  t.equal(source.reads.length, 2)
  reader.close()
  await reader.refresh()
  t.equal(source.reads.length, 2, 'closed')
})

t.test('close ends the read on its way, the watch and the timers', async (t) => {
  const source = fakeSource('hang')
  const { clock, log, reader } = reading(source)
  reader.start()
  await clock.advance(10)
  source.push()
  const once = reader.readOnce()
  reader.close()
  await t.rejects(once)
  t.strictSame([source.reads.every(({ signal }) => signal.aborted), source.pushes(), clock.pending], [true, 0, 0])
  await clock.advance(10_000)
  t.strictSame(log, [])
})

t.test('a watch that throws, at its beginning or its end, leaves the polling', async (t) => {
  const throws = (): never => {
    throw new Error('no watch here')
  }
  const { clock, log, reader } = reading({ ...(fakeSource() satisfies FakeSource), watch: throws })
  reader.start()
  await clock.advance(1_000)
  t.strictSame(log, ['0 watch: no watch here', '0 none', '1000 none'])
  reader.close()
  const other = reading({ ...fakeSource(), watch: () => throws })
  other.reader.start()
  t.doesNotThrow(() => other.reader.close())
})
