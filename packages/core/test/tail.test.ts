import type { Arrival, ChatRequest, CommittedRun, DirectIterator, ItemReader, Leg, LegLimits, Part } from '@understudy/core'
import { createLatencies, directOf, failureOf, LegFailedError, READ } from '@understudy/core'
import { getEventListeners } from 'node:events'
import t from 'tap'
import { collectGarbage } from '../../../test/kit/collect-garbage.js'
import { run } from '../src/run.js'
import { createSystemClock } from '../src/clock.js'
import { arrival, end, finish, ping, start, text, whole, type Script, type Step } from './scripted-leg.js'
import { contentOf, createStage, nameOf, type Play } from './stage.js'

const limits: LegLimits = { idleTimeoutMs: 1_000, finishGraceMs: 100 }
const first = arrival(start, text('a'))
const error: Part = { type: 'error', failure: failureOf('overloaded', { status: 529 }) }

/** What is seen from the commit on, which comes at 0 with the first arrival. */
async function tail(answer: readonly Step[], ms: number, script: Partial<Script> = {}, options?: Play): Promise<string[]> {
  const { clock, log, playOut } = createStage()
  const done = playOut([{ name: 'a', limits, answer: [first, ...answer], ...script }], options)
  await clock.advance(ms)
  await done
  t.equal(clock.pending, 0, 'no timer is left')
  t.equal(log.filter((line) => line.includes(' over ')).length, 1, 'the end is told once')
  t.equal(log.filter((line) => line.endsWith(' close')).length, 1, 'the source is closed once')
  return log.slice(log.findIndex((line) => line.includes('committed')) + 1)
}

/** Commits a run whose answer nobody has read yet. */
async function committed(answer: readonly Step[], script: Partial<Script> = {}, options?: Play) {
  const stage = createStage()
  const playing = stage.play([{ name: 'a', limits, answer: [first, ...answer], ...script }], options)
  await stage.clock.advance(0)
  const run = (await playing) as CommittedRun
  stage.log.length = 0
  return { ...stage, run }
}

t.test('a whole answer: what was held, then the rest, then the end; closed and not aborted', async (t) => {
  t.strictSame(await tail([arrival(text('b')), arrival(finish), arrival(end)], 0), [
    '0 read start,a', '0 read b', '0 read finish', '0 a close', '0 over a success', '0 read end', '0 whole',
  ])
})

t.test('nothing comes behind the terminal marker', async (t) => {
  t.strictSame((await tail([arrival(finish, end), arrival(text('more'), end)], 0)).at(-2), '0 read finish,end')
})

t.test('the idle limit', async (t) => {
  t.test('ends a silent answer as idle, on both sides of its boundary', async (t) => {
    t.strictSame(await tail([{ wait: 1_000 }, arrival(finish, end)], 1_000), [
      '0 read start,a', '1000 a abort timeout:idle', '1000 a close', '1000 over a charge timeout:idle', '1000 broken timeout:idle',
    ])
    t.equal((await tail([{ wait: 999 }, arrival(finish, end)], 1_000)).at(-1), '999 whole')
  })

  t.test('starts anew with each event, even one without parts', async (t) => {
    const silent: Arrival = { parts: [], events: 1 }
    t.equal((await tail([{ wait: 900 }, silent, { wait: 900 }, arrival(text('b')), { wait: 900 }, arrival(end)], 3_000)).at(-1), '2700 whole')
  })

  t.test('is not fed by pings without end', async (t) => {
    const pings = Array.from({ length: 50 }, () => [{ wait: 90 }, ping]).flat()
    t.equal((await tail(pings, 3_000)).at(-1), '1000 broken timeout:idle')
  })

  t.test('does not count the time in which the client reads nothing', async (t) => {
    const { clock, log, run } = await committed([{ wait: 900 }, arrival(text('b')), { wait: 999 }, arrival(finish, end)])
    await run.arrivals.next()
    await clock.advance(10_000)
    const second = run.arrivals.next()
    await clock.advance(900)
    t.equal(contentOf((await second).value), 'b')
    await clock.advance(10_000)
    const third = run.arrivals.next()
    await clock.advance(999)
    t.equal(contentOf((await third).value), 'finish,end')
    t.strictSame(log, ['21899 a close', '21899 over a success'])
  })
})

t.test('the whole-stream limit ends even a busy answer, on both sides of its boundary', async (t) => {
  const script = { limits: { ...limits, maxStreamMs: 500 } }
  const busy = (count: number) => Array.from({ length: count }, () => [{ wait: 100 }, arrival(text('x'))]).flat()
  t.equal((await tail([...busy(9), arrival(end)], 2_000, script)).at(-1), '500 broken timeout:stream')
  t.equal((await tail([...busy(4), { wait: 99 }, arrival(end)], 2_000, script)).at(-1), '499 whole')
  t.equal((await tail([...busy(9), arrival(end)], 2_000, { limits: { ...limits, maxStreamMs: false } })).at(-1), '900 whole')
})

t.test('the whole-stream limit counts while the client reads nothing', async (t) => {
  const { clock, log, run } = await committed(['hang'], { limits: { ...limits, maxStreamMs: 500 } })
  await clock.advance(500)
  t.strictSame(log, ['500 a abort timeout:stream', '500 a close', '500 over a charge timeout:stream'])
  t.equal(nameOf(run.end()?.failure ?? { kind: '-' }), 'timeout:stream')
})

t.test('the grace after the finish', async (t) => {
  t.test('drops the socket of an answer that does not end, which is whole', async (t) => {
    t.strictSame(await tail([arrival(finish), 'hang'], 200), [
      '0 read start,a', '0 read finish', '100 a abort timeout:idle', '100 a close', '100 over a success', '100 whole',
    ])
  })

  t.test('lets usage and terminator through', async (t) => {
    const usage = arrival({ type: 'usage', usage: { outputTokens: 1 } })
    t.equal((await tail([arrival(finish), { wait: 50 }, usage, { wait: 49 }, arrival(end)], 200)).at(-1), '99 whole')
    t.equal((await tail([arrival(finish), { wait: 50 }, usage, { wait: 50 }, arrival(end)], 200)).at(-1), '100 whole')
  })

  t.test('runs from the commit when the finish came with the content', async (t) => {
    const { clock, log } = await committed([], { answer: [arrival(text('a'), finish), 'hang'] })
    await clock.advance(100)
    t.strictSame(log, ['100 a abort timeout:idle', '100 a close', '100 over a success'])
  })
})

t.test('an answer that stops in the middle is truncated, however cleanly it closes', async (t) => {
  t.strictSame(await tail([arrival(text('b'))], 0), [
    '0 read start,a', '0 read b', '0 a close', '0 a abort truncated', '0 over a charge truncated', '0 broken truncated',
  ])
})

t.test('a finish is enough of an end', async (t) => {
  t.strictSame((await tail([arrival(finish)], 0)).slice(-3), ['0 a close', '0 over a success', '0 whole'])
})

t.test('a connection that breaks behind the content breaks the answer, behind the finish it does not', async (t) => {
  const reset = { fail: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }
  t.equal((await tail([reset], 0)).at(-1), '0 broken connection_error')
  t.equal((await tail([{ fail: new LegFailedError(failureOf('malformed')) }], 0)).at(-1), '0 broken malformed')
  t.equal((await tail([arrival(finish), reset], 0)).at(-1), '0 whole')
})

t.test('an error behind the content breaks the answer, behind the finish it does not', async (t) => {
  t.strictSame(await tail([arrival(text('b'), error), whole], 0), [
    '0 read start,a', '0 a close', '0 a abort overloaded', '0 over a charge overloaded', '0 read b,error', '0 broken overloaded',
  ])
  t.equal((await tail([arrival(finish), arrival(error)], 0)).at(-1), '0 whole')
  t.equal((await tail([arrival({ type: 'finish', reason: 'error' })], 0)).at(-1), '0 broken server_error')
})

t.test('an error in the read that committed comes behind its content', async (t) => {
  t.strictSame(await tail([], 0, { answer: [arrival(text('a'), error), whole] }), ['0 read a,error', '0 broken overloaded'])
})

t.test('several choices: the answer is whole when each of them is', async (t) => {
  const finishOf = (choice: number): Part => ({ type: 'finish', reason: 'stop', choice })
  const options = { request: { choices: 2 } }
  t.equal((await tail([arrival(text('b', 1), finishOf(0)), { wait: 500 }, arrival(finishOf(1))], 1_000, {}, options)).at(-1), '500 whole')
  t.equal((await tail([arrival(text('b', 1), finishOf(0))], 0, {}, options)).at(-1), '0 broken truncated')
})

t.test('a leg that was asked for more choices than the request says has to finish as many', async (t) => {
  const finishOf = (choice: number): Step => arrival({ type: 'finish', reason: 'stop', choice })
  const rest = [arrival(finish), { wait: 900 }, arrival(text('b', 1)), finishOf(1), 'hang'] as const
  t.equal((await tail(rest, 2_000, { choices: 2 })).at(-1), '1000 whole')
  t.equal((await tail(rest, 2_000)).at(-1), '100 whole', 'else the grace ends it')
})

t.test('a choice that begins behind the finish of the others ends the grace, and has to finish as they did', async (t) => {
  const late = (choice: number): Step[] => [{ wait: 99 }, arrival(text('b', choice)), { wait: 900 }]
  const finishOf = (choice: number): Step => arrival({ type: 'finish', reason: 'stop', choice })
  t.strictSame(await tail([arrival(finish), ...late(1), finishOf(1), 'hang'], 2_000), [
    '0 read start,a', '0 read finish', '99 read b', '999 read finish',
    '1099 a abort timeout:idle', '1099 a close', '1099 over a success', '1099 whole',
  ])
  t.equal((await tail([arrival(finish), ...late(1)], 2_000)).at(-1), '999 broken truncated')
  t.equal((await tail([arrival(finish), ...late(1), 'hang'], 2_000)).at(-1), '1099 broken timeout:idle')
  t.equal((await tail([arrival(finish)], 0, {}, { request: { choices: 2 } })).at(-1), '0 whole', 'one where two were asked for')
})

t.test('established: what comes behind the headers', async (t) => {
  const options = { commit: 'established' } as const
  const seen = async (answer: readonly Step[], form: 'events' | 'json' = 'events') =>
    (await tail([], 0, { answer, form }, options)).at(-1)
  t.equal(await seen([whole]), '0 whole')
  t.equal(await seen([]), '0 broken truncated')
  t.equal(await seen([arrival(error)]), '0 broken overloaded')
  t.equal(await seen([arrival(start, finish)]), '0 broken empty')
  t.equal(await seen([arrival(start, end)]), '0 broken empty')
  t.equal(await seen([arrival(text('a'))], 'json'), '0 whole')
  t.equal(await seen([arrival(start)], 'json'), '0 broken empty')
})

t.test('established, and collected: what is kept is bounded; a stream is not', async (t) => {
  const large = arrival(text('x'.repeat(40 * 1024 * 1024)))
  const seen = async (stream: boolean) =>
    (await tail([], 0, { answer: [large, large, arrival(finish)] }, { commit: 'established', request: { stream } })).at(-1)
  t.equal(await seen(false), '0 broken malformed')
  t.equal(await seen(true), '0 whole')
})

t.test('a client that leaves', async (t) => {
  t.test('in the middle of a read ends the answer at once, neutrally', async (t) => {
    const controller = new AbortController()
    const { clock, log, run } = await committed(['hang'], {}, { signal: controller.signal })
    await run.arrivals.next()
    const reading = run.arrivals.next()
    await clock.advance(5)
    controller.abort()
    t.match(await reading, { done: true })
    t.strictSame(log, ['5 a abort aborted', '5 a close', '5 over a neutral aborted'])
    t.strictSame([getEventListeners(controller.signal, 'abort').length, clock.pending], [0, 0])
  })

  t.test('is noticed without a read', async (t) => {
    const controller = new AbortController()
    const { log, run, clock } = await committed(['hang'], {}, { signal: controller.signal })
    controller.abort()
    t.strictSame(log, ['0 a abort aborted', '0 a close', '0 over a neutral aborted'])
    t.strictSame([run.end()?.verdict, clock.pending], ['neutral', 0])
  })

  t.test('behind the finish is still a client that left', async (t) => {
    const controller = new AbortController()
    const { log, run } = await committed([arrival(finish), 'hang'], {}, { signal: controller.signal })
    await run.arrivals.next()
    await run.arrivals.next()
    controller.abort()
    t.equal(log.at(-1), '0 over a neutral aborted')
  })

  t.test('is let go by a leg that does not listen', async (t) => {
    const controller = new AbortController()
    const { log, run } = await committed(['hang'], { deaf: true }, { signal: controller.signal })
    await run.arrivals.next()
    const reading = run.arrivals.next()
    controller.abort()
    t.match(await reading, { done: true })
    t.strictSame(log, ['0 a abort aborted', '0 a close', '0 over a neutral aborted'])
  })
})

t.test('a leg that does not listen to its signal holds no reader', async (t) => {
  t.equal((await tail(['hang'], 1_000, { deaf: true })).at(-1), '1000 broken timeout:idle')
  t.equal((await tail([arrival(finish), 'hang'], 1_000, { deaf: true })).at(-1), '100 whole')
})

t.test('leaving early closes and aborts the leg, once', async (t) => {
  const { clock, log, run } = await committed([arrival(text('b')), 'hang'])
  for await (const arrival of run.arrivals) {
    t.equal(contentOf(arrival), 'start,a')
    break
  }
  await run.arrivals.return?.()
  t.match(await run.arrivals.next(), { done: true })
  t.strictSame(log, ['0 a close', '0 a abort aborted', '0 over a neutral aborted'])
  t.equal(clock.pending, 0)
})

t.test('leaving before the first read closes the leg', async (t) => {
  const { clock, log, run } = await committed(['hang'])
  await run.arrivals.return?.()
  t.match(await run.arrivals.next(), { done: true })
  t.strictSame([log, clock.pending], [['0 a close', '0 a abort aborted', '0 over a neutral aborted'], 0])
})

t.test('leaving behind the finish is no failure', async (t) => {
  const { log, run } = await committed([arrival(finish), 'hang'])
  await run.arrivals.next()
  await run.arrivals.next()
  await run.arrivals.return?.()
  t.strictSame(log, ['0 a close', '0 over a success'])
})

t.test('leaving ends a read that waits', async (t) => {
  const { run } = await committed(['hang'], { deaf: true })
  await run.arrivals.next()
  const reading = run.arrivals.next()
  await run.arrivals.return?.()
  t.match(await reading, { done: true })
})

t.test('a second read waits for the first, and the source is never asked twice at once', async (t) => {
  let asked = 0
  let most = 0
  const stage = createStage()
  const items = [first, arrival(text('b')), arrival(text('c')), arrival(finish, end)]
  const playing = stage.play([{
    provider: 'a',
    model: 'm',
    open: () => ({
      form: 'none',
      arrivals: {
        [Symbol.asyncIterator]: () => ({
          async next() {
            most = Math.max(most, ++asked)
            await Promise.resolve()
            asked -= 1
            const value = items.shift()
            return value === undefined ? { done: true, value } : { done: false, value }
          },
        }),
      },
    }),
  }])
  await stage.clock.advance(0)
  const { arrivals } = (await playing) as CommittedRun
  const results = await Promise.all([1, 2, 3, 4, 5].map(() => arrivals.next()))
  t.strictSame(results.map(({ done, value }) => (done === true ? 'done' : contentOf(value))), ['start,a', 'b', 'c', 'finish,end', 'done'])
  t.equal(most, 1)
})

t.test('a source that breaks its word breaks the answer and nothing else', async (t) => {
  const odd: readonly (() => unknown)[] = [
    () => 7,
    () => undefined,
    () => { throw new Error('x') },
    () => Promise.resolve(undefined),
    () => Promise.resolve(null),
    () => Promise.resolve({ get done() { throw new Error('x') } }),
    () => Promise.resolve({ done: false, value: undefined }),
    () => Promise.resolve({ done: false, value: { parts: [null], events: 1 } }),
  ]
  for (const next of odd) {
    const { clock, log, playOut } = createStage()
    const answers = [() => Promise.resolve({ done: false, value: first }), next]
    const done = playOut([{
      provider: 'a',
      model: 'm',
      open: () => ({ form: 'none', arrivals: { [Symbol.asyncIterator]: () => ({ next: () => answers.shift()?.() as never }) } }),
    }])
    await clock.advance(0)
    await done
    t.strictSame([log.at(-1), clock.pending], ['0 broken server_error', 0])
  }
})

t.test('usage is told with the end, whole or not', async (t) => {
  const usage = arrival({ type: 'usage', usage: { inputTokens: 3 } })
  for (const rest of [[usage, arrival(finish, end)], [usage]]) {
    const { run } = await committed(rest)
    for await (const item of run.arrivals) void item
    t.strictSame(run.end()?.usage, { inputTokens: 3 })
  }
})

t.test('an open answer does not hold the request that it answers', async (t) => {
  const settings = { advance: new Set<never>(), commit: 'first_content', retry: { retries: 0, retryOn: new Set<never>(), maxRetryAfterMs: 0 }, limits: {} } as const
  const host = { clock: createSystemClock({ unref: true }), random: Math.random, latencies: createLatencies() }
  const leg: Leg = {
    provider: 'p',
    model: 'm',
    open: () => ({
      form: 'none',
      arrivals: (async function* () {
        yield { parts: [{ type: 'text', text: 'a' }], events: 1 }
        await new Promise(() => undefined)
      })(),
    }),
  }
  const asked = await (async () => {
    const request: ChatRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'b' }] }], stream: true }
    return { weak: new WeakRef(request), outcome: await run([leg], request, settings, host) }
  })()
  // A weak reference holds what it points to until the job that made it is over.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  t.equal(asked.weak.deref(), undefined)
  t.equal(asked.outcome.type, 'committed')
  if (asked.outcome.type === 'committed') await asked.outcome.arrivals.return?.()
})

t.test('an answer that can be read directly is read so from its first read on', async (t) => {
  /** A leg whose reads behind the first are answered when a test says so. */
  function directLeg() {
    const readers: ItemReader<Arrival>[] = []
    const log: string[] = []
    let promised = 0
    let isFirst = true
    const arrivals: DirectIterator<Arrival> = {
      [Symbol.asyncIterator]: () => arrivals,
      next() {
        promised += 1
        return Promise.resolve({ done: true, value: undefined })
      },
      [READ](reader) {
        if (!isFirst) readers.push(reader)
        else reader.onItem({ done: false, value: first })
        isFirst = false
      },
      return() {
        log.push('close')
        return Promise.resolve({ done: true, value: undefined })
      },
    }
    const leg: Leg = { provider: 'a', model: 'm', limits, open: () => ({ form: 'none', arrivals }) }
    return { leg, log, readers, promised: () => promised }
  }

  async function open() {
    const stage = createStage()
    const made = directLeg()
    const playing = stage.play([made.leg])
    await stage.clock.advance(0)
    const run = (await playing) as CommittedRun
    const read: string[] = []
    const direct = directOf(run.arrivals)
    const ask = () => direct?.[READ]({
      onItem: (result) => void read.push(result.done === true ? 'done' : contentOf(result.value)),
      onFailure: t.threw,
    })
    ask()
    ask()
    return { ...made, clock: stage.clock, run, read, ask }
  }

  t.test('at once, without a promise', async (t) => {
    const { readers, read, ask, promised, log, run } = await open()
    t.strictSame([read, promised(), readers.length], [['start,a'], 0, 1])
    readers[0]?.onItem({ done: false, value: arrival(text('b')) })
    ask()
    readers[1]?.onItem({ done: false, value: arrival(finish, end) })
    ask()
    t.strictSame(read, ['start,a', 'b', 'finish,end', 'done'])
    t.strictSame([promised(), log, run.end()?.failure], [0, ['close'], undefined])
  })

  t.test('its end is told once, however it comes, and nothing behind it', async (t) => {
    const ends: Record<string, (made: Awaited<ReturnType<typeof open>>) => Promise<unknown>> = {
      'the idle limit': async ({ clock }) => clock.advance(1_000),
      'a close': async ({ run }) => run.arrivals.return?.(),
      'an end without a finish': async ({ readers }) => readers[0]?.onItem({ done: true, value: undefined }),
    }
    for (const [name, finishes] of Object.entries(ends)) {
      const made = await open()
      await finishes(made)
      made.readers[0]?.onItem({ done: false, value: arrival(text('late')) })
      await made.clock.advance(0)
      t.strictSame([made.read, made.log, made.clock.pending], [['start,a', 'done'], ['close'], 0], name)
    }
  })
})
