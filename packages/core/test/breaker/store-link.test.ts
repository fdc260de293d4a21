import t from 'tap'
import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import type { HealthStore } from '../../src/breaker/health-store.js'
import { createMemoryStore } from '../../src/breaker/memory-store.js'
import { createStoreLink } from '../../src/breaker/store-link.js'
import type { StorePatience } from '../../src/breaker/store-link.js'

function start(patience?: StorePatience) {
  const clock = createFakeClock()
  const warnings: string[] = []
  const store: HealthStore = createMemoryStore({ now: () => clock.now() })
  const host = { clock, warn: (problem: string) => void warnings.push(problem), onReturn: () => void warnings.push('back') }
  const link = createStoreLink(store, host, patience)
  const log: string[] = []
  const ask = (answer: Promise<string>): void => {
    const note = (name: string) => (value?: string) => void log.push(`${clock.now()} ${name} ${value ?? ''}`.trim())
    void link.ask(() => answer, (value) => `said ${value}`, () => 'without', note('late')).then(note('got'))
  }
  return { clock, warnings, link, log, ask }
}

const after = (clock: { readonly schedule: (ms: number, call: () => void) => unknown }, ms: number, fail = false) =>
  new Promise<string>((resolve, reject) => void clock.schedule(ms, () => (fail ? reject(new Error('down')) : resolve('yes'))))

t.test('takes what is said in time, and leaves no timer', async (t) => {
  const { clock, log, ask, link } = start()
  ask(after(clock, 24))
  await clock.advance(24)
  t.strictSame([log, clock.pending, link.up()], [['24 got said yes'], 0, true])
})

t.test('goes on without it after 25 ms, and hears what comes late', async (t) => {
  const { clock, log, ask, warnings } = start()
  ask(after(clock, 26))
  await clock.advance(26)
  t.strictSame([log, warnings, clock.pending], [['25 got without', '26 late yes'], ['slow'], 0])
})

t.test('leaves a store that failed alone for five seconds', async (t) => {
  const { clock, link, ask, warnings } = start()
  ask(Promise.reject(new Error('down')))
  await clock.advance(4_999)
  t.equal(link.up(), false)
  await clock.advance(1)
  t.strictSame([link.up(), warnings, clock.pending], [true, ['failed'], 0])
})

t.test('a failure that comes late is no second one', async (t) => {
  const { clock, link, ask, log } = start()
  ask(after(clock, 3_000, true))
  await clock.advance(5_024)
  t.equal(link.up(), false)
  await clock.advance(1)
  t.strictSame([link.up(), log], [true, ['25 got without']])
})

t.test('an answer that cannot be used is none', async (t) => {
  const { clock, link, warnings } = start()
  const got: unknown[] = []
  void link
    .ask(
      (store) => store.read('key'),
      () => {
        throw new Error('not understood')
      },
      () => 'without',
      () => undefined,
    )
    .then((value) => void got.push(value))
  await clock.advance(0)
  t.strictSame([got, warnings, link.up(), clock.pending], [['without'], ['failed'], false, 0])
})

t.test('what nobody waits for has a second, and then is lost', async (t) => {
  const { clock, link } = start()
  const log: string[] = []
  link.tell(() => after(clock, 999), (value) => log.push(`${clock.now()} ${value}`), () => log.push('lost'))
  link.tell(() => after(clock, 5_000), (value) => log.push(`${clock.now()} ${value}`), () => log.push(`${clock.now()} lost`))
  link.tell(() => Promise.reject(new Error('down')), () => undefined)
  await clock.advance(5_000)
  t.strictSame(log, ['999 yes', '1000 lost', '5000 yes'])
})

t.test('has a thousand calls on their way at most', async (t) => {
  const { clock, link, warnings } = start()
  let lost = 0
  const calls: (() => void)[] = []
  const tell = (): void => link.tell(() => new Promise<void>((resolve) => void calls.push(resolve)), () => undefined, () => void (lost += 1))
  for (let index = 0; index < 1_000; index += 1) tell()
  t.strictSame([calls.length, lost, warnings], [1_000, 0, []])
  tell()
  t.strictSame([calls.length, lost, warnings], [1_000, 1, ['slow']])
  for (const answer of calls) answer()
  await clock.advance(0)
  for (let index = 0; index < 1_000; index += 1) tell()
  t.strictSame([calls.length, lost], [2_000, 1])
})

t.test('how patient it is can be set', async (t) => {
  const { clock, link, ask, log } = start({ admitWaitMs: 5, settleWaitMs: 10, pauseMs: 20 })
  ask(after(clock, 1_000))
  link.tell(() => after(clock, 1_000), () => undefined, () => void log.push(`${clock.now()} lost`))
  await clock.advance(29)
  t.strictSame([log, link.up()], [['5 got without', '10 lost'], false])
  await clock.advance(1)
  t.equal(link.up(), true)
})

t.test('calls that a deaf store never answers do not make it too busy for ever', async (t) => {
  const { clock, link, warnings } = start()
  const deaf = () => new Promise<void>(() => undefined)
  for (let index = 0; index < 1_000; index += 1) link.tell(deaf, () => undefined)
  await clock.advance(6_000)
  const heard: string[] = []
  link.tell(() => Promise.resolve('yes'), (value) => heard.push(value))
  await clock.advance(0)
  t.strictSame([heard, warnings, link.up()], [['yes'], ['slow', 'back'], true])
})

t.test('says once that a store is back of which it warned', async (t) => {
  const { clock, ask, warnings } = start()
  for (const answer of ['yes', 'no', 'yes', 'yes', 'no', 'yes']) {
    ask(answer === 'yes' ? Promise.resolve('yes') : Promise.reject(new Error('down')))
    await clock.advance(5_000)
  }
  t.strictSame(warnings, ['failed', 'back'], 'of the second outage there was no warning')
})

t.test('closed, it waits for what is on its way and asks nothing more', async (t) => {
  const { clock, link, ask, log, warnings } = start()
  link.tell(() => after(clock, 300), (value) => log.push(`${clock.now()} ${value}`))
  link.tell(() => new Promise(() => undefined), () => undefined, () => void log.push(`${clock.now()} lost`))
  const closing = link.close().then(() => void log.push(`${clock.now()} closed`))
  ask(Promise.resolve('asked'))
  link.tell(() => Promise.reject(new Error('told')), () => undefined, () => void log.push(`${clock.now()} not told`))
  await clock.advance(1_000)
  await closing
  t.strictSame([log, warnings], [['0 not told', '0 got without', '300 yes', '1000 lost', '1000 closed'], ['slow']])
  t.strictSame([link.up(), clock.pending], [false, 0])
  await link.close()
})
