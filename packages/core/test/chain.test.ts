import type { ChainOptions, ChatRequestInput, CustomLeg, FallbackEvent, Part } from '@understudy/core'
import { createChain, failureOf, isChainFailedError, isLegFailedError, LegFailedError } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'

const request: ChatRequestInput = { model: 'any', messages: [{ role: 'user', content: 'hi' }] }

const says = (name: string, ...words: string[]): CustomLeg => ({
  name,
  async *open() {
    yield* words
  },
})
const fails = (name: string, thrown: unknown = new Error('CANARY')): CustomLeg => ({
  name,
  // eslint-disable-next-line require-yield
  async *open() {
    throw thrown
  },
})

async function textOf(parts: AsyncIterable<Part>): Promise<string> {
  let all = ''
  for await (const part of parts) if (part.type === 'text') all += part.text
  return all
}

t.test('an answer from anything that yields text, and the failures before it', async (t) => {
  const clock = createFakeClock()
  const chain = createChain({ legs: [fails('down', Object.assign(new Error(), { status: 503 })), says('fixed', 'he', 'llo')], clock })
  const { leg, failures, parts } = await chain.run(request)
  t.strictSame(leg, { provider: 'fixed', model: 'fixed' })
  t.strictSame(failures, [
    {
      outcome: 'failed',
      provider: 'down',
      model: 'down',
      latencyMs: 0,
      failure: { kind: 'server_error', processed: 'maybe', status: 503 },
      health: 'charge',
    },
  ])
  t.equal(await textOf(parts), 'hello')
  t.equal(clock.pending, 0)
})

t.test('a chain runs as often as it is asked to', async (t) => {
  const chain = createChain({ legs: [says('a', 'x')] })
  const answers = await Promise.all([1, 2, 3].map(async () => textOf((await chain.run(request)).parts)))
  t.strictSame(answers, ['x', 'x', 'x'])
})

t.test('every leg fails: one error that holds every row and no words of a leg', async (t) => {
  const chain = createChain({ legs: [fails('a'), fails('b', new LegFailedError(failureOf('rate_limit')))], name: 'chat' })
  const error: unknown = await chain.run(request).catch((thrown: unknown) => thrown)
  if (!isChainFailedError(error)) throw new Error('no ChainFailedError')
  t.equal(error.message, "chain 'chat' failed (exhausted): 2 attempt(s), last rate_limit")
  t.strictSame(error.failures.map((row) => (row.outcome === 'failed' ? row.failure.kind : row.outcome)), ['server_error', 'rate_limit'])
  t.equal(error.failure?.kind, 'rate_limit')
  t.notMatch(JSON.stringify(error), /CANARY/)
})

t.test('what a leg threw is the cause of the error, and stands in no list of members', async (t) => {
  const bug = new ReferenceError('CANARY is not defined')
  const events: FallbackEvent[] = []
  const error: unknown = await createChain({ legs: [fails('a', bug)], on: (event) => events.push(event) }).run(request).catch((thrown: unknown) => thrown)
  if (!isChainFailedError(error)) throw new Error('no ChainFailedError')
  t.equal(error.cause, bug)
  t.equal(error.failure?.cause, bug)
  t.notMatch(JSON.stringify([error, error.failures, events]), /CANARY|cause/)
  const half: CustomLeg = { name: 'a', async *open() { yield 'x'; throw bug } }
  const { parts } = await createChain({ legs: [half] }).run(request)
  t.equal((await textOf(parts).catch((thrown: unknown) => thrown) as Error).cause, bug)
})

t.test('an `open` that gives no async iterable is told what it must give', async (t) => {
  for (const given of [undefined, 'text', Promise.resolve(['a'])]) {
    const leg = { name: 'a', open: () => given } as unknown as CustomLeg
    const error: unknown = await createChain({ legs: [leg] }).run(request).catch((thrown: unknown) => thrown)
    t.match(error, { failure: { kind: 'malformed', code: 'no_iterable' }, cause: { cause: { message: /must give an async iterable/ } } })
  }
})

t.test('no leg is called: the error says which limit it was', async (t) => {
  const error: unknown = await createChain({ legs: [says('a', 'x')], windowMs: 0 }).run(request).catch((thrown: unknown) => thrown)
  t.match(error, { message: "chain 'chain' failed (window): 0 attempt(s), last window", failure: undefined, failures: [{ outcome: 'skipped' }] })
})

t.test('half an answer throws where it breaks off', async (t) => {
  const breaks: CustomLeg = {
    name: 'a',
    async *open() {
      yield 'half'
      throw Object.assign(new Error('x'), { code: 'ECONNRESET' })
    },
  }
  const { parts } = await createChain({ legs: [breaks, says('b', 'x')] }).run(request)
  const error: unknown = await textOf(parts).catch((thrown: unknown) => thrown)
  if (!isLegFailedError(error)) throw new Error('no LegFailedError')
  t.equal(error.failure.kind, 'connection_error')
})

t.test('a leg that yields nothing, an error, or a finish that says error, is a leg that failed', async (t) => {
  const yields = (...items: Part[]): CustomLeg => ({
    name: 'a',
    async *open() {
      yield* items
    },
  })
  for (const leg of [
    says('a'),
    says('a', ''),
    yields({ type: 'error', failure: failureOf('overloaded') }),
    yields({ type: 'start' }, { type: 'finish', reason: 'error' }),
  ]) {
    const { failures, parts } = await createChain({ legs: [leg, says('b', 'x')] }).run(request)
    t.strictSame([failures.length, await textOf(parts)], [1, 'x'])
  }
})

t.test('the client\'s signal ends the run, before and after the commit', async (t) => {
  const controller = new AbortController()
  const seen: string[] = []
  const leg: CustomLeg = {
    name: 'a',
    async *open(_request, { signal }) {
      signal.addEventListener('abort', () => seen.push('aborted'))
      yield 'x'
      await new Promise(() => undefined)
    },
  }
  const { parts } = await createChain({ legs: [leg] }).run(request, { signal: controller.signal })
  const reading = textOf(parts).catch((thrown: unknown) => thrown)
  await new Promise((resolve) => setImmediate(resolve))
  controller.abort()
  t.match(await reading, { failure: { kind: 'aborted' } })
  t.strictSame(seen, ['aborted'])
  const error: unknown = await createChain({ legs: [leg] }).run(request, { signal: controller.signal }).catch((thrown: unknown) => thrown)
  t.match(error, { failure: { kind: 'aborted' }, failures: [] })
})

t.test('a chain can be a leg of another', async (t) => {
  const inner = createChain({ legs: [fails('a'), says('b', 'deep')] })
  const leg: CustomLeg = { name: 'inner', open: async (input, { signal }) => (await inner.run(input, { signal })).parts }
  t.equal(await textOf((await createChain({ legs: [leg] }).run(request)).parts), 'deep')
  const dead = createChain({ legs: [fails('a')] })
  const deadLeg: CustomLeg = { name: 'dead', open: async (input, { signal }) => (await dead.run(input, { signal })).parts }
  t.equal(await textOf((await createChain({ legs: [deadLeg, says('b', 'x')] }).run(request)).parts), 'x')
})

t.test('every option reaches the run', async (t) => {
  const opened: string[] = []
  const limited: CustomLeg = {
    name: 'a',
    open() {
      opened.push('a')
      throw new LegFailedError(failureOf('rate_limit', { retryAfterMs: 8_000 }))
    },
  }
  const run = async (options: Partial<ChainOptions>): Promise<string[]> => {
    opened.length = 0
    const clock = createFakeClock()
    const done = createChain({ legs: [limited, says('b', 'x')], clock, random: () => 0, ...options }).run(request).then(
      ({ leg }) => opened.push(leg.provider),
      () => opened.push('failed'),
    )
    await clock.drain()
    await done
    return [...opened, `${clock.now()}`]
  }
  t.strictSame(
    [
      await run({}),
      await run({ retries: 1 }),
      await run({ retries: 1, maxRetryAfterMs: 8_000 }),
      await run({ retries: 1, maxRetryAfterMs: false }),
      await run({ retries: 1, maxRetryAfterMs: false, retryOn: ['overloaded'] }),
      await run({ retries: 1, maxRetryAfterMs: false, deadlineMs: 8_500 }),
      await run({ retries: 1, maxRetryAfterMs: false, windowMs: 8_500 }),
      await run({ advanceOn: ['timeout'] }),
      await run({ advanceOn: 'triggers' }),
    ],
    [
      ['a', 'b', '0'],
      ['a', 'b', '0'],
      ['a', 'a', 'b', '8000'],
      ['a', 'a', 'b', '8000'],
      ['a', 'b', '0'],
      ['a', 'b', '0'],
      ['a', 'b', '0'],
      ['a', 'failed', '0'],
      ['a', 'b', '0'],
    ],
  )
})

t.test('commit: complete gives no half answer', async (t) => {
  const half: CustomLeg = {
    name: 'a',
    async *open() {
      yield 'half'
      throw new Error('x')
    },
  }
  const { parts } = await createChain({ legs: [half, says('b', 'whole')], commit: 'complete' }).run(request)
  t.equal(await textOf(parts), 'whole')
})

t.test('a listener hears the whole run, and what it throws or rejects with goes no further', async (t) => {
  const events: FallbackEvent[] = []
  const options = { legs: [fails('a'), says('b', 'x')], clock: createFakeClock(), name: 'chat' }
  const chain = createChain({
    ...options,
    on(event) {
      events.push(event)
      throw new Error('a listener that fails')
    },
  })
  t.equal(await textOf((await chain.run(request)).parts), 'x')
  t.strictSame(events.map((event) => `${event.type} ${'requestId' in event ? `${event.requestId} ${event.route}` : ''}`), [
    'attempt-start chat-1 chat',
    'attempt-failure chat-1 chat',
    'failover chat-1 chat',
    'attempt-start chat-1 chat',
    'run-commit chat-1 chat',
    'run-end chat-1 chat',
  ])
  const { at, ...last } = events.at(-1) ?? { at: 0 }
  t.ok(Math.abs(at - Date.now()) < 60_000)
  t.strictSame(last, {
    type: 'run-end', requestId: 'chat-1', route: 'chat', lane: 'standard', requested: 'any', provider: 'b', model: 'b',
    usage: undefined, errorCode: undefined, verdict: 'success', latencyMs: 0,
  })
  t.equal(await textOf((await createChain({ ...options, on: async () => { throw new Error('later') } }).run(request)).parts), 'x')
  await new Promise((resolve) => setImmediate(resolve))
})

t.test('the end of a failed run is told too', async (t) => {
  const events: FallbackEvent[] = []
  await createChain({ legs: [fails('a')], on: (event) => events.push(event) }).run(request).catch(() => undefined)
  t.match(events.at(-1), { type: 'run-end', provider: undefined, errorCode: 'server_error', verdict: 'charge' })
})

t.test('remembers failures from run to run only if it is asked to', async (t) => {
  const events: string[] = []
  const on = ({ type }: FallbackEvent): void => void events.push(type)
  const ask = async (options: Partial<ChainOptions>): Promise<readonly string[]> => {
    const chain = createChain({ legs: [fails('a'), says('b', 'x')], on, ...options })
    let failures: readonly string[] = []
    for (let run = 0; run < 4; run += 1) {
      const { parts, failures: rows } = await chain.run(request)
      await textOf(parts)
      failures = rows.map((row) => (row.outcome === 'skipped' ? row.reason : row.outcome))
    }
    return failures
  }
  t.strictSame([await ask({}), await ask({ breaker: false, cooldown: true })], [['failed'], ['failed']])
  t.notOk(events.includes('breaker-open'))
  t.strictSame(await ask({ breaker: {} }), ['circuit_open'])
  t.ok(events.includes('breaker-open'))
  const limited = [fails('a', Object.assign(new Error(), { status: 429 })), says('b', 'x')]
  t.strictSame([await ask({ legs: limited }), await ask({ legs: limited, cooldown: true })], [['failed'], ['cooldown']])
})

t.test('asks its legs in the order that is asked for', async (t) => {
  const order = { order: 'cost' as const, legs: [{ ...says('a', 'x'), price: 2 }, { ...says('b', 'x'), price: 1 }] }
  t.equal((await createChain(order).run(request)).leg.provider, 'b')
  t.throws(() => createChain({ ...order, order: 'cheapest' as never }), /`order` must be a function, or one of configured, health/)
  t.throws(() => createChain({ ...order, order: 7 as never }), /got number/)
  t.throws(() => createChain({ ...order, breaker: { recoveryMs: 0 } }), /`breaker.recoveryMs` must be an integer of at least 1/)
})
