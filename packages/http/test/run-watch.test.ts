import { failureOf, LegFailedError } from '@understudy/core'
import type { AttemptRecord, CustomLeg, FallbackEvent } from '@understudy/core'
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import t from 'tap'

import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { createEventHub } from '../src/event-hub.js'
import { createLegWatch } from '../src/leg-watch.js'
import { createRunEnd } from '../src/run-end.js'
import { createWarn } from '../src/warnings.js'
import { chat, EPOCH, fails, fallbackOf, hangs, heard, iteratorOf, listen, post, providersOn, says, simulate, stream, textOf } from './kit.js'

const ID = { headers: { 'x-request-id': 'r-1' } }
const RUN = { requestId: 'r-1', route: 'chat', at: EPOCH }
const GROUND = { wallClock: () => EPOCH }
const overloaded = new LegFailedError(failureOf('overloaded', { status: 529, code: 'busy', usage: { inputTokens: 3 } }))

const USAGE = { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } } as const

/** Without its times, in a form that is compared strictly: absent and undefined are one. */
function plain(events: readonly FallbackEvent[]): unknown {
  return JSON.parse(JSON.stringify(events, (key, value: unknown) => (key === 'latencyMs' ? 0 : value)))
}

function recorder() {
  const lines: (readonly [level: string, fields: unknown, message: string])[] = []
  const line = (level: string) => (fields: unknown, message: string) => void lines.push([level, fields, message])
  return { lines, logger: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') } }
}

t.test('a rescued run, event by event', async (t) => {
  const fallback = fallbackOf(t, { chat: [fails('bad', overloaded), says('good', 'Hi', USAGE)] }, {}, GROUND)
  const events = listen(fallback)
  await textOf(await fallback.handle(stream({}, ID)))
  await heard()
  const bad = { ...RUN, provider: 'bad', model: 'bad' }
  const good = { ...RUN, provider: 'good', model: 'good' }
  t.strictSame(plain(events), [
    { type: 'attempt-start', ...bad, attempt: 1 },
    { type: 'attempt-failure', ...bad, attempt: 1, kind: 'overloaded', status: 529, code: 'busy', verdict: 'charge', usage: { inputTokens: 3 }, latencyMs: 0, committed: false },
    { type: 'failover', ...RUN, from: 'bad/bad', to: 'good/good', reason: 'overloaded', latencyMs: 0 },
    { type: 'attempt-start', ...good, attempt: 2 },
    { type: 'run-commit', ...good, attempt: 2, latencyMs: 0 },
    { type: 'run-end', ...good, lane: 'standard', requested: 'chat', usage: { inputTokens: 1, outputTokens: 2 }, status: 200, verdict: 'success', latencyMs: 0 },
  ])
})

t.test('a buffered run ends with its usage; a failed one with its status and code', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('good', 'Hi', USAGE)], down: [fails('bad', overloaded), fails('worse', new Error('no'))] }, {}, GROUND)
  const events = listen(fallback)
  await fallback.handle(chat({}, ID))
  await fallback.handle(chat({ model: 'down' }, ID))
  await heard()
  const ends = events.filter(({ type }) => type === 'run-end')
  t.strictSame(plain(ends), [
    { type: 'run-end', ...RUN, lane: 'standard', requested: 'chat', provider: 'good', model: 'good', usage: { inputTokens: 1, outputTokens: 2 }, status: 200, verdict: 'success', latencyMs: 0 },
    { type: 'run-end', ...RUN, route: 'down', lane: 'standard', requested: 'down', status: 502, errorCode: 'all_legs_failed', verdict: 'charge', latencyMs: 0 },
  ])
  t.strictSame(
    events.filter((event) => 'route' in event && event.route === 'down').map(({ type }) => type),
    ['attempt-start', 'attempt-failure', 'failover', 'attempt-start', 'attempt-failure', 'run-end'],
  )
})

t.test('a leg that is left out has an event of its own', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] }, { windowMs: 0 }, GROUND)
  const events = listen(fallback)
  await fallback.handle(chat({}, ID))
  await heard()
  t.strictSame(plain(events), [
    { type: 'leg-skipped', ...RUN, provider: 'one', model: 'one', reason: 'window' },
    { type: 'run-end', ...RUN, lane: 'standard', requested: 'chat', status: 503, errorCode: 'no_leg_available', verdict: 'neutral', latencyMs: 0 },
  ])
})

t.test('a stream that broke ends with what its client was told', async (t) => {
  const broken: CustomLeg = {
    name: 'broken',
    async *open() {
      yield 'Hi'
      throw overloaded
    },
  }
  const fallback = fallbackOf(t, { chat: [broken] }, {}, GROUND)
  const events = listen(fallback)
  await textOf(await fallback.handle(stream({}, ID)))
  await heard()
  t.match(events, [
    { type: 'attempt-start' },
    { type: 'run-commit' },
    { type: 'attempt-failure', kind: 'overloaded', committed: true, verdict: 'charge' },
    { type: 'run-end', provider: 'broken', status: 200, errorCode: 'upstream_error', verdict: 'charge' },
  ])
  t.equal(events.length, 4)
})

t.test('a client that left has no status before its head, is charged to nobody, and ends its run once', async (t) => {
  const fallback = fallbackOf(t, { chat: [hangs('silent')], talks: [hangs('talks', 'Hi')] }, {}, GROUND)
  const events = listen(fallback)
  const early = chat({}, ID)
  const answering = fallback.handle(early)
  early.leave()
  await answering

  const late = stream({ model: 'talks' }, ID)
  const reader = iteratorOf(await fallback.handle(late))
  await reader.next()
  late.leave()
  while ((await reader.next()).done !== true) continue
  await reader.return?.()
  await heard()
  const rest = { lane: 'standard', errorCode: 'aborted', verdict: 'neutral', latencyMs: 0 }
  t.strictSame(plain(events.filter(({ type }) => type === 'run-end')), [
    { type: 'run-end', ...RUN, requested: 'chat', ...rest },
    { type: 'run-end', ...RUN, route: 'talks', requested: 'talks', provider: 'talks', model: 'talks', status: 200, ...rest },
  ])
})

t.test('a request that never became a run has no event', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] })
  const events = listen(fallback)
  await fallback.handle(post('{'))
  await heard()
  t.strictSame(events, [])
})

t.test('events come after the bytes', async (t) => {
  const fallback = fallbackOf(t, { chat: [fails('bad', overloaded), says('good', 'Hi')] })
  const log: string[] = []
  fallback.on(({ type }) => log.push(type))
  const response = await fallback.handle(stream())
  log.push('head')
  const reader = iteratorOf(response)
  for (let item = await reader.next(); item.done !== true; item = await reader.next()) log.push('bytes')
  log.push('over')
  await heard()
  const events = ['attempt-start', 'attempt-failure', 'failover', 'attempt-start', 'run-commit', 'run-end']
  t.strictSame(log.filter((entry) => entry !== 'bytes'), ['head', 'over', ...events])
  t.equal(log.indexOf('over'), log.lastIndexOf('bytes') + 1)
})

t.test('nothing is made when nobody listens, and a listener that was taken away hears no more', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] }, {}, { ...GROUND, clock: createFakeClock() })
  const events: FallbackEvent[] = []
  const add = (event: FallbackEvent) => void events.push(event)
  const off = [fallback.on(add), fallback.on(add)]
  off[0]?.()
  off[0]?.()
  await fallback.handle(chat())
  await heard()
  t.equal(events.length, 3, 'the same function added twice is told twice, and once when one is taken away')
  off[1]?.()
  await fallback.handle(chat())
  await heard()
  t.equal(events.length, 3)
})

t.test('a listener\'s trouble is counted and goes no further', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] })
  fallback.on(() => {
    throw new Error('no')
  })
  fallback.on(() => Promise.reject(new Error('no')) as never)
  fallback.on(() => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('no')) }) as never)
  const events = listen(fallback)
  t.equal((await fallback.handle(chat())).status, 200)
  await heard()
  t.equal(fallback.snapshot().listenerErrors, 9)
  t.equal(events.length, 3, 'and the others hear everything')
})

t.test('the hub', async (t) => {
  const event = { type: 'run-commit', ...RUN, provider: 'a', model: 'm', attempt: 1, latencyMs: 1 } as const

  t.test('is heard by a listener that adds another, which hears from the next event on', async (t) => {
    const hub = createEventHub()
    const log: string[] = []
    t.equal(hub.active(), false)
    hub.on(() => {
      log.push('first')
      if (log.length === 1) hub.on(() => log.push('added'))
    })
    t.equal(hub.active(), true)
    hub.emit(event)
    hub.emit(event)
    t.strictSame(log, [], 'not before the moment is over')
    await heard()
    t.strictSame(log, ['first', 'first', 'added'])
  })

  t.test('publishes on a channel a type, and is active while one is heard', async (t) => {
    const hub = createEventHub()
    const published: unknown[] = []
    const hear = (message: unknown, name: string | symbol) => void published.push([name, message])
    subscribe('understudy:run-commit', hear)
    t.teardown(() => unsubscribe('understudy:run-commit', hear))
    t.equal(hub.active(), true)
    hub.emit(event)
    await heard()
    t.strictSame(published, [['understudy:run-commit', event]])
    t.equal(published[0] !== undefined && (published[0] as unknown[])[1], event)
    unsubscribe('understudy:run-commit', hear)
    t.equal(hub.active(), false)
    for (const type of ['attempt-start', 'attempt-failure', 'leg-skipped', 'failover', 'run-end']) {
      const silent = () => undefined
      subscribe(`understudy:${type}`, silent)
      t.equal(hub.active(), true, type)
      unsubscribe(`understudy:${type}`, silent)
    }
    t.equal(channel('understudy:run-commit').hasSubscribers, false)
  })
})

t.test('of what a client asks for an event says the beginning', async (t) => {
  const events: FallbackEvent[] = []
  const fallback = fallbackOf(t, { '*': [{ name: 'any', open: says('any', 'Hi').open }] }, {}, GROUND)
  fallback.on((event) => events.push(event))
  await textOf(await fallback.handle(stream({ model: 'm'.repeat(700_000) }, ID)))
  await heard()
  t.match(events.at(-1), { type: 'run-end', requested: 'm'.repeat(256) })
  t.ok(JSON.stringify(events).length < 2_000)
})

t.test('the last event waits for both sides, in any order, and is told once', async (t) => {
  const events: FallbackEvent[] = []
  const options = { now: () => 5, epoch: () => EPOCH, emit: (event: FallbackEvent) => events.push(event), codeOfBroken: () => 'broken' }
  const identity = { requestId: 'r-1', route: 'chat', requested: undefined }
  const first = createRunEnd(identity, options)
  first.ended({ verdict: 'success' }, undefined)
  t.equal(events.length, 0)
  first.answered(200, undefined)
  first.answered(500, 'internal_error')
  first.ended({ verdict: 'charge' }, undefined)
  const second = createRunEnd(identity, options)
  second.answered(200, undefined)
  second.answered(200, 'internal_error')
  second.ended({ verdict: 'neutral' }, undefined)
  t.match(events, [
    { status: 200, errorCode: 'broken', verdict: 'success' },
    { status: 200, errorCode: 'internal_error', verdict: 'neutral' },
  ])
  t.equal(events.length, 2)
})

t.test('the log has one line where there is something to say', async (t) => {
  const broken: CustomLeg = {
    name: 'broken',
    async *open() {
      yield 'Hi'
      throw overloaded
    },
  }
  const { lines, logger } = recorder()
  const refused = new LegFailedError(failureOf('invalid_request', { status: 400, providerMessage: 'words' }))
  const routes = {
    plain: [says('one', 'Hi')],
    rescued: [fails('bad', overloaded), says('good', 'Hi')],
    down: [fails('bad', overloaded)],
    refused: [fails('bad', refused)],
    broken: [broken],
    left: [hangs('silent')],
  }
  const fallback = fallbackOf(t, routes, { logger })
  const said = async (model: keyof typeof routes, { leave = false } = {}) => {
    lines.length = 0
    const request = stream({ model }, ID)
    const answering = fallback.handle(request).then(textOf)
    if (leave) request.leave()
    await answering
    return [...lines]
  }
  const run = (route: string) => ({ requestId: 'r-1', route })
  const bad = { leg: 'bad/bad', outcome: 'failed', reason: 'overloaded', status: 529, code: 'busy' }
  t.strictSame(await said('plain'), [], 'nothing where all went well')
  t.strictSame(await said('rescued'), [
    ['info', { ...run('rescued'), attempts: [bad, { leg: 'good/good', outcome: 'served', reason: undefined }], served: 'good/good' }, 'route \'rescued\': rescued by good/good'],
  ])
  t.strictSame(await said('down'), [['error', { ...run('down'), attempts: [bad], cause: 'exhausted' }, 'route \'down\': no leg answered']])
  t.strictSame(await said('refused'), [
    ['warn', { ...run('refused'), attempts: [{ leg: 'bad/bad', outcome: 'failed', reason: 'invalid_request', status: 400 }], cause: 'stopped' }, 'route \'refused\': the request was refused'],
  ])
  t.strictSame(await said('broken'), [
    ['error', { ...run('broken'), leg: 'broken/broken', reason: 'overloaded', phase: undefined }, 'route \'broken\': the answer of broken/broken broke off'],
  ])
  t.strictSame(await said('left', { leave: true }), [], 'nothing of a client that left')
})

t.test('what a client can repeat as often as it likes is a warning', async (t) => {
  const { lines, logger } = recorder()
  const anthropic = { apiKey: 'key', baseURL: 'http://127.0.0.1:9' }
  const fallback = fallbackOf(t, { chat: ['anthropic/claude-sonnet-4-5'] }, { logger, providers: { anthropic }, authorize: () => ({ refuse: 'skip' }) })
  for (const [body, cause] of [[{ logprobs: true, n: 2 }, 'untranslatable'], [{}, 'exhausted']] as const) {
    lines.length = 0
    await fallback.handle(stream({ model: 'chat', ...body }, ID))
    t.match(lines, [['warn', { cause }, "route 'chat': the request was refused"]])
  }
})

t.test('warnings go to the logger, or where Node\'s own go, with a code', async (t) => {
  const { lines, logger } = recorder()
  createWarn(logger)('UNDERSTUDY_TEST', 'words', { leg: 'a/m' })
  t.strictSame(lines, [['warn', { code: 'UNDERSTUDY_TEST', leg: 'a/m' }, 'words']])

  const warnings: (Error & { code?: string })[] = []
  const hear = (warning: Error) => void warnings.push(warning)
  process.on('warning', hear)
  t.teardown(() => process.off('warning', hear))
  const { stderr } = process
  const write = t.intercept(stderr, 'write', { value: () => true })
  createWarn(undefined)('UNDERSTUDY_TEST', 'words')
  await heard()
  write.restore()
  t.match(warnings, [{ name: 'UnderstudyWarning', code: 'UNDERSTUDY_TEST', message: 'words' }])
})

t.test('a leg whose first-content limit fires three times in a row raises one warning that names the option', async (t) => {
  const warnings: unknown[] = []
  const watch = createLegWatch({
    warn: (...warning) => warnings.push(warning),
    epoch: () => EPOCH,
    emit: (event) => warnings.push(event),
  })
  const leg = { provider: 'a', model: 'm', latencyMs: 1 }
  const served: AttemptRecord = { outcome: 'served', ...leg }
  const failed = (failure: Parameters<typeof failureOf>): AttemptRecord => ({ outcome: 'failed', ...leg, failure: failureOf(...failure), health: 'charge' })
  const silent = failed(['timeout', { phase: 'first_content' }])
  const left = failed(['aborted'])
  const skipped: AttemptRecord = { outcome: 'skipped', provider: 'a', model: 'm', reason: 'window' }

  watch.record([silent])
  watch.record([silent])
  watch.record([served])
  watch.record([silent, failed(['server_error'])])
  watch.record([silent, silent])
  t.strictSame(warnings, [], 'not unless in a row')
  watch.record([served, silent, silent])
  watch.record([left, skipped])
  t.match(watch.lastFailures(), [{ kind: 'timeout' }], 'nor is it the leg\'s failure')
  watch.record([silent])
  t.match(warnings, [['UNDERSTUDY_FIRST_CONTENT', /leg 'a\/m'.* 3 times in a row: .*firstContentTimeoutMs/, { leg: 'a/m' }]], 'a client that left breaks no row')
  watch.record([served])
  watch.record([silent, silent, silent])
  t.equal(warnings.length, 1, 'nor at the next row')
  watch.record([{ ...silent, provider: 'b' }])
  t.strictSame(watch.lastFailures(), [
    { provider: 'a', model: 'm', kind: 'timeout', status: undefined, at: EPOCH },
    { provider: 'b', model: 'm', kind: 'timeout', status: undefined, at: EPOCH },
  ])
  watch.broke({ provider: 'b', model: 'm' }, failureOf('server_error', { status: 500 }))
  t.match(watch.lastFailures()[1], { kind: 'server_error', status: 500 })
})

t.test('a fault in the code of a custom leg raises one warning that says where, and not a word of what was thrown', async (t) => {
  const { lines, logger } = recorder()
  const bug = (): never => {
    throw new ReferenceError('CANARY is not defined')
  }
  const legs: CustomLeg[] = [
    { name: 'buggy', async *open() { yield bug() } },
    { name: 'plain', open: () => 'text' as never },
    { name: 'chunks', async *open() { yield { choices: [] } as never } },
    { name: 'odd', async *open() { yield { type: 'text', text: { CANARY: 1 } } as never } },
    fails('expected', new Error('CANARY')),
    fails('remote', Object.assign(new TypeError('CANARY'), { status: 500 }, { cause: { code: 'ECONNRESET' } })),
    { name: 'late', async *open() { yield 'Hi'; bug() } },
  ]
  const fallback = fallbackOf(t, { chat: legs }, { logger })
  await textOf(await fallback.handle(stream()))
  await textOf(await fallback.handle(stream()))
  const warned = lines.filter(([level]) => level === 'warn')
  const code = 'UNDERSTUDY_CUSTOM_LEG'
  t.match(warned, [
    ['warn', { code, leg: 'buggy', at: [/^at bug .*run-watch\.test/] }, /^the code of the custom leg 'buggy' is at fault: it threw a ReferenceError at bug .*run-watch/],
    ['warn', { code, leg: 'plain', at: [] }, /'plain' is at fault: its open gives no async iterable$/],
    ['warn', { code, leg: 'chunks', at: [] }, /'chunks' is at fault: it yields what is neither a text nor a part$/],
    ['warn', { code, leg: 'odd', at: [] }, /'odd' is at fault: it yields a part that is none: text\.text is not what it should be$/],
    ['warn', { code, leg: 'late' }, /'late' is at fault: it threw a ReferenceError/],
  ])
  t.equal(warned.length, 5)
  t.notMatch(JSON.stringify(lines), /CANARY/)
})

t.test('the same over HTTP: a silent leg, three requests, one warning', async (t) => {
  const clock = createFakeClock()
  const { lines, logger } = recorder()
  const simulator = await simulate(t, { models: { 'm-1': [{ connect: 'accept_stall' }], 'm-2': [{}] } })
  const fallback = fallbackOf(t, { chat: ['a/m-1', 'b/m-2'] }, { providers: providersOn(simulator), breaker: false, logger }, { clock })
  for (const number of [1, 2, 3, 4]) {
    const answering = fallback.handle(stream())
    await simulator.waitForCall('m-1', number)
    await clock.advance(10_000)
    await textOf(await answering)
  }
  t.match(lines.filter(([level]) => level === 'warn'), [['warn', { code: 'UNDERSTUDY_FIRST_CONTENT', leg: 'a/m-1' }, /firstContentTimeoutMs/]])
  t.equal(lines.filter(([level]) => level === 'warn').length, 1)
  t.equal(clock.pending, 0)
})
