import { createSystemClock, failureOf, LegFailedError } from '@understudy/core'
import type { CustomLeg, Part } from '@understudy/core'
import { HEALTHY_TEXT } from '@understudy/simulator'
import type { Script, Step } from '@understudy/simulator'
import t from 'tap'
import type { Test } from 'tap'

import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { within } from '../../../../test/kit/within.js'
import {
  chat, contentOf, EPOCH, eventsOf, fails, fallbackOf, hangs, iteratorOf, jsonOf, outline, parseTrail, providersOn, says,
  simulate, stream, textOf, timeless,
} from '../kit.js'
import type { Wire } from '../kit.js'

const DOWN: Step = { status: 503 }
const MODELS: Script['models'] = { 'm-1': [DOWN], 'm-2': [{}] }

async function rescued(t: Test, models = MODELS, options: Parameters<typeof fallbackOf>[2] = {}) {
  const simulator = await simulate(t, { models })
  return { simulator, fallback: fallbackOf(t, { chat: ['a/m-1', 'b/m-2'] }, { providers: providersOn(simulator), ...options }) }
}

/** One leg `a/m-1` that plays this. */
async function single(t: Test, step: Step, options: Parameters<typeof fallbackOf>[2] = {}) {
  const simulator = await simulate(t, { models: { 'm-1': [step] } })
  return { simulator, fallback: fallbackOf(t, { chat: ['a/m-1'] }, { providers: providersOn(simulator), ...options }) }
}

const REPORT = {
  served_model: 'b/m-2',
  requested_model: 'a/m-1',
  failover: {
    occurred: true,
    attempts: [
      { model: 'a/m-1', status: 'failed', reason: 'overloaded', latency_ms: 0 },
      { model: 'b/m-2', status: 'served', latency_ms: 0 },
    ],
  },
}

t.test('a buffered answer is the provider\'s own with the report in it, and the headers say who served', async (t) => {
  const body = { id: 'x', model: 'their-name', choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }], odd: [1.0] }
  const headers = { 'x-request-id': 'theirs', 'x-ratelimit-remaining-requests': '7', 'openai-processing-ms': '12', 'set-cookie': 'a=b' }
  const { fallback } = await rescued(t, { 'm-1': [DOWN], 'm-2': [{ body: JSON.stringify(body, undefined, 1), headers }] })
  const response = await fallback.handle(chat({}, { headers: { 'x-request-id': 'r-1' } }))
  const text = await textOf(response)
  t.strictSame({ ...response, body: undefined }, {
    status: 200,
    headers: {
      'x-ratelimit-remaining-requests': '7',
      'openai-processing-ms': '12',
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'r-1',
      'understudy-provider-request-id': 'theirs',
      'understudy-route': 'chat',
      'understudy-served': 'b/m-2',
      'understudy-trail': response.headers['understudy-trail'],
      'content-length': String(Buffer.byteLength(text)),
    },
    body: undefined,
  })
  const { understudy, ...own } = JSON.parse(text) as Wire
  t.strictSame(timeless(understudy), REPORT)
  t.strictSame(own, body)
  t.equal(text.replace(/"understudy":\{.*?\]\}\},/, ''), JSON.stringify(body, undefined, 1), 'byte for byte but for the report')
  t.strictSame(timeless(parseTrail(response.headers['understudy-trail'])), [
    { name: 'a/m-1', outcome: 'failed', reason: 'overloaded', ms: 0 },
    { name: 'b/m-2', outcome: 'served', ms: 0 },
  ])
})

t.test('a stream is the provider\'s own with the report in its first event', async (t) => {
  const { fallback, simulator } = await rescued(t)
  const response = await fallback.handle(stream({}, { headers: { 'x-request-id': 'r-1' } }))
  t.strictSame({ ...response, body: undefined }, {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': 'r-1',
      'understudy-provider-request-id': response.headers['understudy-provider-request-id'],
      'understudy-route': 'chat',
      'understudy-served': 'b/m-2',
      'understudy-trail': response.headers['understudy-trail'],
    },
    body: undefined,
  })
  const text = await textOf(response)
  const [first, ...rest] = eventsOf(text)
  const { understudy, ...opener } = first as Wire
  t.strictSame(timeless(understudy), REPORT)
  t.strictSame(rest.filter((event) => event !== '[DONE]' && 'understudy' in event), [], 'in no other')
  const direct = await fetch(`${simulator.url}/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'm-2', stream: true }) })
  const own = eventsOf(await direct.text())
  const nameless = (events: readonly (Wire | '[DONE]')[]) => events.map((event) => (event === '[DONE]' ? event : { ...event, id: '' }))
  t.strictSame(nameless([opener, ...rest]), nameless(own), 'the rest as it came')
  t.equal(contentOf(text), HEALTHY_TEXT)
})

t.test('a chain of one has no failover, and one whose first leg served has none that occurred', async (t) => {
  const one = await fallbackOf(t, { chat: [says('one', 'Hi')] }).handle(chat())
  t.strictSame((await jsonOf(one))['understudy'], { served_model: 'one/one', requested_model: 'one/one' })
  const two = await fallbackOf(t, { chat: [says('one', 'Hi'), says('two', 'Hi')] }).handle(chat())
  t.strictSame(timeless((await jsonOf(two))['understudy']), {
    served_model: 'one/one',
    requested_model: 'one/one',
    failover: { occurred: false, attempts: [{ model: 'one/one', status: 'served', latency_ms: 0 }] },
  })
})

t.test('a retry is a row of its own', async (t) => {
  // Its timers hold the process: nothing else does here while a retry waits.
  const clock = createSystemClock()
  let calls = 0
  const flaky: CustomLeg = {
    name: 'flaky',
    open: (...args) => (++calls === 1 ? Promise.reject(new LegFailedError(failureOf('overloaded'))) : says('', 'Hi').open(...args)),
  }
  const response = await fallbackOf(t, { chat: [flaky] }, { retries: 1 }, { random: () => 0, clock }).handle(chat())
  t.strictSame(outline(response.headers['understudy-trail']), ['flaky/flaky failed overloaded', 'flaky/flaky served'])
  t.strictSame((await jsonOf(response))['understudy'], { served_model: 'flaky/flaky', requested_model: 'flaky/flaky' })
  calls = 0
  const behind = await fallbackOf(t, { chat: [flaky, says('two', 'Hi')] }, { retries: 1 }, { random: () => 0, clock }).handle(chat())
  t.match((await jsonOf(behind))['understudy'], { failover: { occurred: false, attempts: [{ status: 'failed' }, { status: 'served' }] } })
})

t.test('the report is renamed or left out, and so are the headers', async (t) => {
  const { fallback: renamed } = await rescued(t, MODELS, { reportKey: 'x "y"' })
  t.match(await jsonOf(await renamed.handle(chat())), { 'x "y"': { served_model: 'b/m-2' }, understudy: undefined })
  t.match(eventsOf(await textOf(await renamed.handle(stream())))[0], { 'x "y"': { served_model: 'b/m-2' } })

  const { fallback: silent } = await rescued(t, MODELS, { report: false, exposeTrail: false })
  for (const request of [chat(), stream()]) {
    const response = await silent.handle(request)
    t.strictSame(Object.keys(response.headers).filter((name) => name.startsWith('understudy-')), ['understudy-provider-request-id'])
    t.notMatch(await textOf(response), /served_model/)
  }
})

t.test('any name can stand in a header, and is read back', async (t) => {
  const name = 'say "hi" \\ 100% \u00fc\u{1f600};x=1,y'
  const fallback = fallbackOf(t, { [name]: [fails(name, new Error('no')), says(`${name}2`, 'Hi')] })
  const response = await fallback.handle(chat({ model: name }))
  const encoded = 'say "hi" \\ 100%25 %C3%BC%F0%9F%98%80;x=1,y'
  t.equal(response.headers['understudy-route'], encoded)
  t.equal(response.headers['understudy-served'], `${encoded}2/${encoded}2`)
  const [failed, served] = parseTrail(response.headers['understudy-trail'])
  t.match([failed, served], [{ name: `${encoded}/${encoded}`, outcome: 'failed', reason: 'server_error' }, { name: `${encoded}2/${encoded}2`, outcome: 'served' }])
  t.equal(decodeURIComponent(String(failed?.name)), `${name}/${name}`)
})

t.test('a custom leg answers in the client\'s form, in its own name, streamed and buffered', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('own', 'Hel', 'lo')] }, {}, { wallClock: () => EPOCH })
  const withId = { headers: { 'x-request-id': 'r-1' } }
  const report = { served_model: 'own/own', requested_model: 'own/own' }
  const head = { id: 'chatcmpl-r-1', created: EPOCH / 1000, model: 'own' }
  t.strictSame(await jsonOf(await fallback.handle(chat({}, withId))), {
    understudy: report,
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, logprobs: null, finish_reason: 'stop' }],
  })
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })
  t.strictSame(eventsOf(await textOf(await fallback.handle(stream({}, withId)))), [
    { understudy: report, ...chunk({ role: 'assistant', content: '' }) },
    chunk({ content: 'Hel' }),
    chunk({ content: 'lo' }),
    chunk({}, 'stop'),
    '[DONE]',
  ])
})

t.test('a custom leg may yield parts: reasoning, calls, usage, its own finish', async (t) => {
  const parts = [
    { type: 'start', id: 'own-1', model: 'own-model', created: 5 },
    { type: 'reasoning', text: 'Hm.' },
    { type: 'tool-call', index: 0, id: 'c-1', name: 'f', arguments: '{"a"' },
    { type: 'tool-call', index: 0, arguments: ':1}' },
    { type: 'finish', reason: 'tool_calls' },
    { type: 'usage', usage: { inputTokens: 3, outputTokens: 4 } },
  ] as const
  const fallback = fallbackOf(t, { chat: [says('own', ...parts)] }, { report: false })
  t.strictSame(await jsonOf(await fallback.handle(chat())), {
    id: 'own-1',
    object: 'chat.completion',
    created: 5,
    model: 'own',
    choices: [{
      index: 0,
      message: {
        role: 'assistant', content: null, refusal: null, reasoning_content: 'Hm.',
        tool_calls: [{ id: 'c-1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  })
  const withUsage = eventsOf(await textOf(await fallback.handle(stream({ stream_options: { include_usage: true } }))))
  t.match(withUsage.slice(-2), [{ choices: [], usage: { total_tokens: 7 } }, '[DONE]'])
  const without = await textOf(await fallback.handle(stream()))
  t.notMatch(without, /usage/)
})

t.test('a custom leg that fails moves on, whatever it throws', async (t) => {
  const hostile = new Proxy({}, { get() { throw new Error('no') } })
  const status = Object.assign(new Error('slow down'), { status: 429 })
  for (const [thrown, reason] of [[hostile, 'server_error'], [undefined, 'server_error'], [status, 'rate_limit'], ['text', 'server_error']] as const) {
    const response = await fallbackOf(t, { chat: [fails('bad', thrown), says('good', 'Hi')] }).handle(chat())
    t.strictSame(outline(response.headers['understudy-trail']), [`bad/bad failed ${reason}`, 'good/good served'])
  }
  const junk: CustomLeg = { name: 'junk', async *open() { yield 5 as never } }
  const response = await fallbackOf(t, { chat: [junk, says('good', 'Hi')] }).handle(stream())
  t.strictSame(outline(response.headers['understudy-trail']), ['junk/junk failed malformed', 'good/good served'])
})

t.test('a custom leg is told when its attempt is over', async (t) => {
  const clock = createFakeClock()
  const reasons: unknown[] = []
  const silent: CustomLeg = {
    name: 'silent',
    open: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push((signal.reason as LegFailedError).failure)
          reject(new Error('as I was told'))
        })
      }),
  }
  const answering = fallbackOf(t, { chat: [silent, says('good', 'Hi')] }, {}, { clock }).handle(stream())
  await clock.advance(10_000)
  const response = await answering
  t.strictSame(reasons, [{ kind: 'timeout', processed: 'maybe', phase: 'first_content' }], 'its connection is its own affair')
  t.strictSame(outline(response.headers['understudy-trail']), ['silent/silent failed timeout first_content', 'good/good served'])
  t.equal(contentOf(await textOf(response)), 'Hi')
  t.equal(clock.pending, 0)
})

t.test('what came before the first content is held back and then given in order', async (t) => {
  const step: Step = { comments: 'before', prefixJunk: ['data: null', 'event: ping\ndata: {}'], eventDelayMs: 0 }
  const { fallback } = await single(t, step)
  const text = await textOf(await fallback.handle(stream()))
  t.equal(contentOf(text.replace(/^(?:data: null|event: ping\ndata: .*|: .*)\n+/gm, '')), HEALTHY_TEXT)
  t.equal(text.match(/"understudy"/g)?.length, 1, 'and the report is in it, once')
})

t.test('the report waits for an event that can take it: a ping cannot', async (t) => {
  const step: Step = { comments: 'before', eventDelayMs: 20, headersFirst: true }
  const { fallback } = await single(t, step, { commit: 'established' })
  const text = await textOf(await fallback.handle(stream()))
  t.match(text, /^: ping\n+data: \{"understudy":/)
  t.equal(text.match(/"understudy"/g)?.length, 1)
})

t.test('of a leg that was left before its commit not a byte is seen', async (t) => {
  const opener = { chunks: [{ text: 'data: {"id":"first","choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n', then: 'reset' as const }] }
  const { fallback } = await rescued(t, { 'm-1': [opener], 'm-2': [{}] })
  const response = await fallback.handle(stream())
  const text = await textOf(response)
  t.notMatch(text, /"first"/)
  t.equal(contentOf(text), HEALTHY_TEXT)
  t.strictSame(outline(response.headers['understudy-trail']), ['a/m-1 failed connection_error', 'b/m-2 served'])
})

t.test('[DONE] comes exactly once, whether the provider sends it never, once or twice', async (t) => {
  for (const done of [0, 1, 2] as const) {
    for (const step of [{ done }, { done, lateText: 'late' }, { done, eventDelayMs: 0, duplicateFinish: true }]) {
      const { fallback } = await single(t, step, { finishGraceMs: 50 })
      const text = await textOf(await fallback.handle(stream()))
      t.strictSame([text.match(/\[DONE\]/g)?.length, text.endsWith('data: [DONE]\n\n')], [1, true], JSON.stringify(step))
      t.equal(contentOf(text), done === 0 && 'lateText' in step ? `${HEALTHY_TEXT}late` : HEALTHY_TEXT)
    }
  }
})

t.test('a JSON answer to a stream request becomes a stream, in the provider\'s own name', async (t) => {
  const { fallback } = await single(t, { jsonForStream: true, answer: { text: 'Hi there', model: 'their-name' } })
  const events = eventsOf(await textOf(await fallback.handle(stream())))
  t.match(events, [
    { understudy: { served_model: 'a/m-1' }, model: 'their-name', object: 'chat.completion.chunk' },
    { choices: [{ delta: { content: 'Hi there' } }] },
    { choices: [{ finish_reason: 'stop' }] },
    '[DONE]',
  ])
  t.equal(events.length, 4)
})

t.test('a stream that answers a buffered request is collected, and bufferedVia: \'stream\' asks for one', async (t) => {
  const answers = async (step: Step, options: Parameters<typeof fallbackOf>[2]) => {
    const { fallback, simulator } = await single(t, step, options)
    const { understudy, choices, object, usage } = await jsonOf(await fallback.handle(chat({ stream_options: null })))
    return [understudy !== undefined, choices?.[0]?.message?.content, object, usage !== undefined, simulator.calls[0]?.stream]
  }
  t.strictSame(await answers({ streamForJson: true }, {}), [true, HEALTHY_TEXT, 'chat.completion', false, false])
  t.strictSame(await answers({}, { bufferedVia: 'stream' }), [true, HEALTHY_TEXT, 'chat.completion', true, true])
})

t.test('a buffered answer that breaks anywhere moves on', async (t) => {
  const steps: readonly Step[] = [
    { fault: { do: 'close', afterBytes: 100 } },
    { fault: { do: 'end', afterBytes: 100 } },
    { empty: 'no_content' },
    { empty: 'no_choices' },
    { html: true },
    { body: { error: { message: 'inside a 200' } } },
    { body: null },
    { streamForJson: true, fault: { do: 'end', afterEvents: 41 } },
  ]
  for (const step of steps) {
    const { fallback } = await rescued(t, { 'm-1': [step], 'm-2': [{}] })
    const response = await fallback.handle(chat())
    t.equal(response.headers['understudy-served'], 'b/m-2', JSON.stringify(step))
    t.equal((await jsonOf(response)).choices?.[0]?.message?.content, HEALTHY_TEXT)
  }
})

t.test('an answer that breaks after its commit ends with one error event that says how, and no [DONE]', async (t) => {
  const words = (count: number) => HEALTHY_TEXT.split(/(?<= )/).slice(0, count).join('')
  const rows: readonly (readonly [Step, string, number])[] = [
    [{ fault: { do: 'reset', afterEvents: 41 }, eventDelayMs: 0 }, 'stream_truncated', 40],
    [{ fault: { do: 'close', afterEvents: 41 }, eventDelayMs: 0 }, 'stream_truncated', 40],
    [{ fault: { do: 'end', afterEvents: 41 }, eventDelayMs: 0 }, 'stream_truncated', 40],
    [{ fault: { do: 'stall', afterEvents: 41 }, eventDelayMs: 0 }, 'idle_timeout', 40],
    [{ fault: { do: 'error_event', afterEvents: 41 }, eventDelayMs: 0 }, 'upstream_error', 40],
    [{ fault: { do: 'malformed_text', afterEvents: 41 }, eventDelayMs: 0 }, 'upstream_error', 40],
  ]
  for (const [step, code, count] of rows) {
    const { fallback, simulator } = await rescued(t, { 'm-1': [step], 'm-2': [{}] }, code === 'idle_timeout' ? { idleTimeoutMs: 150 } : {})
    const text = await within(10_000, code, fallback.handle(stream({}, { headers: { 'x-request-id': 'r-1' } })).then(textOf))
    const events = eventsOf(text)
    t.match(events.at(-1), { error: { type: 'upstream_error', code }, request_id: 'r-1' }, JSON.stringify(step))
    t.strictSame(events.filter((event) => event === '[DONE]' || event.error !== undefined).length, 1)
    t.equal(contentOf(text), words(count))
    t.equal(simulator.calls.length, 1, 'no other leg is asked')
    t.match(fallback.snapshot(), { openRuns: 0, lastFailures: [{ provider: 'a', model: 'm-1' }] })
  }
})

t.test('maxStreamMs cuts a stream, and says so', async (t) => {
  const clock = createFakeClock()
  const fallback = fallbackOf(t, { chat: [hangs('one', 'Hi')] }, { maxStreamMs: 1_000 }, { clock })
  const reading = textOf(await fallback.handle(stream()))
  await clock.advance(1_000)
  const text = await reading
  t.match(eventsOf(text).at(-1), { error: { code: 'stream_truncated', message: 'the stream was cut after maxStreamMs' } })
  t.equal(clock.pending, 0)
})

t.test('commit: \'complete\' replays a whole answer, so that there is never half of one', async (t) => {
  const broken: Step = { fault: { do: 'close', afterEvents: 41 }, eventDelayMs: 0 }
  const { fallback } = await rescued(t, { 'm-1': [broken], 'm-2': [{}] }, { commit: 'complete' })
  const response = await fallback.handle(stream())
  const text = await textOf(response)
  t.equal(contentOf(text), HEALTHY_TEXT)
  t.equal(text.match(/\[DONE\]/g)?.length, 1)
  t.strictSame(outline(response.headers['understudy-trail']), ['a/m-1 failed connection_error', 'b/m-2 served'])
})

t.test('a stream that its reader leaves ends there: nothing more is given and the leg is closed', async (t) => {
  const { fallback, simulator } = await single(t, { eventDelayMs: 5 })
  for (const leave of ['return', 'signal'] as const) {
    const request = stream()
    const reader = iteratorOf(await fallback.handle(request))
    // Opener and first word, which were held together.
    t.equal((await reader.next()).done, false)
    t.equal((await reader.next()).done, false)
    t.equal(fallback.snapshot().openRuns, 1)
    if (leave === 'return') await reader.return?.()
    else request.leave()
    const left: unknown[] = []
    for (let item = await reader.next(); item.done !== true; item = await reader.next()) left.push(item.value.toString())
    t.strictSame(left, [], leave)
    t.match(await within(1_000, 'the provider sees it', simulator.calls.at(-1)?.closed ?? Promise.reject(new Error('not called'))), { by: 'client' })
    t.strictSame([fallback.snapshot().openRuns, fallback.snapshot().lastFailures], [0, []])
  }
})

t.test('a read that waits is answered when the reader leaves', async (t) => {
  const fallback = fallbackOf(t, { chat: [hangs('one', 'Hi')] })
  const reader = iteratorOf(await fallback.handle(stream()))
  await reader.next()
  const waiting = reader.next()
  await reader.return?.()
  t.strictSame(await within(1_000, 'the read ends', waiting), { done: true, value: undefined })
  t.strictSame(await reader.return?.(), { done: true, value: undefined })
})

t.test('reads at once are answered in their order, and all of them when the reader leaves', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('one', 'a', 'b')], open: [hangs('two', 'Hi')] })
  const reader = iteratorOf(await fallback.handle(stream()))
  const reads = await within(1_000, 'all reads end', Promise.all(Array.from({ length: 6 }, () => reader.next())))
  t.strictSame(reads.map(({ done }) => done), [false, false, false, false, true, true])
  t.equal(contentOf(Buffer.concat(reads.flatMap(({ value }) => value ?? [])).toString()), 'ab')

  const open = iteratorOf(await fallback.handle(stream({ model: 'open' })))
  await open.next()
  const waiting = [open.next(), open.next()]
  await open.return?.()
  const left = await within(1_000, 'both reads end', Promise.all(waiting))
  t.strictSame(left.map(({ done }) => done), [true, true])
})

t.test('a held answer may hold any number of arrivals that say nothing to the client', async (t) => {
  const silent = Array.from({ length: 50_000 }, (): Part => ({ type: 'usage', usage: {} }))
  const fallback = fallbackOf(t, { chat: { legs: [says('one', 'a', ...silent, 'b')], commit: 'complete' } })
  t.equal(contentOf(await within(5_000, 'the answer ends', fallback.handle(stream()).then(textOf))), 'ab')
})

t.test('a response that is never read but closed holds nothing', async (t) => {
  const { fallback, simulator } = await single(t, { eventDelayMs: 5 })
  const reader = iteratorOf(await fallback.handle(stream()))
  await reader.return?.()
  await within(1_000, 'the provider sees it', simulator.calls[0]?.closed ?? Promise.reject(new Error('not called')))
  t.equal(fallback.snapshot().openRuns, 0)
})

t.test('with the defaults a buffered request whose first leg accepts and stays silent is answered by the second', async (t) => {
  const clock = createFakeClock()
  const simulator = await simulate(t, { models: { 'm-1': [{ connect: 'accept_stall' }], 'm-2': [{}] } })
  const fallback = fallbackOf(t, { chat: ['a/m-1', 'b/m-2'] }, { providers: providersOn(simulator) }, { clock })
  const answering = fallback.handle(chat())
  const silent = await simulator.waitForCall('m-1', 1)
  await clock.advance(59_999)
  t.equal(simulator.callsOf('m-2').length, 0)
  await clock.advance(1)
  const response = await within(2_000, 'the second answers', answering)
  t.strictSame([response.status, outline(response.headers['understudy-trail'])], [200, ['a/m-1 failed timeout attempt', 'b/m-2 served']])
  t.strictSame(parseTrail(response.headers['understudy-trail'])[0]?.['ms'], 60_000)
  t.match(await within(1_000, 'the first is cut off', silent.closed), { by: 'client', complete: false })
  t.equal(clock.pending, 0)
})

t.test('the comments of a slow model', async (t) => {
  const COMMENT = ': waiting\n'

  /** A leg that answers when it is told to, or fails. */
  function slow() {
    let settle: { readonly resolve: (text: AsyncIterable<string>) => void; readonly reject: (error: unknown) => void } | undefined
    let aborted = false
    const leg: CustomLeg = {
      name: 'slow',
      open: (_request, { signal }) =>
        new Promise((resolve, reject) => {
          settle = { resolve, reject }
          signal.addEventListener('abort', () => (aborted = true))
        }),
    }
    async function* text(): AsyncGenerator<string> {
      yield 'Hi'
    }
    return { leg, answer: () => settle?.resolve(text()), fail: (error: unknown) => settle?.reject(error), aborted: () => aborted }
  }

  function waiting(t: Test, legs: readonly CustomLeg[], options: Parameters<typeof fallbackOf>[2] = {}) {
    const clock = createFakeClock()
    return { clock, fallback: fallbackOf(t, { chat: legs }, { waitingComment: { afterMs: 1_000 }, ...options }, { clock }) }
  }

  t.test('a model that is quick enough is answered as ever, and leaves no timer', async (t) => {
    const { clock, fallback } = waiting(t, [says('quick', 'Hi')])
    const response = await fallback.handle(stream())
    t.ok('understudy-trail' in response.headers)
    t.equal(contentOf(await textOf(response)), 'Hi')
    t.equal(clock.pending, 0)
  })

  t.test('the head goes out early and says no more than the route; comments, then the stream with its report', async (t) => {
    const { leg, answer } = slow()
    const { clock, fallback } = waiting(t, [leg, says('other', 'no')])
    const answering = fallback.handle(stream({}, { headers: { 'x-request-id': 'r-1' } }))
    await clock.advance(999)
    t.equal(fallback.snapshot().openRuns, 1)
    await clock.advance(1)
    const response = await answering
    t.strictSame(response.headers, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': 'r-1',
      'understudy-route': 'chat',
    })
    const reader = iteratorOf(response)
    const seen: string[] = []
    const read = () => reader.next().then(({ value }) => void seen.push(String(value)))
    await read()
    t.strictSame(seen, [COMMENT], 'one with the head')
    const second = read()
    await clock.advance(999)
    t.equal(seen.length, 1)
    await clock.advance(1)
    await second
    t.strictSame(seen, [COMMENT, COMMENT], 'one each interval')
    const rest = read()
    answer()
    await rest
    while (!seen.at(-1)?.includes('[DONE]')) await read()
    const text = seen.join('')
    t.match(eventsOf(text), [{ understudy: { served_model: 'slow/slow' } }, {}, {}, '[DONE]'])
    t.strictSame(await reader.next(), { done: true, value: undefined })
    t.strictSame([clock.pending, fallback.snapshot().openRuns], [0, 0])
  })

  t.test('a chain that fails then is one error event with the report in it', async (t) => {
    const { leg, fail } = slow()
    const { clock, fallback } = waiting(t, [leg])
    const answering = fallback.handle(stream({}, { headers: { 'x-request-id': 'r-1' } }))
    await clock.advance(1_000)
    const reading = textOf(await answering)
    fail(new LegFailedError(failureOf('overloaded')))
    const events = eventsOf(await reading)
    t.match(events, [{ error: { code: 'all_legs_failed', failures: [{ provider: 'slow', reason: 'overloaded' }] }, attempts: [{ model: 'slow/slow' }], request_id: 'r-1' }])
    t.equal(events.length, 1)
    t.strictSame([clock.pending, fallback.snapshot().openRuns], [0, 0])
  })

  t.test('a client that leaves while it waits releases everything and is told nothing', async (t) => {
    for (const leave of ['signal', 'return', 'return before a read'] as const) {
      const { leg, aborted, answer } = slow()
      const { clock, fallback } = waiting(t, [leg, says('other', 'no')])
      const request = stream()
      const answering = fallback.handle(request)
      await clock.advance(1_000)
      const reader = iteratorOf(await answering)
      const seen: string[] = []
      if (leave !== 'return before a read') {
        await reader.next()
        const read = reader.next().then((item) => seen.push(String(item.done)))
        if (leave === 'signal') request.leave()
        else await reader.return?.()
        await within(1_000, 'the read ends', read)
      } else {
        await reader.return?.()
      }
      await clock.advance(0)
      t.strictSame([seen, aborted(), clock.pending, fallback.snapshot().openRuns], [leave === 'return before a read' ? [] : ['true'], true, 0, 0], leave)
      answer()
      await clock.advance(0)
      t.strictSame(await reader.next(), { done: true, value: undefined })
      t.equal(fallback.snapshot().openRuns, 0)
    }
  })

  t.test('a stream that came while nobody read is closed when the reader leaves', async (t) => {
    const { leg, answer } = slow()
    const { clock, fallback } = waiting(t, [leg])
    const answering = fallback.handle(stream())
    await clock.advance(1_000)
    const reader = iteratorOf(await answering)
    answer()
    await clock.advance(0)
    await reader.return?.()
    t.strictSame([clock.pending, fallback.snapshot().openRuns], [0, 0])
  })

  t.test('a buffered request is never told to wait', async (t) => {
    const { leg, answer } = slow()
    const { clock, fallback } = waiting(t, [leg])
    const answering = fallback.handle(chat())
    await clock.advance(5_000)
    answer()
    t.match((await answering).headers['content-type'], /json/)
  })
})
