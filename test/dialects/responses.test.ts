import type { Step } from '@understudy/simulator'
import type OpenAI from 'openai'
import { APIError } from 'openai'
import t from 'tap'
import { plainSetUps } from '../cases/hosts.js'
import { FULL_ANSWER, RESPONSES_QUESTION } from './questions.js'
import { MODELS, startTranslatingHost, type Vendor } from './translating-host.js'

// A busy machine takes its time.
t.setTimeout(120_000)

const LEGS: readonly Vendor[] = ['responses', 'openai', 'anthropic', 'gemini']
const healthy: Step = { answer: FULL_ANSWER }

type Event = OpenAI.Responses.ResponseStreamEvent

async function eventsOf(client: OpenAI, body: object = {}): Promise<readonly Event[]> {
  const events: Event[] = []
  const stream = await client.responses.create({ ...RESPONSES_QUESTION, ...body, model: 'chat', stream: true })
  for await (const event of stream) events.push(event)
  return events
}

/** Each event by what it is about, and what it belongs to. */
function outlineOf(events: readonly Event[]): readonly string[] {
  return events.map((event) => {
    const place = 'output_index' in event ? ` ${event.output_index}` : ''
    const part = 'content_index' in event ? `.${event.content_index}` : ''
    return `${event.type.replace('response.', '')}${place}${part}`
  })
}

for (const setUp of plainSetUps) {
  t.test(`${setUp}: a response of any leg opens once, tells of each item in order, and ends with itself`, async (t) => {
    for (const leg of LEGS) {
      const legs = [{ vendor: 'responses', step: { fault: { do: 'error_event', afterEvents: 3 } } }, { vendor: leg, step: healthy }] as const
      const host = await startTranslatingHost(setUp, ...legs)
      try {
        const events = await eventsOf(host.responses)
        t.strictSame(events.map((event) => event.sequence_number), events.map((_, index) => index), `${leg}: counted from 0, without a gap`)
        t.strictSame([...new Set(outlineOf(events))], [
          'created', 'in_progress',
          'output_item.added 0', 'reasoning_summary_part.added 0', 'reasoning_summary_text.delta 0', 'reasoning_summary_text.done 0',
          'reasoning_summary_part.done 0', 'output_item.done 0',
          'output_item.added 1', 'content_part.added 1.0', 'output_text.delta 1.0', 'output_text.done 1.0', 'content_part.done 1.0',
          'output_item.done 1',
          'output_item.added 2', 'function_call_arguments.delta 2', 'function_call_arguments.done 2', 'output_item.done 2',
          'output_item.added 3', 'function_call_arguments.delta 3', 'function_call_arguments.done 3', 'output_item.done 3',
          'completed',
        ], leg)
        const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []))
        const last = events.at(-1)
        t.strictSame(last?.type === 'response.completed' ? last.response.output : undefined, done, `${leg}: it holds the items that were told`)
        const ids = events.flatMap((event) => ('item_id' in event ? [`${event.output_index} ${event.item_id}`] : []))
        t.equal(new Set(ids).size, 4, `${leg}: each item has one id`)
        t.equal(host.first.calls.length, 1)
      } finally {
        await host.close()
      }
    }
  })

  t.test(`${setUp}: the client is told of legs and failures as everywhere, and streams hold nothing of ours`, async (t) => {
    const host = await startTranslatingHost(setUp, { vendor: 'responses', step: { status: 503 } }, { vendor: 'anthropic', step: healthy })
    t.teardown(host.close)
    const asked = { ...RESPONSES_QUESTION, model: 'chat', metadata: { a: 'b' }, temperature: 0.5 }
    const { data, response } = await host.responses.responses.create(asked).withResponse()
    t.equal(response.headers.get('understudy-served'), `second/${MODELS.anthropic}`)
    t.match(data, {
      understudy: { served_model: `second/${MODELS.anthropic}`, failover: { occurred: true, attempts: [{ reason: 'overloaded' }, { status: 'served' }] } },
      model: MODELS.anthropic,
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      temperature: 0.5,
      max_output_tokens: 500,
      tools: RESPONSES_QUESTION.tools,
    }, 'an answer says again what was asked')
    t.notMatch(JSON.stringify(await eventsOf(host.responses)), /served_model|"understudy"/)
  })
}

t.test('a leg that breaks after content ends the stream with an event that is counted on, and with no other', async (t) => {
  for (const leg of LEGS) {
    const broken: Step = { answer: { text: ['one ', 'two '] }, fault: { do: 'end', afterEvents: { responses: 6, openai: 3, anthropic: 5, gemini: 2, bedrock: 3 }[leg] } }
    const host = await startTranslatingHost('express', { vendor: leg, step: broken }, { vendor: 'openai', step: healthy })
    try {
      const stream = host.responses.responses.stream({ ...RESPONSES_QUESTION, model: 'chat' })
      const seen: Event[] = []
      stream.on('event', (event) => void seen.push(event))
      const error: unknown = await stream.finalResponse().then(() => undefined, (thrown: unknown) => thrown)
      t.match(error, { code: 'stream_truncated', type: 'upstream_error' }, leg)
      t.ok(error instanceof APIError, leg)
      t.notOk(seen.some(({ type }) => type === 'response.completed'), leg)
    } finally {
      await host.close()
    }
  }
})

t.test('what only the first provider holds is not silently lost at another', async (t) => {
  const host = await startTranslatingHost('express', { vendor: 'responses', step: { status: 500 } }, { vendor: 'openai', step: healthy })
  t.teardown(host.close)
  const body = { ...RESPONSES_QUESTION, model: 'chat', previous_response_id: 'resp_1' }
  const error: unknown = await host.responses.responses.create(body).catch((thrown: unknown) => thrown)
  t.match(error, { status: 502, code: 'all_legs_failed', error: { failures: [{ reason: 'server_error' }, { reason: 'untranslatable', message: /previous_response_id/ }] } })
  t.strictSame([host.first.calls.length, host.second.calls.length], [1, 0])
})
