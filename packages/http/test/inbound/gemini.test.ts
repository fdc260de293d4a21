import type { FallbackOptions } from '@understudy/config'
import type { Simulator } from '@understudy/simulator'
import t from 'tap'

import type { RequestOverrides } from '../kit.js'
import { fallbackOf, jsonOf, outline, post, says, simulate, textOf } from '../kit.js'

const BODY = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

function ask(fields: Readonly<Record<string, unknown>> = {}, model = 'chat', overrides: RequestOverrides = {}) {
  return post({ ...BODY, ...fields }, { path: `/v1beta/models/${model}:generateContent`, ...overrides })
}

function stream(fields: Readonly<Record<string, unknown>> = {}, query = 'alt=sse', model = 'chat') {
  return { ...post({ ...BODY, ...fields }, { path: `/v1beta/models/${model}:streamGenerateContent` }), query }
}

/** A provider of each dialect on one simulator. */
function both({ url, origin }: Pick<Simulator, 'url' | 'origin'>): FallbackOptions['providers'] {
  return {
    g: { dialect: 'gemini', baseURL: origin, apiKey: 'key-g' },
    o: { dialect: 'openai', baseURL: url, apiKey: 'key-o' },
  }
}

t.test('a request that never becomes a run is refused in the vendor\'s envelope', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hi')] })
  const refused = async (request: ReturnType<typeof ask>) => {
    const response = await fallback.handle(request)
    return [response.status, await jsonOf(response)]
  }
  const error = (code: number, status: string, reason: string, param?: string) => ({
    error: { code, status, details: [{ reason, metadata: param === undefined ? {} : { param } }] },
  })
  t.match(await refused(post('{', { path: '/v1beta/models/chat:generateContent' })), [400, error(400, 'INVALID_ARGUMENT', 'invalid_json')])
  t.match(await refused(ask({}, 'none')), [404, error(404, 'NOT_FOUND', 'model_not_found')])
  t.match(await refused(ask({}, 'chat', { headers: { 'content-type': 'text/plain' } })), [415, error(415, 'INVALID_ARGUMENT', 'unsupported_media_type')])
  t.match(await refused(ask({}, 'chat', { path: '/v1beta/models/chat:countTokens' })), [404, error(404, 'NOT_FOUND', 'not_found')])
  const table: readonly (readonly [Readonly<Record<string, unknown>>, param: string])[] = [
    [{ contents: [] }, 'contents'],
    [{ contents: [{ parts: [1] }] }, 'contents[0].parts[0]'],
    [{ contents: Array.from({ length: 200_000 }, () => ({ parts: 1 })) }, 'contents[0].parts'],
    [{ contents: [{ parts: Array.from({ length: 200_000 }, () => 1) }] }, 'contents[0].parts[0]'],
    [{ tools: [{ functionDeclarations: [{}] }] }, 'tools[0].functionDeclarations[0].name'],
    [{ generationConfig: { maxOutputTokens: '9' } }, 'generationConfig.maxOutputTokens'],
    [{ models: [] }, 'models'],
  ]
  for (const [fields, param] of table) {
    t.match(await refused(ask(fields)), [400, error(400, 'INVALID_ARGUMENT', 'invalid_request_error', param)], param)
  }
})

t.test('a custom leg\'s text is an answer of the vendor, and the report stands in a document only', async (t) => {
  const fallback = fallbackOf(t, { chat: [says('fixed', 'Hello ', 'there')] })
  const { understudy, responseId, ...answer } = await jsonOf(await fallback.handle(ask()))
  t.match(understudy, { served_model: 'fixed/fixed' })
  t.ok(responseId)
  t.strictSame(answer, {
    candidates: [{ content: { parts: [{ text: 'Hello there' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    modelVersion: 'fixed',
  })
  const streamed = await fallback.handle(stream())
  t.equal(streamed.headers['content-type'], 'text/event-stream; charset=utf-8')
  const text = await textOf(streamed)
  t.notMatch(text, /"understudy"|DONE/)
  t.equal(text.match(/^data: /gm)?.length, 3)
  const array = await fallback.handle(stream({}, ''))
  t.equal(array.headers['content-type'], 'application/json; charset=utf-8')
  t.match(JSON.parse(await textOf(array)), [{ candidates: [{}] }, { candidates: [{}] }, { candidates: [{ finishReason: 'STOP' }] }])
})

t.test('its own leg gets the bytes as they came, and gives its answer as it came', async (t) => {
  const simulator = await simulate(t, { fallback: {}, strict: true })
  const fallback = fallbackOf(t, { chat: ['g/gemini-2.5-flash', 'o/gpt-4.1'] }, { providers: both(simulator) })
  const odd = { generationConfig: { responseLogprobs: true, temperature: 1.5 }, cachedContent: 'cachedContents/a' }
  const whole = await jsonOf(await fallback.handle(ask(odd)))
  t.match(whole, { modelVersion: 'gemini-2.5-flash', understudy: { served_model: 'g/gemini-2.5-flash' } })
  t.strictSame(simulator.calls[0]?.body, { ...BODY, ...odd })
  t.equal(simulator.calls[0]?.path, '/v1beta/models/gemini-2.5-flash:generateContent')
  const streamed = await textOf(await fallback.handle(stream(odd)))
  t.notMatch(streamed, /"understudy"/)
  t.match(streamed, /"finishReason":"STOP"[^\n]*\n\n$/)
  t.equal(simulator.calls[1]?.path, '/v1beta/models/gemini-2.5-flash:streamGenerateContent')
  t.strictSame(simulator.calls[1]?.query, { alt: 'sse' })
})

t.test('what only Gemini can say leaves the other legs out, and a chain of a caller names any', async (t) => {
  const simulator = await simulate(t, { models: { 'gemini-2.5-flash': [{ status: 503 }], 'gpt-4.1': [{}] }, strict: true })
  const fallback = fallbackOf(t, { chat: ['g/gemini-2.5-flash', 'o/gpt-4.1'] }, { providers: both(simulator) })
  const { status, headers } = await fallback.handle(ask({ cachedContent: 'cachedContents/a' }))
  t.equal(status, 502)
  t.strictSame(outline(headers['understudy-trail']), ['g/gemini-2.5-flash failed overloaded'])
  const named = await fallback.handle(ask({}, 'o%2Fgpt-4.1'))
  t.equal(named.status, 200)
  t.match(await jsonOf(named), { candidates: [{ finishReason: 'STOP' }], modelVersion: 'gpt-4.1' })
})

t.test('calls that another dialect\'s leg made carry the vendor\'s word for no signature where the model refuses them without', async (t) => {
  const simulator = await simulate(t, { fallback: { answer: { toolCalls: [{ id: 'c', name: 'weather', arguments: '{}' }] } }, strict: true })
  const fallback = fallbackOf(t, { other: ['o/gpt-x'], chat: ['g/gemini-3-pro-preview'], old: ['g/gemini-2.5-pro'] }, { providers: both(simulator) })
  const { candidates } = await jsonOf(await fallback.handle(ask({}, 'other'))) as unknown as { readonly candidates: readonly { readonly content: object }[] }
  const said = candidates[0]?.content
  t.match(said, { role: 'model', parts: [{ functionCall: { name: 'weather' }, thoughtSignature: undefined }] })
  const result = { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'weather', response: { output: 'rain' } } }] }
  for (const [model, thoughtSignature] of [['chat', 'skip_thought_signature_validator'], ['old', undefined]] as const) {
    t.equal((await fallback.handle(ask({ contents: [...BODY.contents, said, result] }, model))).status, 200)
    t.match(simulator.calls.at(-1)?.body, { contents: [BODY.contents[0], { parts: [{ thoughtSignature }] }, result] })
  }
})

t.test('a stream that broke ends with the error as an event and, apart from it, as the vendor\'s client reads it', async (t) => {
  const simulator = await simulate(t, { models: { m: [{ fault: { do: 'reset', afterEvents: 2 } }], down: [{ status: 503, delayMs: 60 }] } })
  const routes = { chat: ['g/m'], late: { legs: ['g/down'], waitingComment: { afterMs: 20 } } }
  const fallback = fallbackOf(t, routes, { providers: both(simulator) })
  for (const [model, query, reason] of [['chat', 'alt=sse', 'stream_truncated'], ['late', 'alt=sse', 'all_legs_failed'], ['chat', '', 'stream_truncated']] as const) {
    const items: (readonly [text: string, at: number])[] = []
    for await (const item of (await fallback.handle(stream({}, query, model))).body as AsyncIterable<Uint8Array>) {
      items.push([Buffer.from(item).toString(), performance.now()])
    }
    const [[event = '', eventAt = 0] = [], [bare = '', bareAt = 0] = []] = items.slice(-2)
    const error = { code: 502, details: [{ reason }] }
    if (query === '') {
      const list = JSON.parse(items.map(([text]) => text).join('')) as readonly unknown[]
      t.match([list.at(-1), JSON.stringify(list).split('"error"').length], [{ error }, 2], 'an array has it once')
      continue
    }
    t.match(JSON.parse(event.slice('data: '.length)), { error })
    t.equal(`data: ${bare}\n\n`, event)
    t.ok(bareAt - eventAt >= 20, 'which is not read at once')
  }
})

t.test('an error that the vendor writes into a stream is read bare and as an event: it moves on before content, and ends the stream after it', async (t) => {
  const errors = [
    [{ code: 503, type: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' }, 'overloaded'],
    [{ code: 429, type: 'RESOURCE_EXHAUSTED' }, 'rate_limit'],
    [{}, 'server_error'],
  ] as const
  for (const bare of [true, false]) {
    for (const [error, kind] of errors) {
      const faulty = (afterEvents: number) => ({ fault: { do: 'error_event', afterEvents, error, bare }, eventDelayMs: 0 } as const)
      const simulator = await simulate(t, { models: { before: [faulty(0)], after: [faulty(2)], second: [{ answer: { text: 'rescued' } }] } })
      const routes = { early: ['g/before', 'g/second'], late: ['g/after', 'g/second'] }
      const fallback = fallbackOf(t, routes, { providers: both(simulator) })
      const early = await fallback.handle(stream({}, 'alt=sse', 'early'))
      t.strictSame(outline(early.headers['understudy-trail']), [`g/before failed ${kind}`, 'g/second served'])
      t.match(await textOf(early), /"rescued"/)

      const late = await fallback.handle(stream({}, '', 'late'))
      const items = JSON.parse(await textOf(late)) as readonly unknown[]
      t.match(items, [{ candidates: [{}] }, { candidates: [{}] }, { error: { details: [{ reason: 'upstream_error' }] } }])
      t.equal(items.length, 3)
      t.match(fallback.snapshot().lastFailures.find(({ model }) => model === 'after'), { kind })
      t.strictSame(simulator.calls.map(({ model }) => model), ['before', 'second', 'after'], 'after content no other leg is asked')
    }
  }
})

t.test('who leaves before the bare error is there ends the stream', async (t) => {
  const simulator = await simulate(t, { fallback: { fault: { do: 'reset', afterEvents: 2 } } })
  const fallback = fallbackOf(t, { chat: ['g/m'] }, { providers: both(simulator) })
  const iterator = ((await fallback.handle(stream())).body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  let text = ''
  while (!text.includes('"error"')) text = Buffer.from((await iterator.next()).value ?? '').toString()
  await iterator.return?.()
  t.strictSame(await iterator.next(), { done: true, value: undefined })
})
