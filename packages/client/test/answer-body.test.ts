import { getEventListeners } from 'node:events'

import OpenAI from 'openai'
import t from 'tap'

import { HEALTHY_TEXT } from '@understudy/simulator'
import { isLegFailedError } from '@understudy/client'
import { within } from '../../../test/kit/within.js'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { MESSAGES, readStream, rejection, startPair } from './kit.js'

const PARAMS = { model: 'large', messages: MESSAGES, stream: true } as const
const FIVE_WORDS = 'The understudy learns every '
const contentOf = ({ value }: IteratorResult<OpenAI.ChatCompletionChunk, unknown>): string => (value as OpenAI.ChatCompletionChunk).choices[0]?.delta.content ?? ''

t.test('a stream that breaks behind its content throws what the SDK would, and no other provider is asked', async (t) => {
  const { make, one, two } = await startPair(t, [{}], { idempotency: 'always', idleTimeoutMs: 150 })
  const breaks = [
    ['reset', (error: unknown) => error instanceof TypeError && error.message === 'terminated'],
    ['close', (error: unknown) => error instanceof TypeError && error.message === 'terminated'],
    ['error_event', (error: unknown) => error instanceof OpenAI.APIError && error.type === 'server_error'],
    ['stall', (error: unknown) => error instanceof OpenAI.APIConnectionTimeoutError],
    ['end', (error: unknown) => isLegFailedError(error) && error.failure.kind === 'truncated'],
    ['malformed_text', (error: unknown) => isLegFailedError(error) && error.failure.kind === 'malformed'],
  ] as const
  for (const [fault, expected] of breaks) {
    one.setScript({ fallback: { eventDelayMs: 0, fault: { do: fault, afterEvents: 5 } } })
    const { text, error } = await readStream(await make().chat.completions.create(PARAMS))
    t.equal(text, FIVE_WORDS, fault)
    await within(1_000, 'the connection is over', one.calls[0]!.closed)
    t.ok(expected(error), `${fault}: ${String(error)}`)
  }
  t.equal(two.calls.length, 0)
})

t.test('the hop\'s limit holds until the stream ends, and is said as the SDK says it', async (t) => {
  const { make } = await startPair(t, [{ fault: { do: 'stall', afterEvents: 5 } }], { hopTimeoutMs: 600_000 })
  const hopClock = createFakeClock()
  const stream = await make({}, { hopClock }).chat.completions.create(PARAMS)
  const chunks = stream[Symbol.asyncIterator]()
  for (let text = ''; text !== FIVE_WORDS;) text += contentOf(await chunks.next())
  const next = rejection(chunks.next())
  await hopClock.advance(599_999)
  t.equal(hopClock.pending, 1)
  await hopClock.advance(1)
  t.ok((await next) instanceof OpenAI.APIConnectionTimeoutError)
})

t.test('a stream without its terminator is whole if it has finished', async (t) => {
  const { client } = await startPair(t, [{ done: 0 }])
  t.strictSame(await readStream(await client.chat.completions.create(PARAMS)), { text: HEALTHY_TEXT, error: undefined })
})

t.test('nothing is read that nobody asks for', async (t) => {
  const text = Array.from({ length: 512 }, () => 'x'.repeat(64 * 1024))
  const { client, one } = await startPair(t, [{ answer: { text }, eventDelayMs: 0 }])
  const stream = await client.chat.completions.create(PARAMS)
  const chunks = stream[Symbol.asyncIterator]()
  await chunks.next()
  await new Promise((resolve) => setTimeout(resolve, 200))
  const sent = one.calls[0]?.bytesSent ?? 0
  t.ok(sent < 16 * 1024 * 1024, `the provider still has most of it: ${sent} bytes are gone`)
  let length = 0
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) length += next.value.choices[0]?.delta.content?.length ?? 0
  t.equal(length, 512 * 64 * 1024)
})

t.test('who leaves a stream leaves the provider too', async (t) => {
  const { client, one } = await startPair(t, [{ eventDelayMs: 20 }])
  const leaves: readonly ((stream: Awaited<ReturnType<typeof open>>, caller: AbortController) => void)[] = [
    (stream) => stream.controller.abort(),
    (_stream, caller) => caller.abort(),
  ]
  const open = (signal: AbortSignal) => client.chat.completions.create(PARAMS, { signal })
  for (const leave of leaves) {
    const caller = new AbortController()
    const stream = await open(caller.signal)
    let chunks = 0
    for await (const chunk of stream) {
      chunks += chunk.choices.length
      if (chunks === 3) leave(stream, caller)
    }
    t.ok(chunks < 60, 'it ends early, and silently, as the SDK\'s own streams do')
    await hasLeft()
    t.strictSame(getEventListeners(caller.signal, 'abort'), [])
  }
  const left = (await open(new AbortController().signal))[Symbol.asyncIterator]()
  await left.next()
  await left.return?.()
  await hasLeft()
  const raw = await client.chat.completions.create(PARAMS).asResponse()
  await raw.body?.cancel()
  await hasLeft()

  async function hasLeft(): Promise<void> {
    const end = await within(1_000, 'the provider sees it', one.calls.at(-1)!.closed)
    t.match(end, { by: 'client', complete: false })
  }
})

t.test('a caller that aborts before there is an answer is told so by the SDK, and nobody else is asked', async (t) => {
  for (const stream of [false, true]) {
    const { client, one, two } = await startPair(t, [{ connect: 'accept_stall' }], { idempotency: 'always' })
    const caller = new AbortController()
    const asked = rejection(client.chat.completions.create({ ...PARAMS, stream }, { signal: caller.signal }))
    await one.waitForCall('large', 1)
    caller.abort()
    t.ok((await asked) instanceof OpenAI.APIUserAbortError)
    t.match(await within(1_000, 'the provider sees it', one.calls[0]!.closed), { by: 'client' })
    t.equal(two.calls.length, 0)
    t.strictSame(getEventListeners(caller.signal, 'abort'), [])
    const late = await rejection(client.chat.completions.create({ ...PARAMS, stream }, { signal: caller.signal }))
    t.ok(late instanceof OpenAI.APIUserAbortError)
    t.equal(one.calls.length, 1)
  }
})

t.test('the connection of a stream that was read to its end is used again', async (t) => {
  const { client, one } = await startPair(t)
  for (let call = 0; call < 6; call += 1) await readStream(await client.chat.completions.create(PARAMS))
  const connections = new Set(one.calls.map(({ connection }) => connection)).size
  t.ok(connections <= 2, `${connections} for ${one.calls.length} calls`)

  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'large', choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] }
  const chunks = [{ text: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` }, { text: ': bye\n\n', delay_ms: 60 }]
  one.setScript({ fallback: { chunks } })
  t.strictSame(await readStream(await client.chat.completions.create(PARAMS)), { text: 'hi', error: undefined })
  t.match(await within(1_000, 'the provider has said all', one.calls[0]!.closed), { complete: true }, 'what follows the end is read')
})
