import OpenAI from 'openai'
import t from 'tap'

import type { FallbackEvent } from '@understudy/core'
import {
  isLegFailedError,
  isProviderUnavailableError,
  isUntranslatableModelError,
  ProviderUnavailableError,
} from '@understudy/client'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { until } from '../../../test/kit/until.js'
import { KEYS, MESSAGES, readStream, rejection, startPair } from './kit.js'

const PARAMS = { model: 'large', messages: MESSAGES } as const
const served = async (client: OpenAI, params: object = {}): Promise<string> =>
  (await client.chat.completions.create({ ...PARAMS, ...params, stream: false })).model

t.test('the last provider\'s error is thrown as it was', async (t) => {
  const { client, second, two } = await startPair(t, [{ status: 429 }])
  two.setScript({ fallback: { status: 529 } })
  const made: unknown[] = []
  const makeStatusError: unknown = Reflect.get(second, 'makeStatusError')
  Reflect.set(second, 'makeStatusError', (...args: unknown[]) => {
    made.push(Reflect.apply(makeStatusError as () => unknown, second, args))
    return made.at(-1)
  })
  const error = await rejection(client.chat.completions.create(PARAMS))
  t.ok(error instanceof OpenAI.InternalServerError)
  t.equal(error, made[0], 'the same object')
})

t.test('with `safe` a failure that may have been processed stays with its provider, and other models of it may still answer', async (t) => {
  const { make, two, first, second } = await startPair(t, [{ status: 500 }])
  const client = make({ fallback: [[second, 'small', {}, 'second'], [first, 'other', {}, 'first']] })
  t.match(await rejection(client.chat.completions.create(PARAMS)), { status: 404 })
  t.equal(two.calls.length, 0)
})

t.test('with `never` no other provider is asked, and a call can only be stricter than its client', async (t) => {
  const { make, one, two } = await startPair(t, [{ status: 429 }])
  t.match(await rejection(make({ idempotency: 'never' }).chat.completions.create(PARAMS)), { status: 429 })
  const loose = { ...PARAMS, idempotent: true }
  t.match(await rejection(make({ idempotency: 'never' }).chat.completions.create(loose)), { status: 429 })
  t.equal(two.calls.length, 0)

  one.setScript({ fallback: { status: 500 } })
  const always = make({ idempotency: 'always' })
  t.equal(await served(always), 'small')
  t.match(await rejection(served(always, { idempotent: false })), { status: 500 })
  t.match(await rejection(served(make(), { idempotent: true })), { status: 500 })
})

t.test('a provider that fails three times in a row is asked last, then left out, and asked first once it is well', async (t) => {
  const { make, one, two } = await startPair(t, [{ status: 529, times: 3 }, {}])
  const clock = createFakeClock()
  const client = make({ breaker: { failureThreshold: 3, recoveryMs: 30_000, jitter: 0, successThreshold: 1 } }, { clock })
  for (let call = 0; call < 5; call += 1) t.equal(await served(client), 'small')
  t.equal(one.calls.length, 3, 'it is left out')
  await clock.advance(29_999)
  t.equal(await served(client), 'small', 'not yet')
  await clock.advance(1)
  t.equal(await served(client), 'large', 'a request is its probe')
  t.equal(await served(client), 'large')

  const none = make({ breaker: false })
  one.setScript({ fallback: { status: 529 } })
  two.reset()
  for (let call = 0; call < 5; call += 1) t.equal(await served(none), 'small')
  t.equal(one.calls.length, 5)
})

t.test('a caller\'s own faults say nothing about a provider, and its rate limits do', async (t) => {
  const { make, one } = await startPair(t, [{ status: 401 }])
  const client = make()
  for (let call = 0; call < 5; call += 1) t.match(await rejection(served(client)), { status: 401 })
  one.setScript({ fallback: { status: 429 } })
  for (let call = 0; call < 5; call += 1) t.equal(await served(client), 'small')
  t.equal(one.calls.length, 3)
})

t.test('where no provider can be asked the error names those that would have been', async (t) => {
  const { make, one, two } = await startPair(t, [{ status: 529 }], { breaker: { failureThreshold: 1 } })
  two.setScript({ fallback: { status: 529 } })
  const client = make()
  t.match(await rejection(served(client)), { status: 529 })
  const error = await rejection(served(client))
  t.ok(isProviderUnavailableError(error))
  t.match(error, { attempted: ['first', 'second'], code: 'ERR_UNDERSTUDY_PROVIDER_UNAVAILABLE', retryAfterMs: Number })
  t.strictSame([one.calls.length, two.calls.length], [1, 1])

  const late = await rejection(served(make({ windowMs: 0 })))
  t.ok(late instanceof ProviderUnavailableError)
  t.match(late, { attempted: ['first', 'second'], retryAfterMs: undefined })
  t.strictSame([one.calls.length, two.calls.length], [1, 1], 'nothing starts in a window of 0')
})

t.test('behind the window nothing starts, and what runs is not cut', async (t) => {
  const { make, one, two } = await startPair(t, [{ delayMs: 50, status: 429 }, { delayMs: 50 }], { windowMs: 30_000 })
  const clock = createFakeClock()
  const failing = rejection(served(make({}, { clock })))
  await one.waitForCall('large', 1)
  await clock.advance(30_000)
  t.match(await failing, { status: 429 })
  t.equal(two.calls.length, 0)
  const running = served(make({}, { clock }))
  await one.waitForCall('large', 2)
  await clock.advance(60_000)
  t.equal(await running, 'large')
})

t.test('a 429 that says when is waited for, if retries are asked for and the window allows', async (t) => {
  const { make, one } = await startPair(t, [{ status: 429, headers: { 'retry-after-ms': '4000' } }, {}])
  const clock = createFakeClock()
  let failures = 0
  const on = ({ type }: FallbackEvent): void => void (failures += Number(type === 'attempt-failure'))
  const patient = served(make({ retries: 1, on }, { clock }))
  await until('it waits', () => failures === 1)
  await clock.advance(3_999)
  t.equal(one.calls.length, 1)
  await clock.advance(1)
  t.equal(await patient, 'large')
  t.equal(one.calls.length, 2)
  one.setScript({ fallback: { status: 429, headers: { 'retry-after': '40' } } })
  t.equal(await served(make({ retries: 1 })), 'small', 'too long')
  one.setScript({ fallback: { status: 429 } })
  t.equal(await served(make({ retries: 1 })), 'small', 'it does not say')
  one.setScript({ fallback: { status: 429, headers: { 'retry-after': '10' } } })
  const caller = new AbortController()
  const waiting = rejection(make({ retries: 1, on }, { clock }).chat.completions.create(PARAMS, { signal: caller.signal }))
  await until('it waits', () => failures === 2)
  await clock.advance(9_999)
  caller.abort()
  t.ok((await waiting) instanceof OpenAI.APIUserAbortError, 'the caller leaves while we wait')
  t.equal(clock.pending, 0, 'and nothing waits on')
})

t.test('an order is kept to, be it one of one\'s own or by price', async (t) => {
  const { make } = await startPair(t, [{ delayMs: 30 }])
  t.equal(await served(make({ order: (candidates) => candidates.toReversed() })), 'small')
  const cheap = make({ order: 'cost', priceHints: ({ model }) => ({ 'first/large': model === 'large' ? 2 : 0, 'second/small': 1 }) })
  t.equal(await served(cheap), 'small')
  const hints = (): never => {
    throw new Error('hints')
  }
  for (const priceHints of [hints, () => ({ get 'first/large'() { return hints() } })]) {
    t.equal(await served(make({ order: 'cost', priceHints })), 'large')
  }
  const client = make({ order: 'latency' })
  t.equal(await served(client), 'large', 'nothing is known')
})

t.test('an entry without a model ends the chain', async (t) => {
  const { make, second, two } = await startPair(t, [{ status: 429 }])
  const fallback = [[second, '', {}, 'second'], [second, 'small', {}, 'third']] as const
  const error = await rejection(served(make({ fallback })))
  t.ok(isUntranslatableModelError(error))
  t.match(error, { model: '', provider: 'second' })
  t.equal(two.calls.length, 0)
  t.match(await rejection(served(make(), { model: undefined })), { provider: 'first', model: undefined })
})

t.test('what happens is told without a word of what was said', async (t) => {
  const events: FallbackEvent[] = []
  const { make } = await startPair(t, [{ status: 429 }])
  const client = make({ on: (event) => void events.push(event) })
  await readStream(await client.chat.completions.create({ ...PARAMS, stream: true }))
  t.strictSame(events.map(({ type }) => type), ['attempt-start', 'attempt-failure', 'failover', 'attempt-start', 'run-commit', 'run-end'])
  t.match(events.at(-1), { requested: 'large', provider: 'second', model: 'small', verdict: 'success' })
  t.notMatch(JSON.stringify(events), /canary/)
  const rejecting = make({ breaker: { failureThreshold: 1 }, on: () => Promise.reject(new Error('listener')) as never })
  const throwing = make({ breaker: { failureThreshold: 1 }, on: () => { throw new Error('listener') } })
  for (const deaf of [rejecting, throwing]) t.equal(await served(deaf), 'small', 'a listener that fails takes nothing down')
})

t.test('no error of ours holds a prompt, an answer or a key', async (t) => {
  const { make, one, two } = await startPair(t, [{ fault: { do: 'malformed_text', afterEvents: 5 } }], { idempotency: 'always', breaker: { failureThreshold: 1 } })
  const errors: unknown[] = []
  errors.push((await readStream(await make().chat.completions.create({ ...PARAMS, stream: true }))).error)
  errors.push(await rejection(served(make({ windowMs: 0 }))), await rejection(served(make(), { model: undefined })))
  one.setScript({ fallback: { empty: 'no_content' } })
  two.setScript({ fallback: { empty: 'no_content' } })
  errors.push(await rejection(served(make())))
  for (const error of errors) {
    t.ok(error instanceof Error)
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      const said = `${cause.stack} ${JSON.stringify(cause)} ${JSON.stringify(Object.entries(cause))}`
      t.notMatch(said, new RegExp(['canary-prompt', 'understudy learns', ...KEYS].join('|')))
    }
  }
  t.ok(isLegFailedError(errors[0]) && isLegFailedError(errors[3]))
})

t.test('a call that is over leaves no timer behind', async (t) => {
  const { client, one } = await startPair(t, [{}, { status: 429 }])
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  await served(client)
  await served(client)
  await readStream(await client.chat.completions.create({ ...PARAMS, stream: true }))
  const left = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  t.ok(left <= before, `${left - before} timers`)
  t.ok(one.calls.length === 3)
})
