import {
  BedrockRuntime, ConverseCommand, ConverseStreamCommand, InvokeModelCommand, type BedrockRuntimeClient, type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import t, { type Test } from 'tap'

import { isUntranslatableRequestError, withFallback } from '@understudy/client'
import type { WithFallbackOptions } from '@understudy/client'
import { HEALTHY_TEXT, startSimulator, type Simulator, type Step } from '@understudy/simulator'
import { bedrockClient } from '../../../test/kit/bedrock-client.js'
import { eventually } from '../../../test/kit/eventually.js'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { systemGround } from '../src/ground.js'
import { fallbackClient } from '../src/with-fallback.js'
import { collect, rejection } from './kit.js'

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
const MODEL = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const INPUT = { modelId: MODEL, messages: [{ role: 'user' as const, content: [{ text: 'Hello' }] }], inferenceConfig: { maxTokens: 9 } }
const CALL: Step = { answer: { text: ['a', 'b'], toolCalls: [{ id: 'c1', name: 'f', arguments: { x: 1 } }] } }

interface Started {
  readonly one: Simulator
  readonly two: Simulator
  readonly first: BedrockRuntimeClient
  readonly second: BedrockRuntimeClient
  readonly client: BedrockRuntimeClient
}

async function start(t: Test, steps: readonly Step[], second: Step = {}, options: Partial<WithFallbackOptions> = { idempotency: 'always' }): Promise<Started> {
  const one = await startSimulator({ script: { models: { [MODEL]: steps }, strict: true, aws: KEYS } })
  const two = await startSimulator({ script: { fallback: second, strict: true, aws: KEYS } })
  t.teardown(() => Promise.all([one.close(), two.close()]))
  const first = bedrockClient(one.origin, { credentials: { ...KEYS } })
  const other = bedrockClient(two.origin, { credentials: { ...KEYS }, region: 'eu-west-1' })
  const client = withFallback(first, { fallback: [[other, 'amazon.nova-pro-v1:0', undefined, 'bedrock-eu']], ...options })
  return { one, two, first, second: other, client }
}

function textOf(events: readonly ConverseStreamOutput[]): string {
  return events.map((event) => event.contentBlockDelta?.delta?.text ?? '').join('')
}

t.test('a command goes to the next client where the first fails, and its answer is the SDK\'s own', async (t) => {
  for (const step of [{}, CALL]) {
    const { client, one, two, second } = await start(t, [{ status: 503 }], step)
    const direct = await second.send(new ConverseCommand({ ...INPUT, modelId: 'amazon.nova-pro-v1:0' }))
    const { output, stopReason, usage } = await client.send(new ConverseCommand(INPUT))
    t.strictSame({ output, stopReason, usage }, { output: direct.output, stopReason: direct.stopReason, usage: direct.usage })
    const { stream = [] } = await client.send(new ConverseStreamCommand(INPUT))
    const events = await collect(stream as AsyncIterable<ConverseStreamOutput>)
    const { stream: same = [] } = await second.send(new ConverseStreamCommand({ ...INPUT, modelId: 'amazon.nova-pro-v1:0' }))
    t.strictSame(events, await collect(same as AsyncIterable<ConverseStreamOutput>), 'event by event')
    t.equal(textOf(events), step === CALL ? 'ab' : HEALTHY_TEXT)
    t.strictSame(one.calls.map(({ path }) => path.split('/').at(-1)), ['converse', 'converse-stream'])
    t.match(two.calls[1]?.body, { inferenceConfig: { maxTokens: 9 }, messages: INPUT.messages })
  }
})

t.test('the first client\'s own command goes out as it was made, and every other command is its own', async (t) => {
  const { client, one, first } = await start(t, [{}])
  const command = new ConverseCommand(INPUT)
  t.match(await client.send(command), { output: { message: { role: 'assistant' } }, $metadata: { httpStatusCode: 200 } })
  const invoke = new InvokeModelCommand({ modelId: MODEL, body: '{}', contentType: 'application/json' })
  t.match(await rejection(client.send(invoke)), { name: 'ValidationException' })
  t.equal(one.calls.length, 2)
  t.equal(client.config, first.config)
  const { requestHandler } = first.config
  const ready = new BedrockRuntime({ region: 'us-east-1', endpoint: one.origin, credentials: { ...KEYS }, maxAttempts: 1, requestHandler })
  t.match(await withFallback(ready, { fallback: [] }).converse(INPUT), { stopReason: 'end_turn' }, 'what rides on `send` has them too')
})

t.test('errors are those of the SDK: a fault of the request at once, else the last one\'s', async (t) => {
  const { client, two } = await start(t, [{ status: 400 }, { status: 429 }, { status: 500 }], { status: 503 })
  t.match(await rejection(client.send(new ConverseCommand(INPUT))), { name: 'ValidationException' })
  t.equal(two.calls.length, 0)
  t.match(await rejection(client.send(new ConverseStreamCommand(INPUT))), { name: 'ServiceUnavailableException' })
  const safe = await start(t, [{ status: 500 }], {}, {})
  t.match(await rejection(safe.client.send(new ConverseCommand(INPUT))), { name: 'InternalServerException' })
  t.equal(safe.two.calls.length, 0, '`safe` crosses to nobody after what may have been processed')
})

t.test('an exception before any content moves on, one behind it is thrown where the stream is read', async (t) => {
  const exception = (afterEvents: number): Step => ({ fault: { do: 'error_event', afterEvents, error: { type: 'throttlingException', message: 'busy' } } })
  const { client, two } = await start(t, [exception(1), exception(4)])
  const { stream = [] } = await client.send(new ConverseStreamCommand(INPUT))
  t.equal(textOf(await collect(stream as AsyncIterable<ConverseStreamOutput>)), HEALTHY_TEXT)
  const { stream: broken = [] } = await client.send(new ConverseStreamCommand(INPUT))
  t.match(await rejection(collect(broken as AsyncIterable<ConverseStreamOutput>)), { name: 'ThrottlingException' })
  t.equal(two.calls.length, 1)
})

t.test('from another dialect into a Bedrock client is refused by name, before it is called; so is the other way', async (t) => {
  const { one, two, second } = await start(t, [{ status: 429 }])
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const busy = await startSimulator({ script: { fallback: { status: 429 } } })
  t.teardown(() => busy.close())
  const openai = withFallback(new OpenAI({ baseURL: busy.url, apiKey: 'k' }), { fallback: [[second, 'amazon.nova-pro-v1:0']] })
  const google = withFallback(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: busy.origin } }), { fallback: [[second, 'amazon.nova-pro-v1:0']] })
  for (const [source, asked] of [
    ['openai', () => openai.chat.completions.create({ model: 'm', messages })],
    ['gemini', () => google.models.generateContent({ model: 'm', contents: 'Hello' })],
  ] as const) {
    const error = await rejection(asked())
    t.ok(isUntranslatableRequestError(error))
    t.match(error, { source, target: 'bedrock', feature: 'bedrock.no_converse_command' })
  }
  t.equal(two.calls.length, 0)
  const back = withFallback(bedrockClient(one.origin, { credentials: { ...KEYS } }), { fallback: [[new OpenAI({ baseURL: two.url, apiKey: 'k' }), 'small']] })
  t.match(await rejection(back.send(new ConverseCommand(INPUT))), { source: 'bedrock', target: 'openai', feature: 'bedrock.converse_command' })
})

t.test('no limit of an attempt outlives it, however it ended', async (t) => {
  const hopClock = createFakeClock()
  const { one, two, first, second } = await start(t, [{ answer: { text: [] } }], { answer: { text: [] } })
  const client = fallbackClient(first, { fallback: [[second, 'amazon.nova-pro-v1:0', undefined, 'bedrock-eu']], idempotency: 'always' }, { ...systemGround(), hopClock })
  for (const command of [new ConverseCommand(INPUT), new ConverseStreamCommand(INPUT)]) {
    await client.send(command as ConverseCommand).catch(() => undefined)
    t.equal(hopClock.pending, 0, command.constructor.name)
  }
  t.ok(one.calls.length > 0 && two.calls.length > 0)
})

t.test('a caller that aborts ends the call in flight at its connection', async (t) => {
  const { client, one, two } = await start(t, [{ connect: 'accept_stall' }])
  const controller = new AbortController()
  const asked = client.send(new ConverseCommand(INPUT), { abortSignal: controller.signal })
  await one.waitForCall(MODEL, 1)
  controller.abort()
  t.match(await rejection(asked), { name: 'AbortError' })
  t.equal(two.calls.length, 0)

  const seen: unknown[] = []
  const handle = (_request: unknown, options?: { readonly abortSignal?: unknown }) => {
    seen.push(options?.abortSignal)
    return new Promise<never>(() => undefined)
  }
  const silent = bedrockClient(one.origin, { credentials: { ...KEYS }, requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } } })
  const leaving = new AbortController()
  const busy = await start(t, [{ status: 429 }])
  const waiting = withFallback(busy.first, { fallback: [[silent, 'amazon.nova-pro-v1:0']] }).send(new ConverseCommand(INPUT), { abortSignal: leaving.signal })
  await eventually('the command is sent', () => Promise.resolve(seen[0]))
  leaving.abort()
  t.match(await rejection(waiting), { name: 'AbortError' })
  t.match(seen, [{ aborted: true }])
})
