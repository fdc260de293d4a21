import { startSimulator, type Step } from '@understudy/simulator'
import OpenAI, {
  APIError,
  APIUserAbortError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai'
import t from 'tap'
import { within } from '../kit/within.js'
import { failingFirstLegs, healthyAnswer, oddFirstLegs, type FirstLeg } from './first-leg-faults.js'
import { plainSetUps } from './hosts.js'
import { clientOf, startSdkHost } from './sdk-host.js'

const healthy: Step = { answer: healthyAnswer }

const question = {
  messages: [{ role: 'user', content: 'What is the weather?' }],
  tools: [{
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  }],
} satisfies Partial<OpenAI.ChatCompletionCreateParams>

const modes = ['streamed', 'buffered'] as const
type Mode = (typeof modes)[number]

async function askFor(mode: Mode, client: OpenAI, model: string): Promise<Comparable> {
  if (mode === 'buffered') return comparable(await client.chat.completions.create({ ...question, model }))
  const stream = client.chat.completions.stream({ ...question, model, stream_options: { include_usage: true } })
  return comparable(await stream.finalChatCompletion())
}

type Comparable = Readonly<Record<string, unknown>>

/** An answer without what differs from call to call, and without our report. */
function comparable(answer: object): Comparable {
  return JSON.parse(JSON.stringify({ ...answer, id: '', understudy: undefined }))
}

/** What the healthy simulator says to the client when nobody is in between. */
async function direct(): Promise<Record<Mode, Comparable>> {
  const simulator = await startSimulator({ script: { fallback: healthy } })
  try {
    const client = clientOf(simulator.url)
    return { streamed: await askFor('streamed', client, 'm-2'), buffered: await askFor('buffered', client, 'm-2') }
  } finally {
    await simulator.close()
  }
}

const reference = await direct()

// A busy machine takes its time.
t.setTimeout(300_000)

for (const setUp of plainSetUps) {
  t.test(`${setUp}: whatever the first leg does before it speaks, the client gets the second's answer`, async (t) => {
    await eachFirstLeg(failingFirstLegs, async (firstLeg, mode) => {
      const { client, first, second, close } = await startSdkHost(setUp, { first: firstLeg.step, second: healthy })
      try {
        t.strictSame(await askFor(mode, client, 'chat'), reference[mode], `${firstLeg.name}, ${mode}`)
        const expected = firstLeg.step === 'refused' ? 0 : 1
        t.strictSame([first.calls.length, second.calls.length], [expected, 1], `${firstLeg.name}, ${mode}: calls`)
      } catch (error) {
        t.fail(`${firstLeg.name}, ${mode}: ${String(error)}`)
      } finally {
        await close()
      }
    })
  })

  t.test(`${setUp}: however oddly the first leg serves, the client gets its answer`, async (t) => {
    await eachFirstLeg(oddFirstLegs, async ({ name, step }, mode) => {
      const odd = step === 'refused' ? {} : step
      const { client, second, close } = await startSdkHost(setUp, {
        first: { ...healthy, ...odd }, second: healthy, firstSilenceMs: 10_000,
      })
      try {
        const expected = { ...reference[mode], model: 'm-1' }
        t.strictSame(await askFor(mode, client, 'chat'), expected, `${name}, ${mode}`)
        t.equal(second.calls.length, 0, `${name}, ${mode}: the second leg is not called`)
      } catch (error) {
        t.fail(`${name}, ${mode}: ${String(error)}`)
      } finally {
        await close()
      }
    })
  })

  t.test(`${setUp}: each error is the client's own typed error`, async (t) => {
    const errorOf = async (mode: Mode, first: Step, second: Step, model = 'chat', deadlineMs?: number) => {
      const { client, close, second: later } = await startSdkHost(setUp, { first, second, fallback: { deadlineMs } })
      try {
        const error = await thrownBy(askFor(mode, client, model))
        return { error, later: later.calls.length }
      } finally {
        await close()
      }
    }
    for (const mode of modes) {
      const limited: Step = { status: 429, headers: { 'retry-after': '7' } }
      const { error: rate } = await errorOf(mode, limited, limited)
      t.ok(rate instanceof RateLimitError, `${mode}: all legs limited`)
      t.match(rate, { status: 429, code: 'all_legs_failed', type: 'rate_limit_error' })
      t.equal(rate instanceof APIError ? rate.headers?.get('retry-after') : undefined, '7')

      const badRequest: Step = { status: 400, error: { message: 'No such field: foo' } }
      const { error: bad, later } = await errorOf(mode, badRequest, healthy)
      t.ok(bad instanceof BadRequestError, `${mode}: the request is at fault`)
      t.match(bad, { status: 400, message: /No such field: foo/ })
      t.equal(later, 0, `${mode}: a bad request is not sent again`)

      const { error: unprocessable } = await errorOf(mode, { status: 422 }, healthy)
      t.ok(unprocessable instanceof UnprocessableEntityError, `${mode}: the request is at fault, 422`)

      const { error: unknown } = await errorOf(mode, {}, {}, 'no-such-model')
      t.ok(unknown instanceof NotFoundError, `${mode}: unknown model`)
      t.match(unknown, { status: 404, code: 'model_not_found' })

      const { error: exhausted } = await errorOf(mode, { status: 500 }, { status: 401 })
      t.ok(exhausted instanceof InternalServerError, `${mode}: every leg failed`)
      t.match(exhausted, { status: 502, code: 'all_legs_failed', type: 'upstream_error' })

      const { error: late } = await errorOf(mode, { connect: 'accept_stall' }, { connect: 'accept_stall' }, 'chat', 700)
      t.ok(late instanceof InternalServerError, `${mode}: the deadline`)
      t.match(late, { status: 504, code: 'deadline_exceeded', type: 'timeout_error' })
    }
  })

  t.test(`${setUp}: a stream that breaks is an error to the client, after the text that came`, async (t) => {
    const broken: Step = { answer: { text: ['one ', 'two '] }, fault: { do: 'reset', afterEvents: 3 } }
    const { client, second, close } = await startSdkHost(setUp, { first: broken, second: healthy })
    t.teardown(close)
    let text = ''
    const reading = (async () => {
      const stream = await client.chat.completions.create({ ...question, model: 'chat', stream: true })
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    })()
    t.ok(await thrownBy(reading) instanceof APIError)
    t.strictSame([text, second.calls.length], ['one two ', 0])
  })

  t.test(`${setUp}: a client that gives up is noticed, before and after the first text`, async (t) => {
    const endless: Step = { answer: { text: ['one ', 'two '] }, fault: { do: 'stall', afterEvents: 2 } }
    for (const [first, early] of [[{ connect: 'accept_stall' }, true], [endless, false]] as const) {
      const { client, first: leg, second, close } = await startSdkHost(setUp, {
        first, second: healthy, firstSilenceMs: 10_000,
      })
      try {
        const controller = new AbortController()
        const body = { ...question, model: 'chat', stream: true } as const
        const asking = client.chat.completions.create(body, { signal: controller.signal })
        if (early) {
          const thrown = thrownBy(asking)
          await leg.waitForCall('m-1', 1)
          controller.abort()
          t.ok(await thrown instanceof APIUserAbortError)
        } else {
          const stream = await asking
          for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'one ') break
        }
        const [call] = leg.calls
        const end = await within(2_000, 'the end of the call', call?.closed ?? Promise.reject(new Error('no call')))
        t.equal(end.by, 'client')
        t.equal(second.calls.length, 0)
      } finally {
        await close()
      }
    }
  })

  t.test(`${setUp}: the client's own retries do not walk a failed chain again`, async (t) => {
    const walk = async (first: Step, second: Step, clientRetries: boolean, deadlineMs?: number) => {
      const sdk = await startSdkHost(setUp, { first, second, maxRetries: 2, fallback: { clientRetries, deadlineMs } })
      try {
        const error = await thrownBy(askFor('streamed', sdk.client, 'chat'))
        return [error instanceof APIError ? error.status : error, sdk.first.calls.length, sdk.second.calls.length]
      } finally {
        await sdk.close()
      }
    }
    t.strictSame(await walk({ status: 500 }, { status: 503 }, false), [502, 1, 1])
    t.strictSame(await walk({ connect: 'accept_stall' }, { connect: 'accept_stall' }, false, 1_500), [504, 1, 1])
    t.strictSame(await walk({ status: 500 }, { status: 503 }, true), [502, 3, 3], 'unless they are asked to')
  })
}

async function thrownBy(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(() => undefined, (error: unknown) => error)
}

async function eachFirstLeg(
  legs: readonly FirstLeg[],
  play: (leg: FirstLeg, mode: Mode) => Promise<void>,
): Promise<void> {
  const plays = legs.flatMap((leg) => modes
    .filter((mode) => leg.only === undefined || leg.only === mode)
    .map((mode) => ({ leg, mode })))
  const next = async (): Promise<void> => {
    for (let item = plays.shift(); item !== undefined; item = plays.shift()) await play(item.leg, item.mode)
  }
  await Promise.all(Array.from({ length: 6 }, next))
}
