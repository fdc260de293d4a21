import OpenAI from 'openai'
import t from 'tap'

import { createSystemClock } from '@understudy/core'
import type { Step } from '@understudy/simulator'
import { HEALTHY_TEXT, refusedUrl } from '@understudy/simulator'
import { isLegFailedError, withFallback } from '@understudy/client'
import { sdkDialectOf } from '../src/sdk-dialect.js'
import { createSdkLeg } from '../src/sdk-leg.js'
import { KEYS, MESSAGES, readStream, rejection, startPair } from './kit.js'

const OPTIONS = { breaker: false } as const
/** Long enough for the other provider's answer on a machine that is busy, which has the same limit. */
const HOP_MS = 1_000

/** What a caller may expect where no other provider may be asked. */
type Expected = 'moves on' | ((error: unknown) => boolean)

const is = (kind: abstract new (...args: never[]) => unknown, status?: number): Expected => (error) =>
  error instanceof Error && error.constructor === kind && (status === undefined || ('status' in error && error.status === status))
const ours = (kind: string): Expected => (error) => isLegFailedError(error) && error.failure.kind === kind
const terminated: Expected = (error) => error instanceof TypeError && error.message === 'terminated'

/** Before anything of an answer: each way to fail, and what becomes of it with `safe`. */
const BEFORE: Readonly<Record<string, readonly [step: Step, json: Expected, stream?: Expected]>> = {
  'a rate limit': [{ status: 429 }, 'moves on'],
  'an overload': [{ status: 529 }, 'moves on'],
  'a server error': [{ status: 500 }, is(OpenAI.InternalServerError, 500)],
  'a page of a proxy': [{ status: 502, html: true }, is(OpenAI.InternalServerError, 502)],
  'a page with status 200': [{ html: true }, ours('malformed')],
  'a reset': [{ connect: 'reset_before_headers' }, is(OpenAI.APIConnectionError)],
  'a reset behind the headers': [{ connect: 'reset_after_headers' }, terminated],
  'silence': [{ connect: 'accept_stall' }, is(OpenAI.APIConnectionTimeoutError)],
  'silence behind the headers': [{ headersFirst: true, firstEventDelayMs: 5_000 }, is(OpenAI.APIConnectionTimeoutError)],
  'an empty body': [{ empty: 'bytes' }, ours('malformed'), ours('empty')],
  'an answer without content': [{ empty: 'no_content' }, ours('empty')],
  'an answer without choices': [{ empty: 'no_choices' }, ours('malformed'), ours('empty')],
}

for (const stream of [false, true]) {
  for (const [name, [step, json, streamed = json]] of Object.entries(BEFORE)) {
    const expected = stream ? streamed : json
    t.test(`${name}, ${stream ? 'streamed' : 'as JSON'}: another provider answers, with \`safe\` only if none was asked before`, async (t) => {
      const { make, two } = await startPair(t, [step], { ...OPTIONS, ...(name.startsWith('silence') && { hopTimeoutMs: HOP_MS }) })
      const ask = async (client: OpenAI): Promise<string> => {
        if (!stream) return (await client.chat.completions.create({ model: 'large', messages: MESSAGES })).choices[0]?.message.content ?? ''
        const { text, error } = await readStream(await client.chat.completions.create({ model: 'large', messages: MESSAGES, stream }))
        if (error !== undefined) throw error
        return text
      }
      t.equal(await ask(make({ idempotency: 'always' })), HEALTHY_TEXT)
      t.equal(two.calls.length, 1)
      if (expected === 'moves on') {
        t.equal(await ask(make()), HEALTHY_TEXT)
      } else {
        const error = await rejection(ask(make()))
        t.ok(expected(error), String(error))
        t.equal(two.calls.length, 1, 'the other is not asked')
      }
    })
  }
}

t.test('a refused connection and an unknown host cannot have been processed, so `safe` moves on', async (t) => {
  const { second } = await startPair(t)
  for (const baseURL of [await refusedUrl(), 'http://understudy.invalid/v1']) {
    const client = withFallback(new OpenAI({ baseURL, apiKey: KEYS[0] }), { fallback: [[second, 'small']] })
    t.equal((await client.chat.completions.create({ model: 'large', messages: MESSAGES })).model, 'small', baseURL)
  }
})

t.test('the caller\'s own faults move on in no case, and the error is the SDK\'s', async (t) => {
  for (const [status, kind] of [[400, OpenAI.BadRequestError], [401, OpenAI.AuthenticationError], [404, OpenAI.NotFoundError]] as const) {
    const { make, two } = await startPair(t, [{ status }], OPTIONS)
    const error = await rejection(make({ idempotency: 'always' }).chat.completions.create({ model: 'large', messages: MESSAGES }))
    t.ok(error instanceof kind)
    t.match(error, { status, requestID: 'req-large-1', error: { message: String } })
    t.equal(two.calls.length, 0)
  }
  const { make } = await startPair(t, [{ status: 401 }], OPTIONS)
  const moved = make({ idempotency: 'always', advanceOn: 'leg_faults' })
  t.equal((await moved.chat.completions.create({ model: 'large', messages: MESSAGES })).model, 'small', 'unless it is asked for')
})

t.test('what our own code throws before a provider is asked is a fault of ours', async (t) => {
  const { first, second, one, two } = await startPair(t)
  const [own, other] = [sdkDialectOf(first), sdkDialectOf(second)]
  if (own === undefined || other === undefined) throw new Error('no dialect')
  const thrown = new RangeError('Invalid string length')
  const codec = { ...other.codec, encodeRequest: () => { throw thrown } }
  const entry = { client: second, dialect: { ...other, codec }, provider: 'second', model: 'small', defaultParams: {}, isPrimary: false }
  const request = { stream: false, messages: [] }
  const call = { dialect: own, params: {}, globalParams: {}, request, options: {}, signal: undefined, isUnrepeatable: false, includeUsage: false }
  const leg = createSdkLeg(entry, { call, onAttempt: () => undefined, hopTimeoutMs: 1_000, limits: {}, clock: createSystemClock({ unref: true }), wallClock: Date.now })
  const context = { signal: new AbortController().signal, onConnect: () => undefined }
  t.match(await rejection(Promise.resolve(leg.open(request, context))), { failure: { kind: 'server_error', processed: 'no', internal: true }, cause: thrown })
  t.equal(one.calls.length + two.calls.length, 0)
})

t.test('an error event before any content is the provider\'s failure', async (t) => {
  const error = { message: 'busy', type: 'server_error', code: 'rate_limit_exceeded' }
  const { client, make, two } = await startPair(t, [{ fault: { do: 'error_event', afterEvents: 0, error } }], OPTIONS)
  const params = { model: 'large', messages: MESSAGES, stream: true } as const
  t.equal((await readStream(await client.chat.completions.create(params))).text, HEALTHY_TEXT, 'a rate limit moves on')
  two.setScript({ fallback: { fault: { do: 'error_event', afterEvents: 1 } } })
  const last = await rejection(make().chat.completions.create(params))
  t.ok(last instanceof OpenAI.APIError, 'the last one is what the SDK makes of it')
  t.match(last, { error: { type: 'server_error' }, message: /server had an error/ })
})

t.test('a JSON answer to a stream request becomes a stream, and a stream that answers a plain request is collected', async (t) => {
  const { client, one } = await startPair(t, [{ jsonForStream: true }])
  const streamed = await client.chat.completions.create({ model: 'large', messages: MESSAGES, stream: true })
  t.equal((await readStream(streamed)).text, HEALTHY_TEXT)
  one.setScript({ fallback: { streamForJson: true } })
  const { choices, object } = await client.chat.completions.create({ model: 'large', messages: MESSAGES })
  t.match({ object, choices }, { object: 'chat.completion', choices: [{ message: { content: HEALTHY_TEXT }, finish_reason: 'stop' }] })
})

t.test('a call\'s own timeout and that of its client hold for each attempt, if they are shorter than the hop\'s', async (t) => {
  const { make, one } = await startPair(t, [{ connect: 'accept_stall' }], { idempotency: 'always' })
  const answer = await make().chat.completions.create({ model: 'large', messages: MESSAGES }, { timeout: 60 })
  t.equal(answer.model, 'small')
  const short = make().withOptions({ timeout: 60 })
  t.equal((await short.chat.completions.create({ model: 'large', messages: MESSAGES })).model, 'small')
  await one.waitForNoSockets()
})

t.test('a body that cannot be written down is the caller\'s fault: its error comes back, and no provider is charged or asked', async (t) => {
  const { make, one, two } = await startPair(t, [{}], { breaker: { failureThreshold: 1 } })
  const client = make({ idempotency: 'always' })
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  const faulty = [{ circle }, { seed: 1n }, { toJSON: () => { throw new Error('mine') } }]
  for (const stream of [false, true]) {
    for (const extra of faulty) {
      const error = await rejection(client.chat.completions.create({ model: 'large', messages: MESSAGES, stream, ...extra } as never))
      t.match(error, { message: /circular|BigInt|mine/ })
    }
  }
  t.strictSame([one.calls.length, two.calls.length], [0, 0])
  t.equal((await client.chat.completions.create({ model: 'large', messages: MESSAGES })).choices[0]?.message.content, HEALTHY_TEXT)
  t.equal(one.calls.length, 1, 'its breaker is closed')
})
