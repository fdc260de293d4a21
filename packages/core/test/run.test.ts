import type { ChainLimits, Failure, FallbackEvent, HealthOptions, Leg, RunOutcome } from '@understudy/core'
import { createHealthRegistry, createLatencies, failureOf, LegFailedError } from '@understudy/core'
import { getEventListeners } from 'node:events'
import t from 'tap'
import { timedOut } from '../src/scope.js'
import { arrival, end, finish, start, text, whole, type Script, type Step } from './scripted-leg.js'
import { createStage, rowsOf, type Play } from './stage.js'

const fails = (failure = failureOf('server_error')): Step => ({ fail: new LegFailedError(failure) })
const down = (name: string, failure = failureOf('server_error'), more: Partial<Script> = {}): Script => ({ name, open: [fails(failure)], ...more })
const up = (name: string, more: Partial<Script> = {}): Script => ({ name, answer: [whole], ...more })
const silent = (name: string, more: Partial<Script> = {}): Script => ({ name, answer: ['hang'], ...more })

async function played(legs: readonly Script[], ms: number, options?: Play) {
  const { clock, log, playOut } = createStage()
  const done = playOut(legs, options)
  await clock.advance(ms)
  const outcome = await done
  t.equal(clock.pending, 0, 'no timer is left')
  return { log, outcome, rows: rowsOf(outcome) }
}

t.test('the first leg serves and no other is called', async (t) => {
  const { log, rows } = await played([up('a'), up('b')], 0)
  t.strictSame(log, ['0 a open', '0 a commit', '0 a close', '0 over a success', '0 committed a', '0 read start,hello,finish,end', '0 whole'])
  t.strictSame(rows, ['served a 0'])
})

t.test('legs are asked in order, one at a time, until one serves', async (t) => {
  const { log, rows } = await played([down('a'), silent('b'), { name: 'c', answer: [arrival(start)] }, up('d'), up('e')], 10_000)
  t.strictSame(log, [
    '0 a open',
    '0 b open',
    '10000 b abort timeout:first_content',
    '10000 b close',
    '10000 c open',
    '10000 c close',
    '10000 c abort truncated',
    '10000 d open',
    '10000 d commit',
    '10000 d close',
    '10000 over d success',
    '10000 committed d',
    '10000 read start,hello,finish,end',
    '10000 whole',
  ])
  t.strictSame(rows, [
    'failed a server_error charge 0', 'failed b timeout:first_content charge 10000', 'failed c truncated charge 0', 'served d 0',
  ])
})

t.test('what a leg said before it failed is not part of the answer', async (t) => {
  const { log } = await played([{ name: 'a', answer: [arrival(start), arrival(text('')), fails()] }, up('b')], 0)
  t.strictSame(log.filter((line) => line.includes('read')), ['0 read start,hello,finish,end'])
})

t.test('the traps: what only looks like an answer does not commit', async (t) => {
  const opener = arrival(start)
  const trap: Readonly<Record<string, readonly Step[]>> = {
    'a role opener': [opener],
    'an empty delta': [opener, arrival(text(''))],
    'usage': [arrival({ type: 'usage', usage: { inputTokens: 1 } })],
    'a prompt filter': [{ parts: [], events: 1 }],
    'pings': [{ parts: [], events: 0 }],
  }
  for (const [name, answer] of Object.entries(trap)) {
    t.match((await played([{ name: 'a', answer: [...answer, 'hang'] }, up('b')], 10_000)).rows, [/timeout:first_content/, /served b/], name)
  }
})

t.test('the traps: reasoning and tool calls do commit', async (t) => {
  for (const part of [{ type: 'reasoning', text: 'hm' }, { type: 'tool-call', index: 0, name: 'f', arguments: '' }] as const) {
    const { log } = await played([{ name: 'a', answer: [arrival(part), { wait: 20_000 }, arrival(finish, end)] }, up('b')], 20_000)
    t.equal(log.at(-1), '20000 whole', part.type)
  }
})

t.test('no other leg is tried after the commit', async (t) => {
  const { log } = await played([{ name: 'a', answer: [arrival(text('x')), fails()] }, up('b')], 0)
  t.strictSame(log, [
    '0 a open', '0 a commit', '0 committed a', '0 read x', '0 a close', '0 a abort server_error', '0 over a charge server_error',
    '0 broken server_error',
  ])
})

t.test('every leg fails', async (t) => {
  const { log, outcome } = await played([down('a'), down('b', failureOf('rate_limit'))], 0)
  t.strictSame(log, ['0 a open', '0 b open', '0 over - cooldown rate_limit', '0 failed exhausted rate_limit'])
  t.strictSame(rowsOf(outcome), ['failed a server_error charge 0', 'failed b rate_limit cooldown 0'])
})

t.test('a failure outside the set stops the chain', async (t) => {
  const invalid = failureOf('invalid_request', { status: 400 })
  t.strictSame((await played([down('a', invalid), up('b')], 0)).log, [
    '0 a open', '0 over - neutral invalid_request', '0 failed stopped invalid_request',
  ])
  t.equal((await played([down('a', invalid), up('b')], 0, { advanceOn: 'any' })).log.at(-1), '0 whole')
  t.equal((await played([down('a'), up('b')], 0, { advanceOn: ['timeout'] })).log.at(-1), '0 failed stopped server_error')
  t.equal((await played([down('a', failureOf('refused')), up('b')], 0, { advanceOn: 'any' })).log.at(-1), '0 failed stopped refused')
})

t.test('a chain without legs fails without a failure', async (t) => {
  const { log, outcome } = await played([], 0)
  t.strictSame(log, ['0 over - neutral', '0 failed exhausted -'])
  t.strictSame(outcome, { type: 'failed', cause: 'exhausted', noLeg: undefined, failure: undefined, trail: [] })
})

t.test('how a chain commits', async (t) => {
  const answer = [{ wait: 1 }, arrival(start), { wait: 1 }, arrival(text('a')), { wait: 1 }, arrival(finish, end)]
  const at = async (options: Play) => (await played([{ name: 'a', answer }], 5, options)).log.find((line) => line.endsWith('a commit'))
  const buffered = { stream: false }
  t.strictSame(
    [
      await at({ commit: 'established' }),
      await at({ commit: 'first_chunk' }),
      await at({ commit: 'first_content' }),
      await at({ commit: 'complete' }),
      await at({ commit: 'first_content', request: buffered }),
      await at({ commit: 'first_chunk', request: buffered }),
      await at({ commit: 'complete', request: buffered }),
      await at({ commit: 'established', request: buffered }),
    ].map((line) => line?.split(' ')[0]),
    ['0', '1', '2', '3', '3', '3', '3', '0'],
  )
})

t.test('a buffered answer that breaks in the middle moves on, one that is committed at its headers does not', async (t) => {
  const legs = [{ name: 'a', answer: [arrival(text('x')), fails()] }, up('b')]
  t.equal((await played(legs, 0, { request: { stream: false } })).log.at(-2), '0 read start,hello,finish,end')
  t.equal((await played(legs, 0, { request: { stream: false }, commit: 'established' })).log.at(-1), '0 broken server_error')
})

t.test('a buffered request whose first leg accepts and stays silent is answered by the second, with the defaults', async (t) => {
  const document = { form: 'json', wholeAnswers: true } as const
  const { log } = await played([silent('a', document), up('b', document)], 60_000, { request: { stream: false } })
  t.equal(log.at(-1), '60000 whole')
})

t.test('the defaults know the leg, the request and what is left', async (t) => {
  const cut = async (legs: readonly Script[], options?: Play) => {
    const { log } = await played(legs, 500_000, options)
    return log.find((line) => line.includes('abort'))
  }
  t.equal(await cut([silent('a'), up('b')]), '10000 a abort timeout:first_content')
  t.equal(await cut([silent('a', { reasoning: true }), up('b')]), '60000 a abort timeout:attempt')
  t.equal(await cut([silent('a'), up('b')], { request: { reasoning: true } }), '60000 a abort timeout:attempt')
  t.equal(await cut([silent('a')]), '120000 a abort timeout:attempt')
  t.equal(await cut([silent('a', { wholeAnswers: true }), up('b')]), '10000 a abort timeout:first_content')
})

t.test('the deadline', async (t) => {
  const slow = (name: string) => silent(name, { limits: { firstContentTimeoutMs: 600, timeoutMs: 600 } })

  t.test('cuts the attempt in flight and leaves out the legs behind it', async (t) => {
    const { log, rows } = await played([slow('a'), slow('b'), up('c')], 2_000, { limits: { deadlineMs: 1_000 } })
    t.strictSame(log, [
      '0 a open', '600 a abort timeout:attempt', '600 a close', '600 b open', '1000 b abort timeout:chain', '1000 b close',
      '1000 over - charge timeout:chain', '1000 failed deadline timeout:chain',
    ])
    t.strictSame(rows, ['failed a timeout:attempt charge 600', 'failed b timeout:chain charge 400', 'skipped c window'])
  })

  t.test('is no reason to start a leg with less than it needs', async (t) => {
    const b = up('b')
    t.equal((await played([slow('a'), b], 2_000, { limits: { deadlineMs: 850 } })).log.at(-1), '600 whole')
    const { log, rows } = await played([slow('a'), b], 2_000, { limits: { deadlineMs: 849 } })
    t.strictSame(log.slice(-2), ['600 over - charge timeout:chain', '600 failed deadline timeout:chain'])
    t.strictSame(rows, ['failed a timeout:attempt charge 600', 'skipped b window'])
    t.equal((await played([slow('a'), b], 2_000, { limits: { deadlineMs: 601, minAttemptMs: 1 } })).log.at(-1), '600 whole')
  })

  t.test('cuts even if the chain does not move on for timeouts', async (t) => {
    const { log } = await played([silent('a'), up('b')], 2_000, { limits: { deadlineMs: 1_000 }, advanceOn: ['rate_limit'] })
    t.equal(log.at(-1), '1000 failed deadline timeout:chain')
  })

  t.test('is over at the commit of a stream', async (t) => {
    const answer = [{ wait: 999 }, arrival(text('a')), { wait: 5_000 }, arrival(finish, end)]
    t.equal((await played([{ name: 'a', answer }], 6_000, { limits: { deadlineMs: 1_000 } })).log.at(-1), '5999 whole')
  })

  t.test('covers the whole of a buffered answer, also one that was committed at its headers', async (t) => {
    const legs = [{ name: 'a', answer: [arrival(text('a')), { wait: 1_000 }, arrival(finish, end)] }]
    const options = { limits: { deadlineMs: 1_000 }, request: { stream: false } }
    t.equal((await played(legs, 2_000, options)).log.at(-1), '1000 failed deadline timeout:chain')
    t.equal((await played(legs, 2_000, { ...options, commit: 'established' })).log.at(-1), '1000 broken timeout:chain')
  })

  t.test('is the sum of what the legs may take, and blames no leg\'s silence on the chain', async (t) => {
    const short = (name: string) => silent(name, { limits: { timeoutMs: 1_000, firstContentTimeoutMs: 1_000 } })
    t.equal((await played([short('a'), short('b')], 3_000)).log.at(-1), '2000 failed exhausted timeout:attempt')
    t.equal((await played([short('a')], 3_000)).log.at(-1), '1000 failed exhausted timeout:attempt')
  })

  t.test('is five minutes at most by default, none when it is false, and more when somebody says so', async (t) => {
    const minute = (name: string) => silent(name, { limits: { firstContentTimeoutMs: 60_000 } })
    const legs = ['a', 'b', 'c', 'd', 'e', 'f'].map(minute)
    const last = async (options?: Play) => (await played(legs, 500_000, options)).log.at(-1)
    t.equal(await last(), '300000 failed deadline timeout:chain')
    t.equal(await last({ limits: { deadlineMs: false } }), '360000 failed exhausted timeout:first_content')
    t.equal(await last({ limits: { deadlineMs: 310_000 } }), '310000 failed deadline timeout:chain')
  })

  t.test('of an inner chain is no deadline of ours', async (t) => {
    t.equal((await played([down('a', timedOut('chain')), up('b')], 0)).log.at(-1), '0 whole')
  })
})

t.test('the window', async (t) => {
  const slow = silent('a', { limits: { firstContentTimeoutMs: 600 } })

  t.test('keeps legs from starting and cuts none', async (t) => {
    t.equal((await played([slow, up('b')], 1_000, { limits: { windowMs: 601 } })).log.at(-1), '600 whole')
    const { log, rows } = await played([slow, up('b'), up('c')], 1_000, { limits: { windowMs: 600 } })
    t.strictSame(log.slice(-3), ['600 a close', '600 over - charge timeout:first_content', '600 failed window timeout:first_content'])
    t.strictSame(rows, ['failed a timeout:first_content charge 600', 'skipped b window', 'skipped c window'])
    t.equal((await played([slow, up('b')], 1_000, { limits: { windowMs: 1 } })).log[1], '600 a abort timeout:first_content')
  })

  t.test('of 0 starts nothing', async (t) => {
    const { log, rows } = await played([up('a'), up('b')], 0, { limits: { windowMs: 0 } })
    t.strictSame(log, ['0 over - neutral', '0 failed window -'])
    t.strictSame(rows, ['skipped a window', 'skipped b window'])
  })
})

t.test('retries', async (t) => {
  const twice = { retry: { retries: 2 } }

  t.test('ask the same leg again, then the next; each is a row and no new leg', async (t) => {
    const { log, rows } = await played([down('a'), up('b')], 5_000, twice)
    t.strictSame(log.slice(0, 4), ['0 a open', '250 a open', '750 a open', '750 b open'])
    t.strictSame(rows, ['failed a server_error charge 0', 'failed a server_error charge 0', 'failed a server_error charge 0', 'served b 0'])
  })

  t.test('are the leg\'s own where it has some', async (t) => {
    const { log } = await played([down('a', undefined, { retries: 0 }), down('b', undefined, { retries: 1 }), down('c')], 5_000, twice)
    t.strictSame(log.slice(0, 6), ['0 a open', '0 b open', '250 b open', '250 c open', '500 c open', '1000 c open'])
  })

  t.test('wait for a Retry-After', async (t) => {
    const { log } = await played([down('a', failureOf('rate_limit', { retryAfterMs: 700 })), up('b')], 5_000, { retry: { retries: 1 } })
    t.strictSame(log.slice(0, 3), ['0 a open', '700 a open', '700 b open'])
  })

  t.test('need room in the window and in the deadline', async (t) => {
    const opened = async (limits: ChainLimits) =>
      (await played([down('a'), down('b')], 5_000, { retry: { retries: 1 }, limits })).log.filter((line) => line.includes('a open')).length
    t.strictSame([await opened({ windowMs: 1_250 }), await opened({ windowMs: 1_249 })], [2, 1])
    t.strictSame([await opened({ deadlineMs: 1_250 }), await opened({ deadlineMs: 1_249 })], [2, 1])
  })

  t.test('end with the client, in the sleep, at once', async (t) => {
    const controller = new AbortController()
    const { clock, log, play } = createStage()
    const outcome = play([down('a', failureOf('rate_limit', { retryAfterMs: 5_000 })), up('b')], { retry: { retries: 1 }, signal: controller.signal })
    await clock.advance(100)
    controller.abort()
    await outcome
    t.strictSame(log, ['0 a open', '100 over - neutral aborted', '100 failed aborted aborted'])
    t.equal(clock.pending, 0)
  })

  t.test('end with the deadline when the sleep lasted longer than it should', async (t) => {
    const { clock, log, play } = createStage()
    // A process that was suspended wakes late.
    const { schedule } = clock
    clock.schedule = (delayMs, callback) => schedule(delayMs === 250 ? 1_900 : delayMs, callback)
    const outcome = play([down('a'), up('b')], { retry: { retries: 1 }, limits: { deadlineMs: 2_000 } })
    await clock.advance(2_000)
    t.strictSame(rowsOf(await outcome), ['failed a server_error charge 0', 'skipped b window'])
    t.equal(log.at(-1), '1900 failed deadline timeout:chain')
  })

  t.test('do not happen for a silent leg or one that says no', async (t) => {
    t.strictSame((await played([silent('a', { limits: { firstContentTimeoutMs: 10 } }), up('b')], 100, { retry: { retries: 1, retryOn: new Set(['timeout'] as const) } })).rows, [
      'failed a timeout:first_content charge 10', 'served b 0',
    ])
    t.strictSame((await played([down('a', failureOf('server_error', { shouldRetry: false })), up('b')], 5_000, twice)).rows, [
      'failed a server_error charge 0', 'served b 0',
    ])
  })

  t.test('come before the question whether to move on', async (t) => {
    const { log } = await played([down('a'), up('b')], 5_000, { ...twice, advanceOn: ['timeout'] })
    t.strictSame(log.slice(0, 3), ['0 a open', '250 a open', '750 a open'])
    t.equal(log.at(-1), '750 failed stopped server_error')
  })
})

t.test('a client that leaves before the commit', async (t) => {
  t.test('stops the attempt in flight, neutrally, and no further leg starts', async (t) => {
    const controller = new AbortController()
    const { clock, log, play } = createStage()
    const outcome = play([silent('a'), up('b')], { signal: controller.signal })
    await clock.advance(50)
    controller.abort()
    t.strictSame(rowsOf(await outcome), ['failed a aborted neutral 50'])
    t.strictSame(log, ['0 a open', '50 a abort aborted', '50 a close', '50 over - neutral aborted', '50 failed aborted aborted'])
    t.strictSame([clock.pending, getEventListeners(controller.signal, 'abort').length], [0, 0])
  })

  t.test('while a leg opens', async (t) => {
    const controller = new AbortController()
    const { clock, log, play } = createStage()
    const outcome = play([{ name: 'a', open: ['hang'], deaf: true }, up('b')], { signal: controller.signal })
    await clock.advance(50)
    controller.abort()
    await outcome
    t.strictSame(log, ['0 a open', '50 a abort aborted', '50 over - neutral aborted', '50 failed aborted aborted'])
  })

  t.test('moves on for no set', async (t) => {
    const controller = new AbortController()
    const { clock, log, play } = createStage()
    const outcome = play([silent('a'), up('b')], { signal: controller.signal, advanceOn: 'any' })
    await clock.advance(1)
    controller.abort()
    await outcome
    t.equal(log.at(-1), '1 failed aborted aborted')
  })

  t.test('before the first leg: none starts and nothing is listened to', async (t) => {
    const signal = AbortSignal.abort()
    const { log, rows } = await played([up('a'), up('b')], 0, { signal })
    t.strictSame([log, rows], [['0 over - neutral aborted', '0 failed aborted aborted'], []])
    t.equal(getEventListeners(signal, 'abort').length, 0)
  })

  t.test('while a listener hears of the attempt: the leg is not called', async (t) => {
    const controller = new AbortController()
    const { clock, log, play } = createStage()
    const outcome = play([up('a'), up('b')], { signal: controller.signal, onEvent: () => controller.abort() })
    await clock.advance(0)
    t.strictSame(rowsOf(await outcome), ['failed a aborted neutral 0'])
    t.strictSame(log, ['0 over - neutral aborted', '0 failed aborted aborted'])
  })
})

t.test('a host may stop a run; its reason is the run\'s', async (t) => {
  for (const leg of [silent('a'), up('a', { answer: [arrival(text('x')), 'hang'] }), down('a', failureOf('rate_limit', { retryAfterMs: 500 }))]) {
    const { clock, log, playOut } = createStage()
    let stop: (failure: Failure) => void = () => undefined
    const done = playOut([leg, up('b')], { retry: { retries: 1 }, onStart: (given) => (stop = given) })
    await clock.advance(5)
    stop(failureOf('aborted', { code: 'closing' }))
    const outcome = await done
    t.match(outcome.type === 'failed' ? outcome.failure : outcome.end()?.failure, { kind: 'aborted', code: 'closing' })
    t.notOk(log.some((line) => line.includes('b open')))
    t.equal(clock.pending, 0)
  }
})

t.test('twelve legs on one signal keep one listener on it, and none after the end', async (t) => {
  const { signal } = new AbortController()
  const counts = new Set<number>()
  const legs = Array.from({ length: 12 }, (_, index): Leg => ({
    provider: `p${index}`,
    model: 'm',
    open() {
      counts.add(getEventListeners(signal, 'abort').length)
      throw new Error('down')
    },
  }))
  const { clock, play } = createStage()
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  const outcome = play(legs, { signal })
  await clock.advance(0)
  await outcome
  process.off('warning', onWarning)
  t.strictSame([[...counts], getEventListeners(signal, 'abort').length, warnings], [[1], 0, []])
})

t.test('no listener and no timer is left, however a run ends', async (t) => {
  const { signal } = new AbortController()
  const endings: readonly (readonly Script[])[] = [
    [up('a')],
    [down('a')],
    [down('a', failureOf('invalid_request'))],
    [silent('a', { limits: { timeoutMs: 5 } })],
    [{ name: 'a', answer: [arrival(text('a')), arrival(finish), 'hang'] }],
    [{ name: 'a', answer: [arrival(text('a')), 'hang'] }],
    [{ name: 'a', answer: [arrival(text('a')), fails()] }],
    [],
  ]
  for (const legs of endings) await played(legs, 100_000, { signal })
  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('events come in order, with every move once', async (t) => {
  const events: FallbackEvent[] = []
  const legs = [down('a', failureOf('overloaded', { status: 529 }), { retries: 1 }), down('b', failureOf('not_found')), { name: 'c', answer: [arrival(text('x')), fails()] }]
  await played(legs, 1_000, { onEvent: (event) => events.push(event) })
  t.strictSame(
    events.map((event) => {
      switch (event.type) {
        case 'attempt-failure':
          return `${event.at} ${event.type} ${event.provider} ${event.attempt} ${event.kind} ${event.verdict} ${event.committed}`
        case 'failover':
          return `${event.at} ${event.type} ${event.from} ${event.to} ${event.reason}`
        case 'attempt-start':
        case 'run-commit':
          return `${event.at} ${event.type} ${event.provider} ${event.attempt}`
        default:
          return event.type
      }
    }),
    [
      '0 attempt-start a 1',
      '0 attempt-failure a 1 overloaded charge false',
      '250 attempt-start a 2',
      '250 attempt-failure a 2 overloaded charge false',
      '250 failover a/a-1 b/b-1 overloaded',
      '250 attempt-start b 3',
      '250 attempt-failure b 3 not_found neutral false',
      '250 failover b/b-1 c/c-1 not_found',
      '250 attempt-start c 4',
      '250 run-commit c 4',
      '250 attempt-failure c 4 server_error charge true',
    ],
  )
})

t.test('a leg that is left out is no move', async (t) => {
  const events: FallbackEvent[] = []
  await played([down('a'), up('b')], 0, { limits: { windowMs: 0 }, onEvent: (event) => events.push(event) })
  t.strictSame(events.map(({ type }) => type), ['leg-skipped', 'leg-skipped'])
})

t.test('the same leg twice in a chain is two legs', async (t) => {
  const events: string[] = []
  const same = { provider: 'a', model: 'm', open: () => { throw new Error('down') } }
  const { clock, play } = createStage()
  const outcome = play([same, same], { onEvent: ({ type }) => events.push(type) })
  await clock.advance(0)
  await outcome
  t.strictSame(events, ['attempt-start', 'attempt-failure', 'failover', 'attempt-start', 'attempt-failure'])
})

t.test('under safe, only what was provably not processed moves on to another provider, or is retried', async (t) => {
  const refused = failureOf('connection_error', { processed: 'no' })
  const maybe = failureOf('connection_error', { processed: 'maybe' })
  const asked = async (legs: readonly Script[], retry: Play['retry'] = {}) => {
    const { log } = await played(legs, 60_000, { idempotency: 'safe', retry })
    return log.filter((line) => / open$|failed|committed/.test(line)).map((line) => line.replace(/^\d+ /, ''))
  }
  t.strictSame(await asked([down('a', refused), up('b')]), ['a open', 'b open', 'committed b'])
  t.strictSame(await asked([down('a', maybe), up('b')]), ['a open', 'failed exhausted connection_error'])
  t.strictSame(await asked([down('a', maybe), up('b'), up('a')]), ['a open', 'a open', 'committed a'], 'the same provider again')
  t.strictSame(await asked([down('a', maybe)], { retries: 1 }), ['a open', 'failed exhausted connection_error'])
  t.strictSame(await asked([down('a', refused)], { retries: 1 }), ['a open', 'a open', 'failed exhausted connection_error'])
})

t.test('bound to a provider, a leg has the limits of a last one when none of that provider is behind it, and each that is passed over says so', async (t) => {
  const maybe = failureOf('server_error')
  const { log, rows } = await played([down('a', maybe), silent('a'), up('b'), up('c')], 200_000, { idempotency: 'safe' })
  t.strictSame(log.filter((line) => line.includes('abort')), ['120000 a abort timeout:attempt'])
  t.strictSame(rows, [
    'failed a server_error charge 0', 'failed a timeout:attempt charge 120000', 'skipped b refused', 'skipped c refused',
  ])
  const more = await played([down('a', maybe), silent('a'), up('b'), up('a')], 200_000, { idempotency: 'safe' })
  t.strictSame(more.rows, ['failed a server_error charge 0', 'failed a timeout:first_content charge 10000', 'skipped b refused', 'served a 0'])
})

t.test('under safe, a leg that nobody of its provider stands behind has all its time', async (t) => {
  const patient = { idempotency: 'safe' as const }
  const slow = (name: string) => silent(name)
  t.strictSame((await played([slow('a'), up('b')], 200_000, patient)).rows, ['failed a timeout:attempt charge 120000', 'skipped b refused'])
  t.strictSame((await played([slow('a'), slow('a'), up('b')], 200_000, patient)).rows, [
    'failed a timeout:first_content charge 10000', 'failed a timeout:attempt charge 120000', 'skipped b refused',
  ])
  const refused = failureOf('connection_error', { processed: 'no' })
  const { rows } = await played([down('a', refused), slow('b'), up('c')], 300_000, patient)
  t.strictSame(rows, ['failed a connection_error charge 0', 'failed b timeout:attempt charge 120000', 'skipped c refused'], 'within the deadline')
})

t.test('the window and the deadline are told apart', async (t) => {
  const { log, rows } = await played([silent('a'), up('b')], 1_000, { limits: { windowMs: 200, deadlineMs: 600 } })
  t.equal(log.at(-1), '600 failed deadline timeout:chain', 'what the deadline cut')
  t.strictSame(rows, ['failed a timeout:chain charge 600', 'skipped b window'])

  const { clock, play } = createStage()
  const slow: Play['gate'] = (_leg, leftMs) =>
    new Promise((resolve) => clock.schedule(leftMs, () => resolve(failureOf('timeout', { phase: 'chain', processed: 'no' }))))
  for (const [limits, cause] of [[{ windowMs: 300 }, 'window'], [{ windowMs: 300, deadlineMs: 200 }, 'deadline']] as const) {
    const done = play([up('a'), up('b')], { limits, gate: slow })
    await clock.advance(300)
    const outcome = await done
    t.match(outcome, { type: 'failed', cause })
    t.strictSame(rowsOf(outcome), ['skipped a window', 'skipped b window'], 'a gate that thinks too long asks nobody')
  }
})

t.test('a fault of our own is charged to nobody, is not retried, and the next leg is asked', async (t) => {
  const ours = failureOf('server_error', { processed: 'no', internal: true })
  const retry = { retries: 2 }
  for (const options of [{}, { idempotency: 'safe' as const }]) {
    const { log, rows } = await played([down('a', ours), up('b')], 60_000, { retry, ...options })
    t.strictSame(rows, ['failed a server_error neutral 0', 'served b 0'])
    t.equal(log.filter((line) => line.endsWith('a open')).length, 1)
  }
  for (const counts of ['table', 'sdk', ['server_error']] as const) {
    const { clock, play } = createStage()
    const registry = createHealthRegistry({ clock, breaker: { counts, failureThreshold: 1 }, cooldown: false })
    await play([down('a', ours)], { health: () => registry.forRun() })
    t.match(registry.snapshot().breakers, [{ state: 'closed' }], String(counts))
  }
})

t.test('a gate that never settles holds nobody: the run ends when it is stopped, and asks no leg', async (t) => {
  let stop: (failure: Failure) => void = () => undefined
  const { log, play } = createStage()
  const done = play([up('a')], { gate: () => new Promise(() => undefined), onStart: (given) => (stop = given) })
  stop(failureOf('aborted', { code: 'closed' }))
  t.match(await done, { type: 'failed', cause: 'aborted', failure: { code: 'closed' } })
  t.notMatch(log.join(), 'open')
})

t.test('a leg of which the gate finds that it has no words is left out as such, or ends the run', async (t) => {
  const gate: Play['gate'] = ({ provider }) => (provider === 'a' ? { untranslatable: 'seed' } : undefined)
  const skipped = await played([up('a'), up('b')], 0, { gate })
  t.strictSame(skipped.rows, ['skipped a untranslatable', 'served b 0'])
  const refused = await played([up('a'), up('b')], 0, { gate, untranslatable: 'refuse' })
  t.match(refused.outcome, { type: 'failed', cause: 'untranslatable', trail: [{ feature: 'seed' }] })
})

t.test('the gate is asked before each attempt: it leaves a leg out, or ends the run as refused', async (t) => {
  const stopped = failureOf('refused', { status: 429 })
  const answers: Readonly<Record<string, 'skip' | Failure | undefined>> = { b: 'skip', d: stopped }
  const events: FallbackEvent[] = []
  const gate: Play['gate'] = (leg) => Promise.resolve(answers[leg.provider])
  const { log, outcome, rows } = await played([down('a'), up('b'), down('c'), up('d'), up('e')], 0, {
    gate,
    advanceOn: 'any',
    onEvent: (event) => events.push(event),
  })
  t.strictSame(log, ['0 a open', '0 c open', '0 over - neutral refused', '0 failed stopped refused'])
  t.strictSame(rows, ['failed a server_error charge 0', 'skipped b refused', 'failed c server_error charge 0', 'skipped d refused'])
  t.match(outcome, { type: 'failed', failure: { kind: 'refused', status: 429 } })
  t.strictSame(
    events.map(({ type }) => type),
    ['attempt-start', 'attempt-failure', 'leg-skipped', 'failover', 'attempt-start', 'attempt-failure', 'leg-skipped'],
    'a leg that was left out is no failover',
  )
})

t.test('the gate is asked again for a retry, and a client that left while it thought is asked for nothing more', async (t) => {
  const gated: string[] = []
  await played([down('a'), up('b')], 60_000, {
    retry: { retries: 1 },
    gate(leg, leftMs) {
      gated.push(`${leg.provider} ${leftMs > 0}`)
      return undefined
    },
  })
  t.strictSame(gated, ['a true', 'a true', 'b true'])

  const client = new AbortController()
  const { log } = await played([up('a')], 0, {
    signal: client.signal,
    gate() {
      client.abort()
      return Promise.resolve(undefined)
    },
  })
  t.strictSame(log, ['0 over - neutral aborted', '0 failed aborted aborted'])
})

/** Runs one after another over the same memory of health. */
function remembering(options: Partial<HealthOptions> = {}) {
  const stage = createStage()
  const { clock } = stage
  const events: string[] = []
  const registry = createHealthRegistry({ clock, random: () => 0.5, on: ({ type }) => void events.push(type), ...options })
  async function ask(legs: readonly Script[], ms = 0, play: Play = {}): Promise<RunOutcome> {
    const done = stage.playOut(legs, { health: registry.forRun, ...play })
    await clock.advance(ms)
    return done
  }
  return { ...stage, events, registry, ask }
}

const shownAs = (outcome: RunOutcome): string => rowsOf(outcome).join(', ')

t.test('a provider that keeps failing is left out, then probed in its place, and comes back', async (t) => {
  const { ask, clock, events } = remembering({ breaker: { recoveryMs: 1_000 } })
  for (let run = 0; run < 3; run += 1) await ask([down('a'), up('b')])
  t.equal(shownAs(await ask([down('a'), up('b')])), 'skipped a circuit_open, served b 0')
  await clock.advance(1_000)
  t.equal(shownAs(await ask([up('a'), up('b')])), 'served a 0')
  t.strictSame(events, ['breaker-open', 'breaker-half-open'])
  await ask([up('a'), up('b')])
  t.strictSame(events, ['breaker-open', 'breaker-half-open', 'breaker-closed'])
})

t.test('the verdict falls at the end of the answer, not at the commit', async (t) => {
  const breaks: Script = { name: 'a', answer: [arrival(text('x')), fails()] }
  const { ask, registry } = remembering()
  for (let run = 0; run < 3; run += 1) t.equal(shownAs(await ask([breaks, up('b')])), 'served a 0')
  t.match(registry.snapshot().breakers, [{ provider: 'a', state: 'open', lastVerdict: 'charge' }])
  t.equal(shownAs(await ask([breaks, up('b')])), 'skipped a circuit_open, served b 0')
})

t.test('a client that leaves gives the slot of a probe back', async (t) => {
  const { ask, clock, registry } = remembering({ breaker: { failureThreshold: 1, recoveryMs: 1_000 } })
  await ask([down('a')])
  await clock.advance(1_000)
  const client = new AbortController()
  clock.schedule(5, () => client.abort())
  t.equal(shownAs(await ask([silent('a'), up('b')], 5, { signal: client.signal })), 'failed a aborted neutral 5')
  t.match(registry.snapshot().breakers, [{ state: 'half-open', lastVerdict: 'charge' }])
  t.equal(shownAs(await ask([up('a'), up('b')])), 'served a 0')
})

t.test('retries of one run charge its provider once, and end where its breaker opens', async (t) => {
  const { ask, log } = remembering()
  const retry = { retries: 2 }
  await ask([down('a'), up('b')], 60_000, { retry })
  await ask([down('a'), up('b')], 60_000, { retry })
  const before = log.filter((line) => line.endsWith('a open')).length
  await ask([down('a'), up('b')], 60_000, { retry })
  t.strictSame([before, log.filter((line) => line.endsWith('a open')).length], [6, 7])
})

t.test('a 429 rests its leg, but not the retry that waits for what it asked', async (t) => {
  const { ask, log } = remembering()
  const limited = failureOf('rate_limit', { retryAfterMs: 2_000 })
  await ask([down('a', limited), up('b')], 2_000, { retry: { retries: 1 } })
  t.strictSame(log.filter((line) => line.endsWith(' open')), ['0 a open', '2000 a open', '2000 b open'])
  t.equal(shownAs(await ask([up('a'), up('b')])), 'skipped a cooldown, served b 0')
})

t.test('with every leg out, the run ends at once and says when to come back', async (t) => {
  const { ask } = remembering({ breaker: { failureThreshold: 1, recoveryMs: 10_000 } })
  await ask([down('a'), down('b', failureOf('rate_limit', { retryAfterMs: 3_000 }))])
  const outcome = await ask([up('a'), up('b')])
  t.match(outcome, { type: 'failed', cause: 'no_leg', noLeg: { status: 503, retryAfterSeconds: 3 }, failure: undefined })
  t.equal(shownAs(outcome), 'skipped a circuit_open, skipped b cooldown')
  t.equal(shownAs(await ask([up('a'), up('b')], 0, { plan: { whenAllOpen: 'try' } })), 'served a 0')
})

t.test('an open leg stops the run, where that is asked for', async (t) => {
  const { ask } = remembering({ breaker: { failureThreshold: 1 } })
  await ask([down('a')])
  const plan = { whenOpen: 'stop' as const }
  const outcome = await ask([down('b', failureOf('empty')), up('a'), up('c')], 0, { plan })
  t.match(outcome, { cause: 'circuit_open', noLeg: { status: 503, retryAfterSeconds: 60 }, failure: { kind: 'empty' } })
  t.equal(shownAs(outcome), 'failed b empty charge 0, skipped a circuit_open')
})

t.test('what counts is what the breaker is told to count', async (t) => {
  const { ask, registry } = remembering({ breaker: { counts: 'sdk' } })
  const outcome = await ask([down('a', failureOf('rate_limit')), down('b', failureOf('auth_error', { status: 401 }))])
  t.equal(shownAs(outcome), 'failed a rate_limit charge 0, failed b auth_error neutral 0')
  t.match(registry.snapshot().breakers, [{ lastVerdict: 'charge' }, { lastVerdict: 'neutral' }])
})

t.test('an answer that breaks is worth the same to the run, to the events and to the breaker', async (t) => {
  const verdicts: unknown[] = []
  const onEvent = (event: FallbackEvent): void => void ('verdict' in event && verdicts.push(event.verdict))
  const { ask, registry, log } = remembering({ breaker: { counts: 'sdk' } })
  const breaks: Script = { name: 'a', answer: [arrival(text('x')), { fail: new LegFailedError(failureOf('auth_error', { status: 401 })) }] }
  const outcome = await ask([breaks], 0, { onEvent })
  t.match(outcome, { type: 'committed' })
  t.strictSame([outcome.type === 'committed' && outcome.end()?.verdict, verdicts], ['neutral', ['neutral']])
  t.match(registry.snapshot().breakers, [{ lastVerdict: 'neutral' }])
  t.ok(log.some((line) => line.endsWith('over a neutral auth_error')))
})

t.test('answers that ended well say how fast a leg is', async (t) => {
  const latencies = createLatencies()
  const { ask } = remembering()
  const slow: Script = { name: 'a', answer: [{ wait: 30 }, arrival(text('x')), { wait: 50 }, arrival(finish, end)] }
  const breaks: Script = { name: 'b', answer: [arrival(text('x')), fails()] }
  for (let run = 0; run < 3; run += 1) await ask([slow], 80, { latencies })
  for (let run = 0; run < 3; run += 1) await ask([breaks], 0, { latencies })
  t.strictSame(['a', 'b'].map((provider) => latencies.medianOf({ provider, model: `${provider}-1` }, true)), [30, undefined])
})

t.test('a leg that has no words for the request is left out, or stops the run there', async (t) => {
  const mute = (name: string, feature = 'seed'): Script => up(name, { untranslatable: () => feature })
  const left = await played([mute('a'), down('b'), mute('c', 'n'), up('d')], 0)
  t.strictSame(left.log.filter((line) => line.includes('open')), ['0 b open', '0 d open'])
  t.strictSame(left.outcome.trail.map((row) => (row.outcome === 'skipped' ? [row.provider, row.reason, row.feature] : [row.provider, row.outcome])), [
    ['a', 'untranslatable', 'seed'], ['b', 'failed'], ['c', 'untranslatable', 'n'], ['d', 'served'],
  ])
  const stopped = await played([down('a'), mute('b'), up('c')], 0, { untranslatable: 'refuse' })
  t.match(stopped.outcome, { type: 'failed', cause: 'untranslatable', failure: { kind: 'server_error' } })
  t.strictSame(stopped.rows, ['failed a server_error charge 0', 'skipped b untranslatable'])
  const alone = await played([silent('a'), mute('b')], 130_000)
  t.match(alone.outcome, { trail: [{ failure: { kind: 'timeout', phase: 'attempt' }, latencyMs: 120_000 }, { outcome: 'skipped' }] }, 'it counts for no leg that is left')
  const none = await played([mute('a'), mute('b')], 0)
  t.match(none.outcome, { type: 'failed', cause: 'untranslatable', failure: undefined })
  const some = await played([mute('a'), down('b')], 0)
  t.match(some.outcome, { type: 'failed', cause: 'exhausted' })
})
