import type { Arrival, LegAnswer } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { getEventListeners } from 'node:events'
import t from 'tap'
import { arrival, end, finish, ping, start, text, whole, type Script } from './scripted-leg.js'
import { createStage, type Play } from './stage.js'

/** Plays one leg out; another leg behind it would only hide what became of it. */
async function played(script: Omit<Script, 'name'>, ms: number, options?: Play): Promise<string[]> {
  const { clock, log, playOut } = createStage()
  const done = playOut([{ name: 'a', ...script }], options)
  await clock.advance(ms)
  await done
  t.equal(clock.pending, 0, 'no timer is left')
  return log
}

t.test('the connect limit', async (t) => {
  t.test('cuts a leg that is not connected, as a request that nobody saw', async (t) => {
    const { clock, log, play } = createStage()
    const outcome = play([{ name: 'a', open: ['hang'] }])
    await clock.advance(4_999)
    t.strictSame(log, ['0 a open'])
    await clock.advance(1)
    t.match((await outcome).trail, [{ failure: { kind: 'timeout', phase: 'connect', processed: 'no' } }])
    t.strictSame(log.slice(1), ['5000 a abort timeout:connect', '5000 over - charge timeout:connect', '5000 failed exhausted timeout:connect'])
  })

  t.test('ends when the leg says that it is connected, or has opened', async (t) => {
    t.match(await played({ open: [{ wait: 4_999 }, 'connected', { wait: 20_000 }], answer: [whole] }, 30_000), [
      '0 a open', '24999 a commit', '24999 a close',
    ])
    t.match(await played({ open: [{ wait: 4_999 }], answer: [{ wait: 20_000 }, whole] }, 30_000), [
      '0 a open', '24999 a commit', '24999 a close',
    ])
  })
})

t.test('the first-content limit', async (t) => {
  const limits = { firstContentTimeoutMs: 1_000 }

  t.test('runs from the start and through headers, openers and pings, up to the content', async (t) => {
    const slow = (ms: number) => ({
      limits,
      open: [{ wait: 400 }, 'connected' as const, { wait: 400 }],
      answer: [arrival(start), { wait: 100 }, ping, arrival(text('')), { wait: ms }, whole],
    })
    t.equal((await played(slow(99), 1_000))[1], '999 a commit')
    t.strictSame(await played(slow(100), 1_000), [
      '0 a open',
      '1000 a abort timeout:first_content',
      '1000 a close',
      '1000 over - charge timeout:first_content',
      '1000 failed exhausted timeout:first_content',
    ])
  })

  t.test('is not held by pings without end', async (t) => {
    const pings = Array.from({ length: 200 }, () => [ping, { wait: 10 }]).flat()
    t.equal((await played({ limits, answer: pings }, 2_000)).at(-1), '1000 failed exhausted timeout:first_content')
  })

  t.test('is over at the commit', async (t) => {
    const log = await played({ limits, answer: [arrival(text('a')), { wait: 5_000 }, arrival(finish, end)] }, 6_000)
    t.equal(log.at(-1), '5000 whole')
  })

  t.test('is not spent by first_chunk and established once they have committed', async (t) => {
    const script = { limits, answer: [arrival(start), { wait: 5_000 }, whole] }
    t.equal((await played(script, 6_000, { commit: 'first_chunk' })).at(-1), '5000 whole')
    t.equal((await played(script, 6_000, { commit: 'established' })).at(-1), '5000 whole')
  })
})

t.test('the attempt limit', async (t) => {
  const limits = { timeoutMs: 1_000, firstContentTimeoutMs: 5_000 }

  t.test('cuts what has not committed, and is over at the commit of a stream', async (t) => {
    t.equal((await played({ limits, answer: [{ wait: 1_000 }, whole] }, 1_000)).at(-1), '1000 failed exhausted timeout:attempt')
    t.equal((await played({ limits, answer: [{ wait: 999 }, whole] }, 1_000)).at(-1), '999 whole')
    t.equal((await played({ limits, answer: [{ wait: 999 }, arrival(text('a')), { wait: 999 }, arrival(finish, end)] }, 2_000)).at(-1), '1998 whole')
  })

  t.test('covers the whole of a collected answer', async (t) => {
    const answer = [arrival(text('a')), { wait: 600 }, arrival(text('b')), { wait: 400 }, arrival(finish, end)]
    for (const options of [{ commit: 'complete' }, { request: { stream: false } }] as const) {
      t.equal((await played({ limits, answer }, 2_000, options)).at(-1), '1000 failed exhausted timeout:attempt')
    }
  })

  t.test('covers the whole of a buffered answer that was committed at its headers', async (t) => {
    const options = { commit: 'established', request: { stream: false } } as const
    t.strictSame(await played({ limits, form: 'json', answer: [{ wait: 1_000 }, whole] }, 2_000, options), [
      '0 a open',
      '0 a commit',
      '0 committed a',
      '1000 a abort timeout:attempt',
      '1000 a close',
      '1000 over a charge timeout:attempt',
      '1000 broken timeout:attempt',
    ])
    t.equal((await played({ limits, form: 'json', answer: [{ wait: 999 }, whole] }, 2_000, options)).at(-1), '999 whole')
  })
})

t.test('the idle limit of a collected answer', async (t) => {
  const limits = { idleTimeoutMs: 100, firstContentTimeoutMs: 1_000 }
  const commit = 'complete'

  t.test('rules from the first content on, and pings do not feed it', async (t) => {
    const answer = (ms: number) => [{ wait: 999 }, arrival(text('a')), { wait: 50 }, ping, { wait: ms }, arrival(finish, end)]
    t.equal((await played({ limits, answer: answer(49) }, 2_000, { commit })).at(-1), '1098 whole')
    t.equal((await played({ limits, answer: answer(50) }, 2_000, { commit })).at(-1), '1099 failed exhausted timeout:idle')
  })

  t.test('does not rule before it', async (t) => {
    t.equal((await played({ limits, answer: [arrival(start), { wait: 900 }, whole] }, 2_000, { commit })).at(-1), '900 whole')
  })
})

t.test('the grace after the finish of a collected answer', async (t) => {
  const limits = { finishGraceMs: 100 }
  const commit = 'complete'

  t.test('makes it whole, and the socket is dropped', async (t) => {
    t.strictSame(await played({ limits, answer: [arrival(text('a')), arrival(finish), 'hang'] }, 100, { commit }), [
      '0 a open',
      '100 a abort timeout:idle',
      '100 a commit',
      '100 a close',
      '100 over a success',
      '100 committed a',
      '100 read a',
      '100 read finish',
      '100 whole',
    ])
  })

  t.test('is not lengthened by what comes meanwhile', async (t) => {
    const usage = arrival({ type: 'usage', usage: { outputTokens: 1 } })
    const answer = [arrival(text('a'), finish), { wait: 60 }, usage, { wait: 60 }, usage]
    t.equal((await played({ limits, answer }, 200, { commit })).at(-1), '100 whole')
  })

  t.test('makes an answer without output empty', async (t) => {
    t.equal((await played({ limits, answer: [arrival(finish), 'hang'] }, 100, { commit })).at(-1), '100 failed exhausted empty')
  })

  t.test('does not make up for a client that leaves', async (t) => {
    const controller = new AbortController()
    const { clock, log, play } = createStage()
    const outcome = play([{ name: 'a', limits, answer: [arrival(text('a'), finish), 'hang'] }], { commit, signal: controller.signal })
    await clock.advance(50)
    controller.abort()
    await outcome
    t.equal(log.at(-1), '50 failed aborted aborted')
  })
})

t.test('a collected answer is whole behind its finish even if the connection breaks', async (t) => {
  const reset = { fail: Object.assign(new Error(), { code: 'ECONNRESET' }) }
  const commit = 'complete'
  t.equal((await played({ answer: [arrival(text('a'), finish), reset] }, 1, { commit })).at(-1), '0 whole')
  t.equal((await played({ answer: [arrival(text('a')), reset] }, 1, { commit })).at(-1), '0 failed exhausted connection_error')
})

t.test('a leg that fails by itself while it opens is not aborted, so that it can keep its connection', async (t) => {
  const fail = new LegFailedError(failureOf('overloaded', { status: 529 }))
  t.strictSame(await played({ open: [{ fail }] }, 1), ['0 a open', '0 over - charge overloaded', '0 failed exhausted overloaded'])
})

t.test('a leg that fails in the middle of its answer is closed and aborted', async (t) => {
  for (const step of [arrival({ type: 'error', failure: failureOf('overloaded') }), { fail: new LegFailedError(failureOf('overloaded')) }]) {
    t.strictSame(await played({ answer: [arrival(start), step] }, 1), [
      '0 a open', '0 a close', '0 a abort overloaded', '0 over - charge overloaded', '0 failed exhausted overloaded',
    ])
  }
})

t.test('a whole answer is closed and not aborted', async (t) => {
  t.strictSame(await played({ answer: [whole] }, 1), [
    '0 a open', '0 a commit', '0 a close', '0 over a success', '0 committed a', '0 read start,hello,finish,end', '0 whole',
  ])
})

t.test('a leg that does not listen to its signal holds nobody', async (t) => {
  const limits = { firstContentTimeoutMs: 100 }
  const expected = '100 failed exhausted timeout:first_content'
  t.equal((await played({ limits, deaf: true, open: ['hang'] }, 100)).at(-1), expected)
  t.equal((await played({ limits, deaf: true, answer: ['hang'] }, 100)).at(-1), expected)
  t.equal((await played({ limits, deaf: true, answer: ['hang'] }, 100, { commit: 'complete' })).at(-1), expected)
})

t.test('an answer that comes when nobody waits any more is closed', async (t) => {
  const limits = { firstContentTimeoutMs: 100 }
  const { clock, log, play } = createStage()
  const outcome = play([{ name: 'a', limits, deaf: true, open: [{ wait: 500 }], answer: [whole] }])
  await clock.advance(500)
  await outcome
  t.strictSame(log, [
    '0 a open',
    '100 a abort timeout:first_content',
    '100 over - charge timeout:first_content',
    '100 failed exhausted timeout:first_content',
    '500 a close',
  ])
})

t.test('content that comes after the stop does not commit', async (t) => {
  const controller = new AbortController()
  const { clock, log, play } = createStage()
  const outcome = play(
    [{
      provider: 'a',
      model: 'm',
      open: () => ({
        form: 'none',
        arrivals: (async function* () {
          controller.abort()
          yield whole
        })(),
      }),
    }],
    { signal: controller.signal },
  )
  await clock.advance(0)
  t.equal((await outcome).type, 'failed')
  t.strictSame(log, ['0 over - neutral aborted', '0 failed aborted aborted'])
})

t.test('a client that leaves between the arrival and the commit is a client that left', async (t) => {
  const controller = new AbortController()
  const { clock, log, play } = createStage()
  const arrivals: AsyncIterable<Arrival> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        // Two turns on: when the arrival is here and the attempt has not looked at it.
        void Promise.resolve().then(() => undefined).then(() => controller.abort())
        return Promise.resolve({ done: false, value: whole })
      },
    }),
  }
  const outcome = play([{ provider: 'a', model: 'm', open: () => ({ form: 'none', arrivals }) }], { signal: controller.signal })
  await clock.advance(0)
  await outcome
  t.strictSame(log, ['0 over - neutral aborted', '0 failed aborted aborted'])
})

t.test('whatever a leg gives instead of an answer is a failure of that leg', async (t) => {
  const odd: readonly unknown[] = [
    undefined, null, 7, {}, { arrivals: 7 }, { arrivals: {} },
    { arrivals: { [Symbol.asyncIterator]: () => 7 } },
    { arrivals: { [Symbol.asyncIterator]: () => ({ next: () => 7 }) } },
    { arrivals: { [Symbol.asyncIterator]: () => ({ next: () => { throw new Error('x') } }) } },
    { arrivals: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(undefined) }) } },
    { arrivals: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: null }) }) } },
    { arrivals: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: { parts: [null] } }) }) } },
    { form: 'none', arrivals: { [Symbol.asyncIterator]: () => scriptOf(whole) }, onCommit: () => { throw new Error('x') } },
  ]
  for (const answer of odd) {
    for (const open of [() => answer, () => Promise.resolve(answer)]) {
      const { clock, log, play } = createStage()
      const outcome = play([{ provider: 'a', model: 'm', open: open as () => LegAnswer }])
      await clock.advance(0)
      await outcome
      t.strictSame([log, clock.pending], [['0 over - charge server_error', '0 failed exhausted server_error'], 0])
    }
  }
  for (const thrown of [undefined, null, 'no', new Error('x')]) {
    const { clock, play, log } = createStage()
    const outcome = play([{ provider: 'a', model: 'm', open: () => { throw thrown } }])
    await clock.advance(0)
    await outcome
    t.strictSame([log.at(-1), clock.pending], ['0 failed exhausted server_error', 0])
  }
})

t.test('the core leaves no listener on the signal of an attempt', async (t) => {
  const signals: AbortSignal[] = []
  const { clock, play } = createStage()
  const outcome = play([{
    provider: 'a',
    model: 'm',
    open: (_request, { signal }) => {
      signals.push(signal)
      return Promise.resolve({ form: 'none' as const, arrivals: scriptOf(whole) })
    },
  }])
  await clock.advance(0)
  await outcome
  t.strictSame(signals.map((signal) => getEventListeners(signal, 'abort').length), [0])
})

async function* scriptOf(...arrivals: Arrival[]): AsyncGenerator<Arrival> {
  yield* arrivals
}
