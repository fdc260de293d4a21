import { APIError as AnthropicError } from '@anthropic-ai/sdk'
import { ApiError as GeminiError } from '@google/genai'
import { startSimulator, type Step } from '@understudy/simulator'
import { APIError as OpenAIError } from 'openai'
import t from 'tap'
import { plainSetUps } from '../cases/hosts.js'
import { ANTHROPIC_QUESTION, ask, FULL_ANSWER, GEMINI_QUESTION, MODES, OPENAI_QUESTION, RESPONSES_QUESTION, type Mode } from './questions.js'
import { clientsOf, MODELS, startTranslatingHost, type TranslatingHost, type Vendor } from './translating-host.js'

const VENDORS: readonly Vendor[] = ['openai', 'responses', 'anthropic', 'gemini']
const healthy: Step = { answer: FULL_ANSWER }

type Answers = Readonly<Record<Vendor, Readonly<Record<Mode, Readonly<Record<string, unknown>>>>>>

/** What each vendor's client makes of the answer when nobody is in between. */
async function direct(): Promise<Answers> {
  const simulator = await startSimulator({ script: { fallback: healthy, strict: true } })
  const clients = clientsOf(simulator.url.replace(/\/v1$/, ''))
  const of = async (vendor: Vendor) => ({
    streamed: await ask(vendor, clients, 'streamed', MODELS[vendor]),
    buffered: await ask(vendor, clients, 'buffered', MODELS[vendor]),
  })
  try {
    return { openai: await of('openai'), responses: await of('responses'), anthropic: await of('anthropic'), gemini: await of('gemini') }
  } finally {
    await simulator.close()
  }
}

/** The direct answer, but for the model that served and what only the vendor itself can sign. */
function expected(client: Vendor, leg: Vendor, mode: Mode): unknown {
  const answer = reference[client][mode]
  const text = JSON.stringify({ ...answer, model: MODELS[leg] })
  if (client === leg) return JSON.parse(text)
  return JSON.parse(text.replace(/"signature":"[^"]*"/g, '"signature":""').replace(/,"(?:thoughtSignature|encrypted_content)":"[^"]*"/g, ''))
}

const reference = await direct()

// A busy machine takes its time.
t.setTimeout(300_000)

for (const setUp of plainSetUps) {
  t.test(`${setUp}: whichever vendors fail and serve, a client gets what a direct call gives`, async (t) => {
    for (const client of VENDORS) {
      for (const first of VENDORS) {
        for (const second of VENDORS) {
          for (const [fault, step] of [
            ['busy', { status: 529 }],
            // Gemini's first event is content.
            ['an error before content', { fault: { do: 'error_event', afterEvents: first === 'gemini' ? 0 : 1 } }],
          ] as const) {
            const host = await startTranslatingHost(setUp, { vendor: first, step }, { vendor: second, step: healthy })
            try {
              for (const mode of MODES) {
                if (mode === 'buffered' && 'fault' in step) continue
                const what = `${client} client, ${first} then ${second}, ${fault}, ${mode}`
                t.strictSame(await ask(client, host, mode, 'chat'), expected(client, second, mode), what)
              }
              t.equal(host.first.calls.length, host.second.calls.length, 'each was asked once for each question')
            } catch (error) {
              t.fail(`${client} client, ${first} then ${second}, ${fault}: ${String(error)}`)
            } finally {
              await host.close()
            }
          }
        }
      }
    }
  })
}

for (const setUp of plainSetUps) {
  t.test(`${setUp}: a leg that breaks after content ends the stream with the client's own error`, async (t) => {
    for (const client of VENDORS) {
      for (const first of VENDORS) {
        const broken: Step = { answer: { text: ['one ', 'two '] }, fault: { do: 'end', afterEvents: EVENTS_OF_TWO_WORDS[first] } }
        const host = await startTranslatingHost(setUp, { vendor: first, step: broken }, { vendor: 'openai', step: healthy })
        try {
          const { text, error } = await readUntilError(client, host)
          t.strictSame([text, host.second.calls.length], ['one two ', 0], `${client} client, ${first} leg`)
          t.ok(isOwnError(client, error), `${client} client, ${first} leg: ${String(error)}`)
        } finally {
          await host.close()
        }
      }
    }
  })

  t.test(`${setUp}: a chain that failed is each client's own typed error`, async (t) => {
    const errorOf = async (vendor: Vendor, step: Step) => {
      const host = await startTranslatingHost(setUp, { vendor: 'anthropic', step }, { vendor: 'openai', step })
      try {
        return await thrownBy(ask(vendor, host, 'streamed', 'chat'))
      } finally {
        await host.close()
      }
    }
    t.match(await errorOf('anthropic', { status: 429 }), {
      status: 429,
      error: { type: 'error', error: { type: 'rate_limit_error', code: 'all_legs_failed', failures: [{}, {}] } },
    })
    t.match(await errorOf('anthropic', { status: 500 }), { status: 502, error: { error: { type: 'api_error' } } })
    t.match(await errorOf('anthropic', { status: 400 }), { status: 400, error: { error: { type: 'invalid_request_error' } } })
    const told = { status: 429, message: /"status":"RESOURCE_EXHAUSTED".*"reason":"all_legs_failed".*"failures":\[\{.*\},\{/ }
    t.match(await errorOf('gemini', { status: 429 }), told)
    t.ok(await errorOf('gemini', { status: 500 }) instanceof GeminiError)
    t.match(await errorOf('openai', { status: 500 }), { status: 502, code: 'all_legs_failed', type: 'upstream_error' })
  })
}

t.test('however oddly a leg of Anthropic serves, each client gets its answer', async (t) => {
  const odd: readonly (readonly [name: string, step: Step, only?: Mode])[] = [
    ['JSON where a stream was asked for', { jsonForStream: true }],
    ['a stream where JSON was asked for', { streamForJson: true }],
    ['CRLF in small writes', { lineEnd: '\r\n', writeSize: 7 }],
    ['no message_stop', { done: 0 }, 'streamed'],
    ['two of them, and text behind', { done: 2, lateText: 'late' }, 'streamed'],
    ['comments and unknown events', { comments: 'between', prefixJunk: ['event: new\ndata: {"type":"new"}', 'data: null'] }, 'streamed'],
    ['compressed', { compress: 'gzip' }, 'buffered'],
  ]
  for (const [name, step, only] of odd) {
    const host = await startTranslatingHost(
      'express',
      { vendor: 'anthropic', step: { ...healthy, ...step } },
      { vendor: 'openai', step: healthy },
    )
    try {
      for (const client of VENDORS) {
        for (const mode of only === undefined ? MODES : [only]) {
          const answer = await ask(client, host, mode, 'chat').catch((error: unknown) => ({ error: String(error) }))
          t.strictSame(answer, expected(client, 'anthropic', mode), `${name}: ${client} client, ${mode}`)
        }
      }
      t.equal(host.second.calls.length, 0, name)
    } finally {
      await host.close()
    }
  }
})

t.test('however oddly a leg of Gemini serves, each client gets its answer', async (t) => {
  const odd: readonly (readonly [name: string, step: Step, only?: Mode])[] = [
    ['JSON where a stream was asked for', { jsonForStream: true }],
    ['a stream where JSON was asked for', { streamForJson: true }],
    ['CRLF in small writes', { lineEnd: '\r\n', writeSize: 7 }],
    ['its end twice', { duplicateFinish: true }, 'streamed'],
    ['comments and unknown events', { comments: 'between', prefixJunk: ['event: new\ndata: {"new":1}', 'data: null'] }, 'streamed'],
    ['compressed', { compress: 'gzip' }, 'buffered'],
  ]
  for (const [name, step, only] of odd) {
    const host = await startTranslatingHost(
      'express',
      { vendor: 'gemini', step: { ...healthy, ...step } },
      { vendor: 'openai', step: healthy },
    )
    try {
      for (const client of VENDORS) {
        for (const mode of only === undefined ? MODES : [only]) {
          const answer = await ask(client, host, mode, 'chat').catch((error: unknown) => ({ error: String(error) }))
          t.strictSame(answer, expected(client, 'gemini', mode), `${name}: ${client} client, ${mode}`)
        }
      }
      t.equal(host.second.calls.length, 0, name)
    } finally {
      await host.close()
    }
  }
})

t.test('however oddly a leg of the Responses API serves, each client gets its answer', async (t) => {
  const odd: readonly (readonly [name: string, step: Step, only?: Mode])[] = [
    ['JSON where a stream was asked for', { jsonForStream: true }],
    ['a stream where JSON was asked for', { streamForJson: true }],
    ['CRLF in small writes', { lineEnd: '\r\n', writeSize: 7 }],
    ['its end twice, and text behind', { done: 2, lateText: 'late' }, 'streamed'],
    ['comments and events that are none', { comments: 'between', prefixJunk: ['data: null', 'event: keepalive\ndata: {"type":"keepalive"}'] }, 'streamed'],
    ['compressed', { compress: 'gzip' }, 'buffered'],
  ]
  for (const [name, step, only] of odd) {
    const host = await startTranslatingHost(
      'express',
      { vendor: 'responses', step: { ...healthy, ...step } },
      { vendor: 'openai', step: healthy },
    )
    try {
      for (const client of VENDORS) {
        for (const mode of only === undefined ? MODES : [only]) {
          const answer = await ask(client, host, mode, 'chat').catch((error: unknown) => ({ error: String(error) }))
          t.strictSame(answer, expected(client, 'responses', mode), `${name}: ${client} client, ${mode}`)
        }
      }
      t.equal(host.second.calls.length, 0, name)
    } finally {
      await host.close()
    }
  }
})

t.test('a stream of Gemini that comes as a JSON array is one answer to every client', async (t) => {
  const items = ['one ', 'two'].map((text, index) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, ...(index === 1 ? { finishReason: 'STOP' } : {}), index: 0 }],
  }))
  const step: Step = { body: items, contentType: 'application/json' }
  const host = await startTranslatingHost('express', { vendor: 'gemini', step }, { vendor: 'openai', step: healthy })
  t.teardown(host.close)
  for (const client of VENDORS) t.match(await readUntilError(client, host), { text: 'one two', error: undefined }, client)
  t.equal(host.second.calls.length, 0)
})

t.test('pings keep no leg alive, before its content and after', async (t) => {
  const event = (type: string, members: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
  const opener = event('message_start', { message: { id: 'msg_A', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} } })
  const text = event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    + event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'one ' } })
  const pings = { text: event('ping'), repeat: 1_000, every_ms: 20 }
  const play = async (first: string) => {
    const host = await startTranslatingHost(
      'express',
      { vendor: 'anthropic', step: { chunks: [{ text: first }, pings] } },
      { vendor: 'openai', step: { answer: { text: ['two'] } } },
      { firstContentTimeoutMs: 400, idleTimeoutMs: 400 },
    )
    t.teardown(host.close)
    return { ...await readUntilError('anthropic', host), calls: host.second.calls.length }
  }
  t.strictSame(await play(opener), { text: 'two', error: undefined, calls: 1 })
  t.match(await play(opener + text), { text: 'one ', error: { error: { error: { code: 'idle_timeout' } } }, calls: 0 })
})

t.test('a whole answer that is asked for as a stream is collected in every dialect', async (t) => {
  const legs = [{ vendor: 'anthropic', step: healthy }, { vendor: 'openai', step: healthy }] as const
  const host = await startTranslatingHost('express', ...legs, { bufferedVia: 'stream' })
  t.teardown(host.close)
  for (const client of VENDORS) {
    t.strictSame(await ask(client, host, 'buffered', 'chat'), expected(client, 'anthropic', 'buffered'), client)
  }
  for (const vendor of ['gemini', 'responses'] as const) {
    const other = await startTranslatingHost('express', { vendor, step: healthy }, legs[1], { bufferedVia: 'stream' })
    t.teardown(other.close)
    for (const client of VENDORS) {
      t.strictSame(await ask(client, other, 'buffered', 'chat'), expected(client, vendor, 'buffered'), `${client} client, ${vendor} leg`)
    }
  }
})

t.test('a leg that has no words for a request is left out, or stops it', async (t) => {
  const legs = [{ vendor: 'anthropic', step: healthy }, { vendor: 'openai', step: healthy }] as const
  const body = { model: 'chat', messages: [{ role: 'user' as const, content: 'hi' }], seed: 1 }

  const skipping = await startTranslatingHost('express', ...legs)
  t.teardown(skipping.close)
  const { response } = await skipping.openai.chat.completions.create(body).withResponse()
  t.equal(
    response.headers.get('understudy-trail')?.replace(/ms=\d+/g, 'ms=0'),
    '"first/claude-sonnet-4-5";outcome=skipped;reason=untranslatable;feature=seed;ms=0, "second/gpt-4.1";outcome=served;ms=0',
  )
  t.equal(skipping.first.calls.length, 0)

  const refusing = await startTranslatingHost('express', ...legs, { untranslatable: 'refuse' })
  t.teardown(refusing.close)
  const refused = await thrownBy(refusing.openai.chat.completions.create(body))
  t.match(refused, { status: 400, code: 'untranslatable_request', message: /seed/ })
  t.strictSame([refusing.first.calls.length, refusing.second.calls.length], [0, 0])

  const [leg] = legs
  const none = await startTranslatingHost('express', leg, leg)
  t.teardown(none.close)
  t.match(await thrownBy(none.openai.chat.completions.create(body)), { status: 400, code: 'untranslatable_request' })
  const answer = await none.anthropic.messages.create({ model: 'chat', max_tokens: 9, messages: body.messages, ...{ top_k: 5 } })
  t.equal(answer.type, 'message', 'what only its own dialect can say goes through as it came')
})

t.test('the headers of a client reach a leg of its own dialect and no other', async (t) => {
  const host = await startTranslatingHost(
    'express',
    { vendor: 'openai', step: { status: 500 } },
    { vendor: 'anthropic', step: healthy },
  )
  t.teardown(host.close)
  const headers = { 'anthropic-beta': 'some-beta', 'anthropic-version': '2099-01-01', 'x-other': '1' }
  await host.anthropic.messages.create({ model: 'chat', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }, { headers })
  const sent = [host.first, host.second].map(({ calls }) => {
    const { headers: got } = calls[0] ?? { headers: {} as Record<string, string | undefined> }
    return [got['anthropic-beta'], got['anthropic-version'], got['x-other'], got['x-api-key'], got['authorization']]
  })
  t.strictSame(sent, [
    [undefined, undefined, undefined, undefined, 'Bearer key-1'],
    ['some-beta', '2099-01-01', undefined, 'key-2', undefined],
  ])
  await host.openai.chat.completions.create({ model: 'chat', messages: [{ role: 'user', content: 'hi' }] })
  t.equal(host.second.calls[1]?.headers['anthropic-version'], '2023-06-01', 'ours, where the client has none')
})

async function readUntilError(
  client: Vendor,
  { openai, responses, anthropic, gemini }: Pick<TranslatingHost, Vendor>,
): Promise<{ readonly text: string, readonly error: unknown }> {
  let text = ''
  const read = async () => {
    if (client === 'openai') {
      const stream = await openai.chat.completions.create({ ...OPENAI_QUESTION, model: 'chat', stream: true })
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    } else if (client === 'responses') {
      const stream = await responses.responses.create({ ...RESPONSES_QUESTION, model: 'chat', stream: true })
      for await (const event of stream) {
        if (event.type === 'response.output_text.delta') text += event.delta
      }
    } else if (client === 'gemini') {
      const stream = await gemini.models.generateContentStream({ ...GEMINI_QUESTION, model: 'chat' })
      for await (const answer of stream) text += answer.text ?? ''
    } else {
      const stream = await anthropic.messages.create({ ...ANTHROPIC_QUESTION, model: 'chat', stream: true })
      for await (const event of stream) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
      }
    }
  }
  return { error: await thrownBy(read()), text }
}

/** How many events a stream of a vendor has when two words of it are out. */
const EVENTS_OF_TWO_WORDS = { openai: 3, responses: 6, anthropic: 5, gemini: 2 } as const satisfies Record<Vendor, number>

/** Of Google's client, with status and message: it has them only of an error that comes in a read by itself. */
function isOwnError(client: Vendor, error: unknown): boolean {
  if (client === 'gemini') return error instanceof GeminiError && error.status === 502 && /UNAVAILABLE.*"reason":"stream_truncated"/.test(error.message)
  return error instanceof (client === 'anthropic' ? AnthropicError : OpenAIError)
}

async function thrownBy(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(() => undefined, (error: unknown) => error)
}
