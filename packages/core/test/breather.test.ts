import type { ChatRequest, CommitPoint, CommittedRun, Leg, RunOutcome } from '@understudy/core'
import { createChain, createSystemClock, run, advanceKinds } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { Breather } from '../src/breather.js'
import { legOf } from '../src/custom-leg.js'
import { arrival, finish, ping, text } from './scripted-leg.js'
import { chat } from './stage.js'

t.test('a source that waits is never held up, and pays one timer for many reads', async (t) => {
  const clock = createFakeClock()
  const breather = new Breather(clock)
  const seen: number[] = []
  for (let read = 0; read < 310; read += 1) {
    t.equal(breather.pause(), undefined)
    if (read % 31 === 30) {
      seen.push(clock.pending)
      await clock.advance(0)
    }
  }
  t.ok(seen.every((pending) => pending <= 1))
  breather.stop()
  t.equal(clock.pending, 0)
})

t.test('a source that never waits has to let timers run, and goes on behind them', async (t) => {
  const clock = createFakeClock()
  const breather = new Breather(clock)
  const free = (): number => {
    for (let reads = 0; ; reads += 1) {
      const rest = breather.pause()
      if (rest !== undefined) {
        void rest.then(() => log.push('on'))
        return reads
      }
    }
  }
  const log: string[] = []
  t.equal(free(), 127)
  t.equal(clock.pending, 1)
  await clock.advance(0)
  t.strictSame([log, clock.pending], [['on'], 0])
  t.equal(free(), 127)
  breather.stop()
  await clock.advance(0)
  t.strictSame([log, clock.pending], [['on', 'on'], 0], 'stopping leaves nobody who waits')
})

const limits = { firstContentTimeoutMs: 30, timeoutMs: 60, idleTimeoutMs: 5_000, maxStreamMs: 30 }

/** A leg that gives an item for ever, each at once. */
const endless = (item: () => unknown, before: readonly unknown[] = []): Leg =>
  legOf({
    name: 'a',
    limits,
    open: () => ({
      [Symbol.asyncIterator]() {
        const first = [...before]
        return { next: () => Promise.resolve({ done: false, value: (first.shift() ?? item()) as string }) }
      },
    }),
  })

function play(leg: Leg, commit: CommitPoint, request: Partial<ChatRequest>, signal?: AbortSignal): Promise<RunOutcome> {
  const settings = { advance: advanceKinds(undefined), commit, retry: { retries: 0, retryOn: new Set<never>(), maxRetryAfterMs: 0 }, limits: {} }
  return run([leg], chat(request), settings, { clock: createSystemClock(), random: () => 0 }, signal)
}

t.test('limits and bounds end what never waits, before the commit', async (t) => {
  const pings: Leg = { provider: 'p', model: 'p', limits, open: () => ({ form: 'none', arrivals: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: ping }) }) } }) }
  t.match(await play(pings, 'first_content', {}), { failure: { kind: 'timeout', phase: 'first_content' } })
  t.match(await play(pings, 'complete', {}), { failure: { kind: 'timeout', phase: 'first_content' } })
  t.match(await play(endless(() => ''), 'first_content', {}), { failure: { kind: 'malformed', code: 'prelude_too_large' } })
  t.match(await play(endless(() => '', ['a']), 'complete', { stream: false }), { failure: { kind: 'timeout', phase: 'attempt' } })
})

t.test('the client\'s leaving ends what never waits, before the commit and behind it', async (t) => {
  const early = new AbortController()
  setTimeout(() => early.abort(), 5)
  t.match(await play(endless(() => '', ['a']), 'complete', {}, early.signal), { cause: 'aborted' })

  const late = new AbortController()
  const { arrivals, end } = (await play(endless(() => undefined, ['a']), 'first_content', {}, late.signal)) as CommittedRun
  setTimeout(() => late.abort(), 5)
  for await (const item of arrivals) void item
  t.match(end(), { failure: { kind: 'aborted' } })
})

t.test('the limit of a stream ends what never waits', async (t) => {
  const { arrivals, end } = (await play(endless(() => 'x'), 'first_content', {})) as CommittedRun
  for await (const item of arrivals) void item
  t.match(end(), { failure: { kind: 'timeout', phase: 'stream' } })

  const chain = createChain({ legs: [endless(() => undefined, ['a'])] })
  const { parts } = await chain.run(chat())
  const thrown: unknown = await (async () => { for await (const part of parts) void part })().catch((error: unknown) => error)
  t.match(thrown, { failure: { phase: 'stream' } })
})

t.test('leaving in the middle of a rest ends the reader, and asks the source no more', async (t) => {
  let asked = 0
  const leg = endless(() => (asked += 1, undefined), ['a'])
  const { arrivals } = (await play(leg, 'first_content', {})) as CommittedRun
  let reading = arrivals.next()
  for (let read = 0; read < 200; read += 1) {
    const settled = await Promise.race([reading.then(() => true), settledSoon()])
    if (!settled) break
    reading = arrivals.next()
  }
  const before = asked
  await arrivals.return?.()
  t.match(await reading, { done: true })
  await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(asked, before)
})

/** Behind a good number of promise jobs. */
async function settledSoon(): Promise<false> {
  for (let job = 0; job < 20; job += 1) await Promise.resolve()
  return false
}

t.test('a whole answer without a wait is whole', async (t) => {
  const { clock } = { clock: createFakeClock() }
  const many = Array.from({ length: 1_000 }, () => arrival(text('x')))
  const items = [...many, arrival(finish)]
  const leg: Leg = {
    provider: 'a',
    model: 'a',
    open: () => ({ form: 'none', arrivals: { async *[Symbol.asyncIterator]() { yield* items } } }),
  }
  const settings = { advance: advanceKinds(undefined), commit: 'first_content' as const, retry: { retries: 0, retryOn: new Set<never>(), maxRetryAfterMs: 0 }, limits: {} }
  const playing = run([leg], chat(), settings, { clock, random: () => 0 })
  await clock.advance(0)
  const { arrivals, end } = (await playing) as CommittedRun
  let count = 0
  const reading = (async () => { for await (const item of arrivals) count += item.parts.length })()
  await clock.advance(10)
  await reading
  t.strictSame([count, end()?.failure, clock.pending], [1_001, undefined, 0])
})
