import { failureOf, LegFailedError } from '@understudy/core'
import type { Script } from '@understudy/simulator'
import t from 'tap'
import type { Test } from 'tap'

import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { chat, eventsOf, fails, fallbackOf, hangs, jsonOf, outline, providersOn, says, simulate, stream, textOf, timeless } from '../kit.js'

/** Legs `a/m-1`, `b/m-2`, `c/m-3` that play these steps. */
async function chainOf(t: Test, steps: Script['models'], options: Parameters<typeof fallbackOf>[2] = {}) {
  const simulator = await simulate(t, { models: steps })
  const names = ['a', 'b', 'c'].slice(0, Object.keys(steps ?? {}).length)
  const legs = names.map((name, index) => `${name}/m-${index + 1}`)
  const fallback = fallbackOf(t, { chat: legs }, { providers: providersOn(simulator), ...options })
  return { simulator, fallback }
}

/** Status, code, Retry-After and x-should-retry of a chain whose legs fail so. */
async function outcomeOf(t: Test, failures: readonly unknown[], options: Parameters<typeof fallbackOf>[2] = {}) {
  const legs = failures.map((failure, index) => fails(`leg-${index}`, failure))
  const response = await fallbackOf(t, { chat: legs }, options).handle(chat())
  const { error } = await jsonOf(response)
  return [response.status, error?.type, error?.code, response.headers['retry-after'], response.headers['x-should-retry']]
}

function failure(...args: Parameters<typeof failureOf>): LegFailedError {
  return new LegFailedError(failureOf(...args))
}

t.test('a chain that failed is told whole: every leg, every attempt, and what to do', async (t) => {
  const { fallback } = await chainOf(t, { 'm-1': [{ status: 503 }], 'm-2': [{ status: 401 }] })
  const response = await fallback.handle(chat({}, { headers: { 'x-request-id': 'r-1' } }))
  const body = await textOf(response)
  t.strictSame({ ...response, body: timeless(JSON.parse(body)) }, {
    status: 502,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': 'r-1',
      'understudy-route': 'chat',
      'understudy-trail': response.headers['understudy-trail'],
      'x-should-retry': 'false',
      'content-length': String(Buffer.byteLength(body)),
    },
    body: {
      error: {
        message: 'all legs of route \'chat\' failed',
        type: 'upstream_error',
        code: 'all_legs_failed',
        failures: [
          { provider: 'a', model: 'm-1', message: 'the provider is overloaded', reason: 'overloaded', status: 503, latency_ms: 0 },
          { provider: 'b', model: 'm-2', message: 'the provider refused the credentials or the account', reason: 'auth_error', status: 401, latency_ms: 0 },
        ],
      },
      attempts: [
        { model: 'a/m-1', status: 'failed', reason: 'overloaded', latency_ms: 0 },
        { model: 'b/m-2', status: 'failed', reason: 'auth_error', latency_ms: 0 },
      ],
      request_id: 'r-1',
    },
  })
  t.strictSame(outline(response.headers['understudy-trail']), ['a/m-1 failed overloaded', 'b/m-2 failed auth_error'])
})

t.test('a stream that never began is told as any other request', async (t) => {
  const { fallback } = await chainOf(t, { 'm-1': [{ status: 500 }], 'm-2': [{ connect: 'reset_before_headers' }] })
  const response = await fallback.handle(stream())
  t.match([response.status, response.headers['content-type']], [502, /^application\/json/])
  t.match(await jsonOf(response), { error: { code: 'all_legs_failed' } })
})

t.test('the status says why', async (t) => {
  const limited = failure('rate_limit', { status: 429, retryAfterMs: 2_400 })
  const down = failure('server_error', { status: 500 })
  const long = failure('context_length', { status: 400 })
  const upstream = [502, 'upstream_error', 'all_legs_failed', undefined, 'false']
  t.strictSame(await outcomeOf(t, [down, limited]), upstream, 'anything else')
  t.strictSame(await outcomeOf(t, [limited, limited]), [429, 'rate_limit_error', 'all_legs_failed', '3', undefined], 'all rate limits')
  t.strictSame(await outcomeOf(t, [failure('not_found'), failure('auth_error'), failure('empty'), failure('malformed')]), upstream)
  t.strictSame(await outcomeOf(t, [long, long]), [400, 'invalid_request_error', 'context_length_exceeded', undefined, undefined], 'too long for all')
  t.strictSame(await outcomeOf(t, [long, down]), upstream, 'too long for one')
  t.strictSame(await outcomeOf(t, [down, limited], { clientRetries: true }), upstream.with(4, undefined), 'clientRetries')
})

t.test('exhaustedStatus narrows it down', async (t) => {
  const limited = failure('rate_limit', { retryAfterMs: 1_000 })
  const long = failure('context_length')
  const statuses = async (exhaustedStatus: 'by_cause' | '429_or_502' | '502') => {
    const none = await outcomeOf(t, [limited], { exhaustedStatus, windowMs: 0 })
    const all = [await outcomeOf(t, [limited], { exhaustedStatus }), await outcomeOf(t, [long], { exhaustedStatus }), none]
    return all.map(([status, , code, retryAfter]) => `${status} ${code} ${retryAfter}`)
  }
  t.strictSame(await statuses('by_cause'), ['429 all_legs_failed 1', '400 context_length_exceeded undefined', '503 no_leg_available 1'])
  t.strictSame(await statuses('429_or_502'), ['429 all_legs_failed 1', '400 context_length_exceeded undefined', '502 all_legs_failed undefined'])
  t.strictSame(await statuses('502'), ['502 all_legs_failed undefined', '400 context_length_exceeded undefined', '502 all_legs_failed undefined'])
})

t.test('Retry-After is the smallest that the last attempts of the legs named, in whole seconds, at least 1', async (t) => {
  const after = async (...waits: readonly (number | undefined)[]) => {
    const failures = waits.map((retryAfterMs) => failure('rate_limit', { retryAfterMs }))
    return (await outcomeOf(t, failures))[3]
  }
  t.equal(await after(60_000, 1_001, 3_000), '2')
  t.equal(await after(0), '1')
  t.equal(await after(undefined, undefined), '1')
  t.equal(await after(undefined, 9_000), '9')

  const clock = createFakeClock()
  const waits = [1_000, 30_000]
  const open = () => Promise.reject(failure('rate_limit', { retryAfterMs: waits.shift() }))
  const retried = fallbackOf(t, { chat: [{ name: 'one', open }] }, { retries: 1 }, { clock }).handle(chat())
  await clock.advance(1_000)
  const response = await retried
  t.strictSame([response.status, response.headers['retry-after'], clock.pending], [429, '30', 0])
  t.strictSame((await jsonOf(response)).error?.['failures'], [
    { provider: 'one', model: 'one', message: 'the provider is limiting the rate of requests', reason: 'rate_limit', latency_ms: 0 },
  ], 'and a leg is named once, however often it was asked')
})

t.test('a window of 0 starts nothing, and says that no leg was available', async (t) => {
  const asked: string[] = []
  const open = (name: string) => () => {
    asked.push(name)
    return Promise.reject(new Error('no'))
  }
  const legs = [{ name: 'one', open: open('one') }, { name: 'two', open: open('two') }]
  const response = await fallbackOf(t, { chat: legs }, { windowMs: 0 }).handle(chat())
  const body = await jsonOf(response)
  t.strictSame([response.status, response.headers['retry-after'], response.headers['x-should-retry']], [503, '1', undefined])
  t.strictSame(response.headers['understudy-trail'], '"one/one";outcome=skipped;reason=window;ms=0, "two/two";outcome=skipped;reason=window;ms=0')
  const left = { message: 'left out: no time was left for it', reason: 'window', latency_ms: 0 }
  t.match(body, {
    error: {
      type: 'overloaded_error',
      code: 'no_leg_available',
      message: 'no leg of route \'chat\' is available',
      failures: [{ provider: 'one', model: 'one', ...left }, { provider: 'two', model: 'two', ...left }],
    },
    attempts: [{ model: 'one/one', status: 'skipped', reason: 'window' }, { model: 'two/two', status: 'skipped', reason: 'window' }],
  })
  t.strictSame(asked, [])
})

t.test('a window that is spent on the way leaves the rest out, and the failures say the status', async (t) => {
  const clock = createFakeClock()
  const open = (error: unknown) => async () => {
    await new Promise<void>((resolve) => void clock.schedule(100, resolve))
    throw error
  }
  const statusOf = async (error: unknown) => {
    const legs = [{ name: 'one', open: open(error) }, says('two', 'Hi')]
    const answering = fallbackOf(t, { chat: legs }, { windowMs: 100 }, { clock }).handle(chat())
    await clock.advance(100)
    const response = await answering
    t.strictSame(outline(response.headers['understudy-trail']).at(-1), 'two/two skipped window')
    return response.status
  }
  t.equal(await statusOf(failure('server_error')), 502)
  t.equal(await statusOf(failure('rate_limit')), 429, 'legs that were left out do not count')
  t.equal(await statusOf(failure('context_length')), 502, 'but a leg that was left out may have had room')
})

t.test('a deadline that cuts the chain is a 504, whatever failed before', async (t) => {
  const clock = createFakeClock()
  const legs = [fails('one', failure('server_error')), hangs('two'), says('three', 'Hi')]
  const answering = fallbackOf(t, { chat: legs }, { deadlineMs: 5_000 }, { clock }).handle(chat())
  await clock.advance(5_000)
  const response = await answering
  t.match(await jsonOf(response), { error: { type: 'timeout_error', code: 'deadline_exceeded', message: 'route \'chat\' found no answer in time' } })
  t.strictSame([response.status, response.headers['x-should-retry'], clock.pending], [504, 'false', 0])
  t.strictSame(outline(response.headers['understudy-trail']), ['one/one failed server_error', 'two/two failed timeout chain', 'three/three skipped window'])
})

t.test('a request that is at fault gets the provider\'s status and words, and no other leg is asked', async (t) => {
  const statuses = { 400: 400, 413: 413, 415: 400, 422: 422 }
  for (const [given, expected] of Object.entries(statuses)) {
    const { fallback, simulator } = await chainOf(t, {
      'm-1': [{ status: Number(given), error: { message: 'messages[0]: too many turns', code: 'bad_turns' } }],
      'm-2': [{}],
    })
    const response = await fallback.handle(chat())
    const { error } = await jsonOf(response)
    t.strictSame([response.status, error?.['type'], error?.code, error?.message], [expected, 'invalid_request_error', 'bad_turns', 'messages[0]: too many turns'])
    t.strictSame(timeless(error?.['failures']), [
      { provider: 'a', model: 'm-1', message: 'the provider refused the request', reason: 'invalid_request', status: Number(given), latency_ms: 0 },
    ], 'our words stand in the list')
    t.equal(response.headers['x-should-retry'], undefined)
    t.equal(simulator.calls.length, 1)
  }
})

t.test('the field that the provider found at fault is passed on, if it is a path', async (t) => {
  for (const [param, expected] of [['messages[0].content', 'messages[0].content'], ['say "CANARY"', undefined], ['a'.repeat(129), undefined]]) {
    const { fallback } = await chainOf(t, { 'm-1': [{ status: 400, error: { message: 'no', param } }] })
    const { error } = await jsonOf(await fallback.handle(chat()))
    t.equal(error?.['param'], expected)
  }
})

t.test('the provider\'s words are masked and bounded', async (t) => {
  const message = `Incorrect field near sk-proj-aBcDeFgHiJkLmNoPqRsTuVwX0123456789: ${'long '.repeat(2_000)}`
  const { fallback } = await chainOf(t, { 'm-1': [{ status: 400, error: { message } }] })
  const { error } = await jsonOf(await fallback.handle(chat()))
  t.match(error?.message, /^Incorrect field near \*\*\*: long long/)
  t.ok(Buffer.byteLength(error?.message ?? '') <= 2_048)
})

t.test('so are those of a leg in code, as the client\'s error and in the list of failures', async (t) => {
  const providerMessage = `Incorrect field near sk-proj-aBcDeFgHiJkLmNoPqRsTuVwX0123456789: ${'long '.repeat(20_000)}`
  for (const [kind, path] of [['invalid_request', 'message'], ['content_filter', 'message'], ['context_length', 'message'], ['refused', 'message'], ['server_error', 'failures']] as const) {
    const leg = fails('one', failure(kind, { providerMessage }))
    const { error } = await jsonOf(await fallbackOf(t, { chat: [leg] }, { exposeProviderMessages: true, advanceOn: ['server_error'] }).handle(chat()))
    const said = JSON.stringify(error?.[path])
    t.match(said, /Incorrect field near \*\*\*: long long/, kind)
    t.ok(said.length < 2_400, kind)
  }
})

t.test('which limit of the chain was spent decides the status, where there are two', async (t) => {
  const clock = createFakeClock()
  const cut = fallbackOf(t, { chat: [hangs('one'), says('two', 'Hi')] }, { windowMs: 200, deadlineMs: 600 }, { clock }).handle(chat())
  await clock.advance(600)
  t.match(await jsonOf(await cut), { error: { code: 'deadline_exceeded' } })
  const silent = () => new Promise<undefined>(() => undefined)
  const stopped = fallbackOf(t, { chat: [says('one', 'Hi')] }, { windowMs: 300, authorize: silent }, { clock }).handle(chat())
  await clock.advance(300)
  const response = await stopped
  t.strictSame([response.status, (await jsonOf(response)).error?.code], [503, 'no_leg_available'], 'nothing ran, and no deadline was spent')
})

t.test('a request fault without words gets ours', async (t) => {
  const ours = async (kind: 'invalid_request' | 'content_filter') => {
    const response = await fallbackOf(t, { chat: [fails('one', failure(kind)), says('two', 'Hi')] }).handle(chat())
    const { error } = await jsonOf(response)
    return [response.status, error?.code, error?.message]
  }
  t.strictSame(await ours('invalid_request'), [400, 'invalid_request_error', 'the provider refused the request'])
  t.strictSame(await ours('content_filter'), [400, 'content_filter', 'the provider refused the content'])
})

t.test('refused content is a 400, in its status as in its finish', async (t) => {
  const steps = [
    { status: 400, error: { code: 'content_filter', message: 'Flagged.' } },
    { answer: { text: '', finishReason: 'content_filter' } },
  ]
  for (const step of steps) {
    for (const request of [chat(), stream()]) {
      const { fallback, simulator } = await chainOf(t, { 'm-1': [step], 'm-2': [{}] })
      const response = await fallback.handle(request)
      t.strictSame([response.status, (await jsonOf(response)).error?.code, simulator.calls.length], [400, 'content_filter', 1])
    }
  }
})

t.test('advanceOn says which failures move on; another one stops the chain with the attempts so far', async (t) => {
  const second = says('two', 'Hi')
  const served = async (kind: Parameters<typeof failureOf>[0], advanceOn: NonNullable<Parameters<typeof fallbackOf>[2]>['advanceOn']) => {
    const response = await fallbackOf(t, { chat: [fails('one', failure(kind)), second] }, { advanceOn }).handle(chat())
    return response.status
  }
  const rows: readonly (readonly [Parameters<typeof failureOf>[0], readonly number[]])[] = [
    // leg_faults, any, retryable, triggers, ['not_found']
    ['connection_error', [200, 200, 200, 200, 502]],
    ['timeout', [200, 200, 200, 200, 502]],
    ['rate_limit', [200, 200, 200, 200, 429]],
    ['overloaded', [200, 200, 200, 200, 502]],
    ['server_error', [200, 200, 200, 200, 502]],
    ['auth_error', [200, 200, 502, 502, 502]],
    ['not_found', [200, 200, 502, 502, 200]],
    ['invalid_request', [400, 200, 400, 400, 400]],
    ['context_length', [200, 200, 400, 400, 400]],
    ['content_filter', [400, 200, 400, 400, 400]],
    ['malformed', [200, 200, 502, 200, 502]],
    ['empty', [200, 200, 502, 200, 502]],
    ['truncated', [200, 200, 502, 200, 502]],
    ['refused', [403, 403, 403, 403, 403]],
  ]
  for (const [kind, statuses] of rows) {
    const got = []
    for (const set of ['leg_faults', 'any', 'retryable', 'triggers', ['not_found']] as const) got.push(await served(kind, set))
    t.strictSame(got, statuses, kind)
  }
  const stopped = await fallbackOf(t, { chat: [fails('one', failure('auth_error')), second] }, { advanceOn: 'retryable' }).handle(chat())
  t.strictSame(outline(stopped.headers['understudy-trail']), ['one/one failed auth_error'])
})

t.test('what providers said of their failures is for those who asked for it', async (t) => {
  const message = 'The model is loading; key sk-proj-aBcDeFgHiJkLmNoPqRsTuVwX0123456789'
  const { fallback } = await chainOf(t, { 'm-1': [{ status: 503, error: { message } }] }, { exposeProviderMessages: true })
  t.match((await jsonOf(await fallback.handle(chat()))).error, {
    message: 'all legs of route \'chat\' failed',
    failures: [{ message: 'The model is loading; key ***' }],
  })
})

t.test('exposeTrail: false keeps the trail from the headers', async (t) => {
  const fallback = fallbackOf(t, { chat: [fails('one', new Error('no'))] }, { exposeTrail: false })
  const { headers } = await fallback.handle(chat())
  t.strictSame(Object.keys(headers).filter((name) => name.startsWith('understudy-')), [])
})

t.test('a buffered answer that breaks after its commit at the headers is a 502, told as any failure', async (t) => {
  const broken = { answer: { text: 'half of it' }, fault: { do: 'close' as const, afterBytes: 40 } }
  const { fallback, simulator } = await chainOf(t, { 'm-1': [broken], 'm-2': [{}] }, { commit: 'established' })
  const response = await fallback.handle(chat())
  t.match([response.status, response.headers], [502, { 'x-should-retry': 'false', 'cache-control': 'no-store', 'understudy-served': undefined }])
  const { error, attempts } = await jsonOf(response)
  t.match(timeless({ error, attempts }), {
    error: { type: 'upstream_error', code: 'upstream_error', failures: [{ provider: 'a', model: 'm-1', reason: 'connection_error' }] },
    attempts: [{ model: 'a/m-1', status: 'failed', reason: 'connection_error' }],
  })
  t.strictSame(outline(response.headers['understudy-trail']), ['a/m-1 failed connection_error'])
  t.equal(simulator.calls.length, 1, 'no other leg is asked')
  t.match(fallback.snapshot(), { lastFailures: [{ provider: 'a', model: 'm-1', kind: 'connection_error' }], openRuns: 0 })
})

t.test('a client that has left is told nothing and blamed on nobody', async (t) => {
  const fallback = fallbackOf(t, { chat: [hangs('one'), says('two', 'Hi')] })
  const request = chat()
  const answering = fallback.handle(request)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(fallback.snapshot().openRuns, 1)
  request.leave()
  const response = await answering
  t.strictSame([response.status, (await jsonOf(response)).error?.code], [499, 'aborted'])
  t.strictSame([fallback.snapshot().openRuns, fallback.snapshot().lastFailures], [0, []])
})

t.test('an answer that cannot be written is told as a fault of ours, once, and holds nothing open', async (t) => {
  const lines: unknown[] = []
  const line = (fields: unknown, message: string) => lines.push([fields, message])
  const unwritable = () => {
    throw new TypeError('the prompt')
  }
  const { stringify } = JSON
  t.intercept(JSON, 'stringify', {
    value(...written: Parameters<typeof stringify>) {
      const text = stringify(...written)
      return text?.includes('UNWRITABLE') ? unwritable() : text
    },
  })
  const fallback = fallbackOf(t, { chat: [says('bad', 'UNWRITABLE')] }, { logger: { debug: line, info: line, warn: line, error: line } })
  const error = { message: 'Understudy failed', type: 'server_error', code: 'internal_error' }
  const response = await fallback.handle(chat({}, { headers: { 'x-request-id': 'r-1' } }))
  t.strictSame([response.status, await jsonOf(response)], [500, { error, request_id: 'r-1' }])
  const streamed = await fallback.handle(stream({}, { headers: { 'x-request-id': 'r-2' } }))
  t.strictSame(eventsOf(await textOf(streamed)), [{ error, request_id: 'r-2' }])
  t.equal(fallback.snapshot().openRuns, 0)
  t.match(lines, [
    [{ requestId: 'r-1', error: 'TypeError', at: [/unwritable/, /value/, /buffered-answer/] }, 'a request failed inside Understudy'],
    [{ requestId: 'r-2', error: 'TypeError', at: [/unwritable/] }, 'a request failed inside Understudy'],
  ])
})

t.test('a provider that was not asked has refused nothing, and its attempt says why', async (t) => {
  const simulator = await simulate(t, { models: { 'm-1': [{ status: 401, error: { code: 'invalid_credential' } }] } })
  const { a } = providersOn(simulator)
  const nothing = () => undefined as unknown as string
  const told = async (own: object) => {
    const lines: { readonly attempts?: readonly { readonly code?: string }[] }[] = []
    const line = (fields: object): void => void lines.push(fields)
    const logger = { debug: line, info: line, warn: line, error: line }
    const fallback = fallbackOf(t, { chat: ['a/m-1'] }, { providers: { a: { ...a, dialect: 'openai', ...own } }, logger })
    const { error } = await jsonOf(await fallback.handle(chat()))
    const [failure] = error?.['failures'] as readonly { readonly message: string; readonly reason: string }[]
    return [failure?.reason, failure?.message, lines[0]?.attempts?.[0]?.code]
  }
  const none = ['auth_error', 'the provider was not asked: its apiKey function gave no key', 'credential_unavailable']
  for (const apiKey of [nothing, () => Promise.resolve(nothing()), () => Promise.reject(new Error('x')), () => { throw new Error('x') }]) {
    t.strictSame(await told({ apiKey }), none)
  }
  t.strictSame(await told({ apiKey: () => 'a\nb' }), ['auth_error', 'the provider was not asked: its apiKey function gave what no header can carry', 'invalid_credential'])
  t.strictSame(await told({ sign: () => Promise.reject(new Error('x')) }), ['auth_error', 'the provider was not asked: its sign function failed', 'signature_unavailable'])
  t.equal(simulator.calls.length, 0)
  t.strictSame(await told({}), ['auth_error', 'the provider refused the credentials or the account', 'invalid_credential'], 'one that was asked did')
})
