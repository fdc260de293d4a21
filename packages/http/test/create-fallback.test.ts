import { failureOf, LegFailedError } from '@understudy/core'
import type { CustomLeg } from '@understudy/core'
import t from 'tap'

import { deferred } from '../../../test/kit/deferred.js'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { within } from '../../../test/kit/within.js'
import { isConfigError } from '../src/index.js'
import type { FallbackOptions, InboundBody } from '../src/index.js'
import { createFallback } from '../src/create-fallback.js'
import { mountFallback } from '../src/mount-fallback.js'
import {
  chat, contentOf, EPOCH, eventsOf, fails, fallbackOf, hangs, heard, iteratorOf, jsonOf, listen, MESSAGES, post, providersOn, says,
  simulate, stream, textOf,
} from './kit.js'

const CLOSED = { message: 'Understudy is closed', type: 'overloaded_error', code: 'no_leg_available' }

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

t.test('what is wrong stops the mount with an error that names it, whatever it is', async (t) => {
  const strange: readonly unknown[][] = [[undefined], [null], ['chat'], [{}], [{ chat: [] }], [{ chat: [says('a', 'b')] }, { colour: 1 }], [{ chat: [says('a', 'b')] }, null], [{ chat: [says('a', 'b')] }, { logger: 'loud' }]]
  for (const [routes, options] of strange) {
    for (const make of [createFallback, mountFallback]) {
      const error = thrownBy(() => make(routes as never, options as never))
      t.ok(error === undefined ? options === null : isConfigError(error), JSON.stringify([routes, options]))
    }
  }
})

t.test('a snapshot says what there is, and nothing of what was said', async (t) => {
  const simulator = await simulate(t, { models: { 'm-1': [{ status: 503, error: { message: 'words' } }], 'm-2': [{}] } })
  const routes = { chat: ['a/m-1', 'b/m-2'], own: [says('own', 'Hi')] }
  const fallback = fallbackOf(t, routes, { providers: providersOn(simulator) }, { wallClock: () => EPOCH })
  t.strictSame(fallback.snapshot().lastFailures, [])
  await fallback.handle(chat())
  const chain = { layer: 'code', version: 0, since: EPOCH }
  t.strictSame(fallback.snapshot(), {
    routes: [
      { name: 'chat', chain, legs: [{ provider: 'a', model: 'm-1' }, { provider: 'b', model: 'm-2', lastServedAt: EPOCH }] },
      { name: 'own', chain, legs: [{ provider: 'own', model: 'own' }] },
    ],
    lastFailures: [{ provider: 'a', model: 'm-1', kind: 'overloaded', status: 503, at: EPOCH }],
    breakers: [
      { provider: 'a', state: 'closed', failures: 1, lastVerdict: 'charge' },
      { provider: 'b', state: 'closed', failures: 0, lastVerdict: 'success' },
    ],
    cooldowns: [],
    openRuns: 0,
    listenerErrors: 0,
  })
})

t.test('a run is open until its answer is over, however that comes about', async (t) => {
  const gate = deferred()
  const slow: CustomLeg = {
    name: 'slow',
    async *open() {
      await gate.promise
      yield 'Hi'
    },
  }
  const fallback = fallbackOf(t, { chat: [slow], held: [says('held', 'Hi')] })
  const body = deferred<InboundBody>()
  const reading = fallback.handle(chat({}, { readBody: () => body.promise }))
  t.equal(fallback.snapshot().openRuns, 0, 'not while its body comes')
  body.resolve({ type: 'parsed', value: { model: 'chat', messages: MESSAGES } })
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(fallback.snapshot().openRuns, 1)
  gate.resolve()
  await reading
  t.equal(fallback.snapshot().openRuns, 0, 'a buffered answer is over with itself')

  const reader = iteratorOf(await fallback.handle(stream({ model: 'held' })))
  t.equal(fallback.snapshot().openRuns, 1, 'a stream that nobody has read yet')
  while ((await reader.next()).done !== true) continue
  t.equal(fallback.snapshot().openRuns, 0)
  await fallback.handle(post('{'))
  t.equal(fallback.snapshot().openRuns, 0, 'a refusal is no run')
})

t.test('after its close a fallback answers 503, to a request whose body was on its way too', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] })
  const body = deferred<InboundBody>()
  const reading = fallback.handle(chat({}, { readBody: () => body.promise }))
  await fallback.close()
  await fallback.close()
  body.resolve({ type: 'parsed', value: { model: 'chat', messages: MESSAGES } })
  for (const response of [await reading, await fallback.handle(chat()), await fallback.handle({ ...chat(), method: 'GET', path: '/models' })]) {
    t.equal(response.status, 503)
    t.match(await jsonOf(response), { error: CLOSED })
  }
})

t.test('close ends an open stream with one error event, charges nobody, and leaves no socket', async (t) => {
  const simulator = await simulate(t, { models: { 'm-1': [{ fault: { do: 'stall', afterEvents: 3 }, eventDelayMs: 0 }] } })
  const routes = { http: ['a/m-1'], own: [hangs('own', 'Hi')] }
  const fallback = fallbackOf(t, routes, { providers: providersOn(simulator) })
  const events = listen(fallback)
  const readings: Promise<string>[] = []
  for (const model of ['http', 'own']) {
    const response = await fallback.handle(stream({ model }))
    const reader = iteratorOf(response)
    const first = await reader.next()
    const rest = textOf({ ...response, body: { [Symbol.asyncIterator]: () => reader } as AsyncIterable<Uint8Array> })
    readings.push(rest.then((text) => String(first.value) + text))
  }
  await simulator.waitForCall('m-1', 1)
  await fallback.close()
  for (const text of await within(2_000, 'both end', Promise.all(readings))) {
    const told = eventsOf(text)
    t.match(told.at(-1), { error: { message: 'Understudy is closed', type: 'upstream_error', code: 'stream_truncated' } })
    t.equal(told.filter((event) => event === '[DONE]' || event.error !== undefined).length, 1)
  }
  await simulator.waitForNoSockets()
  await heard()
  t.match(events.filter(({ type }) => type === 'run-end'), [
    { route: 'http', status: 200, errorCode: 'stream_truncated', verdict: 'neutral' },
    { route: 'own', status: 200, errorCode: 'stream_truncated', verdict: 'neutral' },
  ])
  t.strictSame([fallback.snapshot().openRuns, fallback.snapshot().lastFailures], [0, []])
})

t.test('close ends a run that is bound to no leg with a 503, wherever it stands, and asks no other leg', async (t) => {
  const clock = createFakeClock()
  const asked: string[] = []
  const other: CustomLeg = {
    name: 'other',
    open: () => {
      asked.push('other')
      return Promise.reject(new Error('no'))
    },
  }
  const opening: CustomLeg = { name: 'opening', open: () => new Promise(() => undefined) }
  const routes = {
    opening: [opening, other],
    silent: [hangs('silent'), other],
    sleeping: { legs: [fails('sleeping', new LegFailedError(failureOf('overloaded', { retryAfterMs: 4_000 }))), other], retries: 1 },
    established: { legs: [hangs('established', 'Hi'), other], commit: 'established' as const },
  }
  const fallback = fallbackOf(t, routes, {}, { clock })
  const events = listen(fallback)
  const answering = Object.keys(routes).map((model) => fallback.handle(chat({ model })))
  await clock.advance(0)
  t.equal(fallback.snapshot().openRuns, 4)
  await fallback.close()
  for (const response of await within(2_000, 'all answer', Promise.all(answering))) {
    t.equal(response.status, 503)
    t.match(await jsonOf(response), { error: CLOSED })
  }
  await heard()
  t.strictSame([asked, clock.pending, fallback.snapshot().openRuns], [[], 0, 0])
  const ends = events.filter(({ type }) => type === 'run-end')
  t.strictSame(ends.map((event) => event.type === 'run-end' && [event.status, event.errorCode, event.verdict]), Array(4).fill([503, 'no_leg_available', 'neutral']))
})

t.test('code of the host that never ends holds no request: it is over at the close, and when its client leaves', async (t) => {
  const never = () => new Promise<never>(() => undefined)
  const signals: AbortSignal[] = []
  const authorize: FallbackOptions['authorize'] = ({ signal }) => (signals.push(signal), never())
  const thenable = (() => ({ then: () => undefined })) as unknown as FallbackOptions['identify']
  for (const options of [{ identify: never }, { identify: thenable }, { authorize }] as const) {
    for (const path of ['/chat/completions', '/policy-check']) {
      const closing = fallbackOf(t, { chat: [says('one', 'Hi'), says('two', 'Hi')] }, options)
      const answering = closing.handle(chat({}, { path }))
      await heard()
      await closing.close()
      const response = await within(2_000, `${path} ends at the close`, answering)
      t.equal(response.status, 503)
      t.match(await jsonOf(response), { error: CLOSED })
      t.equal(closing.snapshot().openRuns, 0)

      const left = fallbackOf(t, { chat: [says('one', 'Hi'), says('two', 'Hi')] }, options)
      const request = chat({}, { path })
      const leaving = left.handle(request)
      await heard()
      request.leave()
      const gone = await within(2_000, `${path} ends when the client leaves`, leaving)
      if (path !== '/policy-check') t.equal(gone.status, 499)
      t.equal(left.snapshot().openRuns, 0)
    }
  }
  t.equal(signals.length, 4)
  t.ok(signals.every(({ aborted }) => aborted), 'and it is told')
})

t.test('close ends the waiting for a slow model with one error event', async (t) => {
  const clock = createFakeClock()
  const fallback = fallbackOf(t, { chat: [hangs('slow')] }, { waitingComment: { afterMs: 1_000 } }, { clock })
  const answering = fallback.handle(stream())
  await clock.advance(1_000)
  const reading = textOf(await answering)
  await clock.advance(0)
  await fallback.close()
  const text = await within(2_000, 'it ends', reading)
  t.match(eventsOf(text), [{ error: { message: 'Understudy is closed', code: 'no_leg_available' } }])
  t.equal(clock.pending, 0)
})

t.test('a fallback that is shared takes the mount options of each place, and no others', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] }, { reportKey: 'own' })
  const mounted = mountFallback(fallback, { reportKey: 'mine', shortPaths: true })
  t.strictSame([mounted.owned, mounted.fallback], [false, fallback])
  t.strictSame([fallback.matches('POST', '/', true), mounted.matches('POST', '/', true)], [false, true])
  t.ok('own' in (await jsonOf(await fallback.handle(chat()))))
  t.ok('mine' in (await jsonOf(await mounted.handle(chat()))))
  t.throws(() => mountFallback(fallback, { retries: 1 } as FallbackOptions), { code: 'ERR_UNDERSTUDY_CONFIG' })

  const owned = mountFallback({ chat: [says('one', 'Hi')] })
  t.teardown(() => owned.fallback.close())
  t.equal(owned.owned, true)
  t.equal((await owned.handle(chat())).status, 200)
})

t.test('a fallback of somebody else\'s making is mounted as it is', async (t) => {
  const own = fallbackOf(t, { chat: [says('one', 'Hi')] })
  const { matches, handle, snapshot, on, chains, drills, closing, close } = own
  const mounted = mountFallback({ matches, handle, snapshot, on, chains, drills, closing, close })
  t.strictSame([mounted.owned, mounted.matches('POST', '/', true), (await mounted.handle(chat())).status], [false, false, 200])
})

t.test('a fault of our own is a 500 that says nothing of it, and a line that says where', async (t) => {
  const lines: unknown[] = []
  const line = (fields: unknown, message: string) => lines.push([fields, message])
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')] }, { logger: { debug: line, info: line, warn: line, error: line } })
  const thrown = new RangeError('the prompt\n    at the prompt (again)')
  const response = await fallback.handle(chat({}, { headers: { 'x-request-id': 'r-1' }, readBody: () => Promise.reject(thrown) }))
  t.equal(response.status, 500)
  t.strictSame(await jsonOf(response), { error: { message: 'Understudy failed', type: 'server_error', code: 'internal_error' }, request_id: 'r-1' })
  t.match(lines, [[{ requestId: 'r-1', error: 'RangeError', at: [/^at .*create-fallback/] }, 'a request failed inside Understudy']])
  t.notMatch(JSON.stringify(lines), /prompt/)
  await fallback.handle(chat({}, { readBody: () => Promise.reject('no error at all') }))
  t.match(lines.at(-1), [{ error: 'string', at: [] }])
  t.equal(fallback.snapshot().openRuns, 0)
})

t.test('a logger that fails fails no request', async (t) => {
  const throwing = () => {
    throw new Error('disk full')
  }
  const rejecting = (async () => throwing()) as () => void
  for (const line of [throwing, rejecting]) {
    const logger = { debug: line, info: line, warn: line, error: line }
    const fallback = fallbackOf(t, { chat: [fails('bad', new Error('no')), says('good', 'Hi')], down: [fails('bad', new Error('no'))] }, { logger })
    t.equal(contentOf(await textOf(await fallback.handle(stream()))), 'Hi')
    t.equal((await fallback.handle(chat({ model: 'down' }))).status, 502)
    t.equal(fallback.snapshot().openRuns, 0)
  }
  await heard()
})
