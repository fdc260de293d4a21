import { quote } from '@understudy/config'
import { isLegFailedError } from '@understudy/core'
import type { ChatRequest, Failure, LegAnswer } from '@understudy/core'
import { anthropic, gemini, openai, UntranslatableRequestError } from '@understudy/dialects'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import { inspect } from 'node:util'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { createProviderAgents } from '../../src/outbound/agents.js'
import type { HttpLegOptions } from '../../src/outbound/http-leg.js'
import { createHttpLeg } from '../../src/outbound/http-leg.js'
import { settled, until } from '../../../../test/kit/until.js'
import {
  arrivalsOf,
  CANARY,
  contextOf,
  JSON_REQUEST,
  legOn,
  listen,
  partsOf,
  plainCodec,
  providerOf,
  rejection,
  requestOf,
  serve,
  STREAM_REQUEST,
  textOf,
} from './kit.js'

function failureIn(error: unknown): Failure {
  if (!isLegFailedError(error)) throw new Error('no LegFailedError', { cause: error })
  return error.failure
}

async function ask(t: Test, { url }: { url: string }, body: object): Promise<LegAnswer> {
  return legOn(t, url).open(requestOf(body), contextOf())
}

const answerHi = (response: ServerResponse): void =>
  void response.setHeader('content-type', 'application/json').end('{"text":"hi"}')

/** What one request looks like to the provider. */
async function sent(t: Test, request: ChatRequest, options: Partial<HttpLegOptions> & { base?: string } = {}) {
  const server = await serve(t, answerHi)
  const { base = '/v1', ...rest } = options
  const provider = { ...(rest.provider ?? providerOf('')), baseURL: server.url + base }
  const answer = await legOn(t, '', { ...rest, provider }).open(request, contextOf())
  await arrivalsOf(answer)
  const [call] = server.calls
  if (call === undefined) throw new Error('not called')
  const { headers, url, method } = call.request
  return { body: call.body.toString(), headers, url, method }
}

t.test('the request', async (t) => {
  t.test('of the same dialect is the client\'s bytes with model, defaults and transport fields swapped', async (t) => {
    const text = '{ "model" : "chat","models":["a"],\n "temperature":1.0, "x":"\\ud83d", "redundancy":{} }'
    const request = requestOf(text)
    const defaults = { temperature: 0, top_p: 0.5, model: 'no', stream: true }
    const { body, url, method } = await sent(t, request, { defaults })
    t.equal(body, '{ "model" : "m-1","temperature":1.0, "x":"\\ud83d","top_p":0.5 }')
    t.equal(String(request.raw), text)
    t.equal(`${method} ${url}`, 'POST /v1/chat/completions')
  })

  t.test('that a host parsed is equal as JSON', async (t) => {
    const parsed = { model: 'chat', n: 1, ['__proto__']: 1, deep: { a: [1] } }
    const request = requestOf(parsed, { raw: undefined })
    const { body } = await sent(t, request, { defaults: { top_p: 1 } })
    t.strictSame(JSON.parse(body), { ...parsed, model: 'm-1', top_p: 1 })
    t.strictSame(request.body, parsed)
  })

  t.test('of another dialect, or of none, is encoded', async (t) => {
    const other = await sent(t, requestOf(JSON_REQUEST, { dialect: 'anthropic' }), { defaults: { top_p: 1 } })
    t.strictSame(JSON.parse(other.body), { encoded: true, model: 'm-1', stream: false })
    const none = await sent(t, { stream: false, messages: [] }, { defaults: { top_p: 1 } })
    t.strictSame(JSON.parse(none.body), { top_p: 1, encoded: true, model: 'm-1', stream: false })
  })

  t.test('asks for as many choices as its defaults say, unless the request says', async (t) => {
    const server = await serve(t, answerHi)
    const choicesOf = async (body: object, defaults: Readonly<Record<string, unknown>>) => {
      const answer = await legOn(t, server.url, { defaults }).open(requestOf(body), contextOf())
      await arrivalsOf(answer)
      return answer.choices
    }
    t.equal(await choicesOf(JSON_REQUEST, { n: 2 }), 2)
    t.equal(await choicesOf({ ...JSON_REQUEST, n: 1 }, { n: 2 }), 1)
    t.equal(await choicesOf({ ...JSON_REQUEST, n: 3 }, {}), undefined, 'the core knows the request')
  })

  t.test('keeps its own model on a leg for any model', async (t) => {
    const { body } = await sent(t, requestOf(JSON_REQUEST), { model: '*', anyModel: true })
    t.equal(body, JSON.stringify(JSON_REQUEST))
  })

  t.test('asks for a stream with usage where buffered answers are collected', async (t) => {
    const request = requestOf({ ...JSON_REQUEST, stream: false, stream_options: { x: 1 } })
    const { body, headers } = await sent(t, request, { bufferedVia: 'stream' })
    t.strictSame(JSON.parse(body), {
      ...JSON_REQUEST,
      model: 'm-1',
      stream: true,
      stream_options: { x: 1, include_usage: true },
    })
    t.match(headers, { accept: 'text/event-stream', 'accept-encoding': 'identity' })
  })

  t.test('carries the credential, the provider\'s headers and nothing of the client\'s but its dialect\'s', async (t) => {
    const passHeaders = { 'openai-beta': 'x=1', authorization: 'Bearer client', cookie: 'c' }
    const provider = providerOf('', { headers: () => ({ 'x-team': 'a', authorization: 'other', 'user-agent': 'us' }) })
    const { headers } = await sent(t, requestOf(JSON_REQUEST, { passHeaders }), { provider })
    t.strictSame(headers, {
      host: headers.host,
      connection: 'keep-alive',
      'content-length': String(JSON.stringify({ ...JSON_REQUEST, model: 'm-1' }).length),
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'us',
      'x-team': 'a',
      'openai-beta': 'x=1',
      authorization: `Bearer ${CANARY}`,
    })
  })

  t.test('does not carry the client\'s headers to another dialect, and no key where there is none', async (t) => {
    const request = requestOf(JSON_REQUEST, { dialect: 'anthropic', passHeaders: { 'anthropic-beta': 'x' } })
    const { headers } = await sent(t, request, { provider: providerOf('', { credential: () => undefined }) })
    t.notOk('anthropic-beta' in headers)
    t.notOk('authorization' in headers)
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
    t.equal(headers['user-agent'], `understudy/${manifest.version}`)
  })

  t.test('goes to Azure by deployment, with its key header', async (t) => {
    const azure = { apiVersion: '2025-01-01' }
    const provider = providerOf('', { azure, credential: () => Promise.resolve(CANARY) })
    const { url, headers } = await sent(t, requestOf(JSON_REQUEST), { provider, model: 'my gpt', base: '' })
    t.equal(url, '/openai/deployments/my%20gpt/chat/completions?api-version=2025-01-01')
    t.equal(headers['api-key'], CANARY)
    t.notOk('authorization' in headers)
    const any = await sent(t, requestOf(JSON_REQUEST), { provider, model: '*', anyModel: true, base: '' })
    t.equal(any.url, '/openai/deployments/chat/chat/completions?api-version=2025-01-01')
    const odd = await sent(t, requestOf({ ...JSON_REQUEST, model: 'a\ud800' }), { provider, model: '*', anyModel: true, base: '' })
    t.match(odd.url, '/openai/deployments/a%EF%BF%BD/', 'half a character in a name is no crash')
  })

  t.test('goes to Azure with a token of Entra ID where the provider says that its key is one', async (t) => {
    const provider = providerOf('', { azure: { apiVersion: '2024-10-21' }, bearer: true, credential: async () => 'entra' })
    const { headers } = await sent(t, requestOf(JSON_REQUEST), { provider })
    t.strictSame([headers['authorization'], headers['api-key']], ['Bearer entra', undefined])
  })

  t.test('with a model that a path cannot hold is not made, wherever the model stands in the path', async (t) => {
    const server = await serve(t, answerHi)
    const providers = [
      [plainCodec(), providerOf(server.url, { azure: { apiVersion: '2025-01-01' } })],
      [gemini, providerOf(server.url, { dialect: 'gemini' })],
    ] as const
    for (const [codec, provider] of providers) {
      for (const model of ['.', '..', '../..', 'a/../b', 'a\\..', '%2e', '.%2E', 'a%2f..%5Cb', '']) {
        const leg = legOn(t, '', { provider, codec, model: '*', anyModel: true })
        const request = { ...requestOf(JSON_REQUEST, { dialect: provider.dialect }), model }
        t.strictSame(failureIn(await rejection(leg.open(request, contextOf()))), { kind: 'not_found', processed: 'no', code: 'model_in_path' }, model)
        if (model !== '') t.throws(() => legOn(t, '', { provider, codec, model }), { message: `provider 'acme': the model ${quote(model)} cannot stand in a path` })
      }
    }
    t.equal(server.calls.length, 0)
    const azure = { azure: { apiVersion: '1' } }
    for (const model of ['...', '.a', 'a..b', 'gpt-4.1', 'a/.b']) {
      const { url } = await sent(t, requestOf({ ...JSON_REQUEST, model }), { provider: providerOf('', azure), model: '*', anyModel: true, base: '' })
      t.equal(url, `/openai/deployments/${encodeURIComponent(model)}/chat/completions?api-version=1`)
    }
    t.equal((await sent(t, requestOf(JSON_REQUEST), { model: '..' })).body, JSON.stringify({ ...JSON_REQUEST, model: '..' }), 'in a body it is a name as any other')
  })
})

t.test('what our own code throws before the request is sent is a fault of ours, and no provider is asked', async (t) => {
  const server = await serve(t, answerHi)
  const faulty: readonly (readonly [unknown, Partial<HttpLegOptions>, Partial<ChatRequest>])[] = [
    ['encode', { codec: { ...plainCodec(), encodeRequest: () => { throw 'encode' } } }, { dialect: 'anthropic' }],
    ['untranslatable', { codec: { ...plainCodec(), encodeRequest: () => { throw new UntranslatableRequestError({ source: 'openai', target: 'openai', feature: 'x' }) } } }, { dialect: 'anthropic' }],
    ['fill', { fill: () => { throw new RangeError('Invalid string length') } }, { dialect: 'anthropic' }],
    ['body', {}, { body: { big: 1n }, raw: undefined } as Partial<ChatRequest>],
  ]
  for (const [name, options, fields] of faulty) {
    const leg = legOn(t, server.url, options)
    const request: ChatRequest = { ...requestOf(JSON_REQUEST), ...fields }
    const failure = failureIn(await rejection(leg.open(request, contextOf())))
    t.strictSame(failure, { kind: 'server_error', processed: 'no', internal: true, code: 'internal_error' }, String(name))
    t.not(failure.cause, undefined)
  }
  const unsendable = legOn(t, server.url, { provider: providerOf(server.url, { sign: () => ({ 'x-a': 'b' }) }), agents: {
    dispatcherOf: () => ({ dispatch: () => { throw Object.assign(new Error('no'), { code: 'UND_ERR_INVALID_ARG' }) } }) as never,
    skewOf: () => ({ ms: 0 }),
    close: () => Promise.resolve(),
  } })
  t.match(failureIn(await rejection(unsendable.open(requestOf(JSON_REQUEST), contextOf()))), { kind: 'server_error', internal: true })
  t.equal(server.calls.length, 0)
})

t.test('a leg looks for words in the form in which it will ask', async (t) => {
  const asked: boolean[] = []
  const codec = { ...plainCodec(), encodeRequest: ({ stream }: ChatRequest) => (asked.push(stream), {}) }
  for (const bufferedVia of ['json', 'stream'] as const) {
    legOn(t, 'http://127.0.0.1:1', { codec, bufferedVia }).untranslatable?.(requestOf(JSON_REQUEST, { dialect: 'anthropic' }))
  }
  t.strictSame(asked, [false, true])
})

t.test('a client of another dialect is not told what it could not be shown', async (t) => {
  const choice = { index: 1, message: { content: 'b' }, finish_reason: 'stop' }
  const server = await serve(t, (response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [choice] })))
  const leg = legOn(t, server.url, { codec: { ...plainCodec(), decodeResponse: openai.decodeResponse } })
  const told = async (dialect: 'anthropic' | 'gemini') => (await partsOf(await leg.open(requestOf(JSON_REQUEST, { dialect }), contextOf()))).map(({ type }) => type)
  t.strictSame(await told('anthropic'), ['start', 'end'])
  t.strictSame(await told('gemini'), ['start', 'text', 'finish', 'end'])
})

t.test('the bytes that were shown are sent, also where a second encode would differ', async (t) => {
  const server = await serve(t, answerHi)
  let encoded = 0
  const codec = { ...plainCodec(), encodeRequest: () => ({ encoded: (encoded += 1) }) }
  const leg = legOn(t, server.url, { codec, provider: providerOf(server.url, { sign: (bytes) => ({ 'x-signed': Buffer.from(bytes).toString() }) }) })
  const request = requestOf(JSON_REQUEST, { dialect: 'anthropic' })
  const shown: string[] = []
  for (let attempt = 0; attempt < 2; attempt += 1) {
    shown.push(Buffer.from(leg.bytesOf(request)).toString())
    await arrivalsOf(await leg.open(request, contextOf()))
  }
  t.strictSame(shown, ['{"encoded":1}', '{"encoded":2}'])
  t.strictSame(server.calls.map(({ body }) => body.toString()), shown)
  t.strictSame(server.calls.map(({ request: { headers } }) => headers['x-signed']), shown)
})

t.test('a leg of Anthropic', async (t) => {
  const body = { model: 'chat', max_tokens: 5, messages: [] }
  const provider = providerOf('', { dialect: 'anthropic' })

  t.test('is asked at its endpoint, with its key header and a version', async (t) => {
    const own = requestOf(body, { dialect: 'anthropic' })
    const { url, headers } = await sent(t, own, { provider, codec: anthropic, base: '' })
    t.equal(url, '/v1/messages')
    t.match(headers, { 'x-api-key': CANARY, 'anthropic-version': '2023-06-01' })
    t.notOk('authorization' in headers)
    t.equal((await sent(t, own, { provider, codec: anthropic, base: '/v1' })).url, '/v1/messages', 'the version stands there once')
    const passHeaders = { 'anthropic-version': '2099-01-01', 'anthropic-beta': 'a,b' }
    const told = await sent(t, requestOf(body, { dialect: 'anthropic', passHeaders }), { provider, codec: anthropic })
    t.match(told.headers, passHeaders, 'the client\'s own version wins')
    const set = providerOf('', { dialect: 'anthropic', headers: () => ({ 'anthropic-version': '2024-01-01' }) })
    t.equal((await sent(t, own, { provider: set, codec: anthropic })).headers['anthropic-version'], '2024-01-01')
  })

  t.test('says what it has no words for, and is sent what it was asked about', async (t) => {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]
    const neutral = { dialect: 'openai' as const, stream: false, messages }
    const leg = legOn(t, 'http://127.0.0.1:1', { provider: providerOf('http://127.0.0.1:1', { dialect: 'anthropic' }), codec: anthropic })
    t.equal(leg.untranslatable?.({ ...requestOf(JSON_REQUEST), neutral: () => ({ ...neutral, seed: 1 }) } as ChatRequest), 'seed')
    t.equal(leg.untranslatable?.({ ...requestOf(JSON_REQUEST), neutral: () => neutral } as ChatRequest), undefined)
    t.equal(leg.untranslatable?.(requestOf({ ...body, odd: 1 }, { dialect: 'anthropic' })), undefined, 'its own dialect is not looked at')
    let readings = 0
    const request = { ...requestOf(JSON_REQUEST), neutral: () => ((readings += 1), neutral) }
    const fill = (asked: ChatRequest) => ({ ...asked, maxTokens: 7 })
    const { body: sentBody } = await sent(t, request, { provider, codec: anthropic, fill })
    t.match(JSON.parse(sentBody), { model: 'm-1', max_tokens: 7, messages: [{ role: 'user', content: 'hi' }] })
    t.equal(readings, 1)
  })
})

t.test('a leg of Gemini', async (t) => {
  const body = { contents: [{ parts: [{ text: 'hi' }] }], odd: 1.0 }
  const provider = providerOf('', { dialect: 'gemini' })
  const own = (more: object = {}) => ({ ...requestOf({ ...body, ...more }, { dialect: 'gemini' }), model: 'chat' })

  t.test('is asked at the path of its model and of its form, with its key header', async (t) => {
    const { url, headers, body: sentBody } = await sent(t, own(), { provider, codec: gemini, base: '' })
    t.equal(url, '/v1beta/models/m-1:generateContent')
    t.equal(headers['x-goog-api-key'], CANARY)
    t.notOk('authorization' in headers)
    t.equal(sentBody, JSON.stringify(body), 'byte for byte')
    const at = async (model: string, base: string, more: object = {}, request = own()) =>
      (await sent(t, request, { provider, codec: gemini, model, base, ...more })).url
    t.equal(await at('models/a', '/v1'), '/v1/models/a:generateContent', 'the version stands there once')
    t.equal(await at('tunedModels/a b', '/v1alpha'), '/v1alpha/tunedModels/a%20b:generateContent')
    t.equal(await at('a', '', { bufferedVia: 'stream' }), '/v1beta/models/a:streamGenerateContent?alt=sse')
    t.equal(await at('*', '', { anyModel: true }), '/v1beta/models/chat:generateContent')
  })

  t.test('is sent no model and no wish for a stream, whatever the request says', async (t) => {
    const options = { provider, codec: gemini, bufferedVia: 'stream', defaults: { odd: 2, safetySettings: [] } } as const
    const { body: sentBody } = await sent(t, own({ model: 'chat', stream: false, models: ['a'] }), options)
    t.strictSame(JSON.parse(sentBody), { ...body, safetySettings: [] })
    const neutral: ChatRequest = { dialect: 'openai', stream: true, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }
    const other = await sent(t, { ...requestOf(STREAM_REQUEST), neutral: () => neutral } as ChatRequest, { provider, codec: gemini })
    t.strictSame(JSON.parse(other.body), { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })
  })
})

t.test('what cannot be asked', async (t) => {
  t.test('a credential that cannot be had or sent is an auth_error that says nothing of it', async (t) => {
    const credentials: [string, () => string | Promise<string>][] = [
      ['credential_unavailable', () => Promise.reject(new Error(CANARY))],
      ['credential_unavailable', () => { throw new Error(CANARY) }],
      ['invalid_credential', () => `${CANARY}\r\nx: y`],
      ['invalid_credential', () => ''],
      ['invalid_credential', () => Promise.resolve('\u20ac')],
    ]
    for (const [code, credential] of credentials) {
      const leg = legOn(t, 'http://127.0.0.1:1', { provider: providerOf('http://127.0.0.1:1', { credential }) })
      const error = await rejection(leg.open(requestOf(JSON_REQUEST), contextOf()))
      t.strictSame(failureIn(error), { kind: 'auth_error', processed: 'no', code })
      t.notMatch(inspect(error, { depth: 9, showHidden: true }), CANARY)
    }
  })

  t.test('an abort does not wait for a credential', async (t) => {
    const provider = providerOf('http://127.0.0.1:1', { credential: () => new Promise<string>(() => undefined) })
    const context = contextOf()
    const opening = rejection(legOn(t, '', { provider }).open(requestOf(JSON_REQUEST), context))
    context.abort('gone')
    t.equal(await opening, 'gone')
  })

  t.test('headers, dialects and base URLs that cannot be used stop the leg from being made', async (t) => {
    const agents = createProviderAgents({ proxy: { type: 'none' } })
    t.teardown(() => agents.close())
    const make = (overrides: Parameters<typeof providerOf>[1]) => () =>
      createHttpLeg({
        provider: providerOf('http://127.0.0.1:1', overrides),
        codec: plainCodec(),
        model: 'm',
        agents,
        bufferedVia: 'json',
      })
    t.throws(make({ headers: () => ({ 'x-a': `${CANARY}\n` }) }), {
      message: /^provider 'acme': the value of header 'x-a' has characters that cannot be sent$/,
    })
    for (const name of ['content-length', 'a b']) {
      t.throws(make({ headers: () => ({ [name]: '1' }) }), { message: `header '${name}' is not one that can be set` })
    }
    t.throws(make({ dialect: 'bedrock' }), { message: /dialect 'bedrock' cannot be asked over HTTP/ })
  })
})

t.test('a stream', async (t) => {
  const events = { 'content-type': 'text/event-stream; charset=utf-8' }

  t.test('is one arrival a read, however many chunks the read brought, with the bytes as they came', async (t) => {
    let send: () => void = () => undefined
    const server = await serve(t, (response) => {
      const visible = { 'x-ratelimit-a': '1', 'openai-processing-ms': '5' }
      response.writeHead(200, { ...events, ...visible, 'set-cookie': 'x', 'x-request-id': 'r-1' })
      response.flushHeaders()
      send = () => {
        response.cork()
        response.write('data: a\n\n')
        response.write('data: b\n\ndata: c')
        response.uncork()
      }
    })
    const codec = plainCodec()
    const leg = legOn(t, server.url, { codec })
    const context = contextOf()
    const answer = await leg.open(requestOf(STREAM_REQUEST), context)
    const { arrivals, onCommit, ...rest } = answer
    const headers = { 'x-ratelimit-a': '1', 'openai-processing-ms': '5' }
    t.strictSame(rest, { form: 'events', headers, providerRequestId: 'r-1' })
    onCommit?.()
    t.equal(codec.commits, 1)
    t.equal(context.connects(), 1)
    const iterator = arrivals[Symbol.asyncIterator]()
    const waiting = iterator.next()
    send()
    const first = await waiting
    const bytes = Buffer.from('data: a\n\ndata: b\n\n')
    t.match(first.value, { events: 2, parts: [{ text: 'a' }, { text: 'b' }], bytes })
    context.abort('enough')
    t.equal(await rejection(iterator.next()), 'enough')
    await until('the socket is closed', () => server.open() === 0)
  })

  t.test('has no bytes for a client of another dialect, and for one that reads no stream', async (t) => {
    const server = await serve(t, (response) => response.writeHead(200, events).end('data: a\n\ndata: [DONE]\n\n'))
    const leg = legOn(t, server.url)
    for (const request of [requestOf(STREAM_REQUEST, { dialect: 'anthropic' }), requestOf(JSON_REQUEST)]) {
      const answer = await leg.open(request, contextOf())
      t.equal(answer.form, 'none')
      t.strictSame(await arrivalsOf(answer), [{ parts: [{ type: 'text', text: 'a' }, { type: 'end' }], events: 2 }])
    }
  })

  t.test('that has said its end lets the connection be used again', async (t) => {
    const begun: ServerResponse[] = []
    const server = await serve(t, (response) => {
      begun.push(response)
      response.writeHead(200, events)
      response.write('data: a\n\ndata: [DONE]\n\n')
    })
    const leg = legOn(t, server.url)
    for (let round = 0; round < 3; round += 1) {
      t.equal(textOf(await partsOf(await leg.open(requestOf(STREAM_REQUEST), contextOf()))), 'a<end>')
      begun[round]?.end()
      await settled()
    }
    t.equal(server.connections(), 1)
  })

  t.test('that breaks gives what came, then the failure as a part', async (t) => {
    const server = await serve(t, (response) => {
      response.writeHead(200, events)
      response.write('data: a\n\ndata: b\n\n', () => setTimeout(() => response.socket?.resetAndDestroy(), 10))
    })
    const answer = await ask(t, server, STREAM_REQUEST)
    t.match(await partsOf(answer), [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { failure: { kind: 'connection_error', processed: 'maybe', code: /^(ECONNRESET|UND_ERR_SOCKET)$/ } },
    ])
  })

  t.test('that breaks behind a whole event without its blank line is whole if that is its end', async (t) => {
    const server = await serve(t, (response) => {
      response.writeHead(200, { ...events, 'content-length': '500' })
      response.write('data: a\n\ndata: [DONE]', () => setTimeout(() => response.destroy(), 10))
    })
    const answer = await ask(t, server, STREAM_REQUEST)
    t.equal(textOf(await partsOf(answer)), 'a<end>')
  })

  t.test('that nobody reads stops the provider, and goes on when it is read', async (t) => {
    const block = `data: ${'x'.repeat(64 * 1024)}\n\n`
    let written = 0
    let closed = false
    const server = await serve(t, (response) => {
      response.writeHead(200, events)
      response.on('close', () => { closed = true })
      const write = () => {
        while (written < 64 * 1024 * 1024) {
          written += block.length
          if (!response.write(block)) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    })
    const answer = await ask(t, server, STREAM_REQUEST)
    const iterator = answer.arrivals[Symbol.asyncIterator]()
    await iterator.next()
    let before = -1
    while (before !== written) {
      before = written
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    // The kernel's buffers on loopback hold megabytes; without back-pressure it would be all 64.
    t.ok(written < 16 * 1024 * 1024, `stopped at ${written}`)
    t.notOk(closed)
    let length = 0
    for (let result = await iterator.next(); result.done !== true; result = await iterator.next()) {
      length += result.value.bytes?.length ?? 0
    }
    t.ok(length > 60 * 1024 * 1024)
  })

  t.test('that is closed before its end is cut at the socket, and a waiting reader is let go', async (t) => {
    const server = await serve(t, (response) => void response.writeHead(200, events).write('data: a'))
    const answer = await ask(t, server, STREAM_REQUEST)
    const iterator = answer.arrivals[Symbol.asyncIterator]()
    const waiting = iterator.next()
    t.strictSame(await iterator.return?.(), { done: true, value: undefined })
    t.strictSame(await waiting, { done: true, value: undefined })
    t.strictSame(await iterator.next(), { done: true, value: undefined })
    await until('the socket is closed', () => server.open() === 0)
  })

  t.test('is read where the content type says nothing and the bytes are no JSON', async (t) => {
    for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/octet-stream' }]) {
      const server = await serve(t, (response) => {
        response.writeHead(200, headers).write('\n')
        setTimeout(() => response.end('data: a\n\n'), 10)
      })
      const answer = await ask(t, server, STREAM_REQUEST)
      t.equal(answer.form, 'events')
      t.equal(textOf(await partsOf(answer)), 'a')
    }
  })
})

t.test('a JSON answer', async (t) => {
  const json = { 'content-type': 'application/json' }

  t.test('is one arrival, in however many pieces it came', async (t) => {
    const server = await serve(t, (response) => {
      response.writeHead(200, json).write(' {"text"')
      setTimeout(() => response.end(':"hi"}'), 10)
    })
    const answer = await ask(t, server, JSON_REQUEST)
    t.equal(answer.form, 'json')
    const [arrival, ...more] = await arrivalsOf(answer)
    t.strictSame(more, [])
    t.match(arrival, { parts: [{ text: 'hi' }, { type: 'end' }], events: 1 })
    t.equal(Buffer.from(arrival?.bytes ?? []).toString(), ' {"text":"hi"}')
  })

  t.test('is told by its first byte where the content type says nothing', async (t) => {
    for (const [body, type] of [['\ufeff {"text":"hi"}', 'text/plain'], ['{"text":"hi"}', undefined]] as const) {
      const server = await serve(t, (response) => {
        response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body)
      })
      const answer = await ask(t, server, JSON_REQUEST)
      t.equal(answer.form, 'json')
      t.equal(Buffer.from((await arrivalsOf(answer))[0]?.bytes ?? []).toString(), body)
    }
  })

  t.test('that breaks or is too large is a failure', async (t) => {
    const cut = await serve(t, (response) => {
      response.writeHead(200, { ...json, 'content-length': '100' })
      response.write('{', () => setTimeout(() => response.destroy(), 10))
    })
    t.match(await partsOf(await ask(t, cut, JSON_REQUEST)), [
      { type: 'error', failure: { kind: 'connection_error', processed: 'maybe' } },
    ])
    const large = await serve(t, (response) => {
      const piece = Buffer.alloc(1024 * 1024, 0x20)
      response.writeHead(200, json)
      const write = () => {
        while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', write)
      }
      write()
    })
    t.match(await partsOf(await ask(t, large, JSON_REQUEST)), [
      { type: 'error', failure: { kind: 'malformed', code: 'answer_too_large' } },
    ])
    await until('the socket is closed', () => large.open() === 0)
  })

  t.test('that is a web page is malformed', async (t) => {
    const server = await serve(t, (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
    const error = await rejection(ask(t, server, JSON_REQUEST))
    t.match(failureIn(error), { kind: 'malformed', code: 'html' })
  })
})

t.test('a compressed answer is decoded', async (t) => {
  t.test('as JSON in each coding', async (t) => {
    const text = '{"text":"hi"}'
    const same = (bytes: Buffer) => bytes
    const codings = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync, identity: same }
    for (const [coding, compress] of Object.entries(codings)) {
      const server = await serve(t, (response) => {
        const compressed = Buffer.from(compress(Buffer.from(text)))
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
        response.write(compressed.subarray(0, 5))
        setTimeout(() => response.end(compressed.subarray(5)), 5)
      })
      const [arrival] = await arrivalsOf(await ask(t, server, JSON_REQUEST))
      t.equal(Buffer.from(arrival?.bytes ?? []).toString(), text, coding)
    }
  })

  t.test('as a stream, event by event', async (t) => {
    let next: () => void = () => undefined
    const server = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      gzip.write('data: a\n\n')
      gzip.flush()
      next = () => gzip.end('data: b\n\n')
    })
    const answer = await ask(t, server, STREAM_REQUEST)
    const iterator = answer.arrivals[Symbol.asyncIterator]()
    t.match(await iterator.next(), { value: { parts: [{ text: 'a' }] } })
    next()
    t.match(await iterator.next(), { value: { parts: [{ text: 'b' }] } })
    t.match(await iterator.next(), { done: true })
  })

  t.test('or fails as malformed where it is broken or in a coding that we do not read', async (t) => {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
    const broken = await serve(t, (response) => response.writeHead(200, headers).end('this is no gzip'))
    t.match(await partsOf(await ask(t, broken, STREAM_REQUEST)), [
      { type: 'error', failure: { kind: 'malformed', code: 'Z_DATA_ERROR' } },
    ])
    const unknown = await serve(t, (response) => response.writeHead(200, { ...headers, 'content-encoding': 'zstd' }).end('x'))
    const error = await rejection(ask(t, unknown, STREAM_REQUEST))
    t.match(failureIn(error), { kind: 'malformed', code: 'unsupported_encoding' })
  })

  t.test('a little at a time, so that a small one that grows huge is no danger', async (t) => {
    const zeros = gzipSync(Buffer.alloc(256 * 1024 * 1024, 0x20))
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const server = await serve(t, (response) => response.writeHead(200, headers).end(zeros))
    const answer = await ask(t, server, JSON_REQUEST)
    t.match(await partsOf(answer), [{ type: 'error', failure: { kind: 'malformed', code: 'answer_too_large' } }])
    const stalled = await ask(t, server, STREAM_REQUEST)
    const before = process.memoryUsage().rss
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024)
    await stalled.arrivals[Symbol.asyncIterator]().return?.()
  })

  t.test('or lets go of a reader that waits when it is aborted', async (t) => {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
    const server = await serve(t, (response) => response.writeHead(200, headers).flushHeaders())
    const context = contextOf()
    const answer = await legOn(t, server.url).open(requestOf(STREAM_REQUEST), context)
    const waiting = rejection(answer.arrivals[Symbol.asyncIterator]().next())
    context.abort('gone')
    t.equal(await waiting, 'gone')
    await until('the socket is closed', () => server.open() === 0)
  })
})

t.test('an answer outside 2xx', async (t) => {
  t.test('is what the dialect makes of it, and its connection is used again', async (t) => {
    const server = await serve(t, (response) => response.writeHead(500, { 'retry-after': '3' }).end('x'.repeat(1000)))
    const leg = legOn(t, server.url)
    for (let round = 0; round < 3; round += 1) {
      const failure = failureIn(await rejection(leg.open(requestOf(STREAM_REQUEST), contextOf())))
      t.strictSame({ ...failure }, { kind: 'server_error', processed: 'maybe', status: 500, retryAfterMs: 3000 })
      t.equal(failure.providerMessage, 'x'.repeat(1000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    t.equal(server.connections(), 1)
  })

  t.test('that is compressed is decoded', async (t) => {
    const server = await serve(t, (response) => response.writeHead(503, { 'content-encoding': 'gzip' }).end(gzipSync('why')))
    const failure = failureIn(await rejection(ask(t, server, JSON_REQUEST)))
    t.equal(failure.providerMessage, 'why')
  })

  t.test('is cut where its body is large', async (t) => {
    let written = 0
    const server = await serve(t, (response) => {
      response.writeHead(500)
      const write = () => {
        while (written < 50 * 1024 * 1024 && !response.destroyed) {
          written += 65_536
          if (!response.write('x'.repeat(65_536))) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    })
    const failure = failureIn(await rejection(ask(t, server, JSON_REQUEST)))
    t.equal(failure.providerMessage?.length, 64 * 1024)
    await until('the socket is closed', () => server.open() === 0)
    t.ok(written < 16 * 1024 * 1024, `${written} bytes written`)
  })

  t.test('that never ends is given up with the attempt', async (t) => {
    const server = await serve(t, (response) => void response.writeHead(500).write('x'))
    const context = contextOf()
    const opening = rejection(legOn(t, server.url).open(requestOf(JSON_REQUEST), context))
    await until('it was called', () => server.calls.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    context.abort('gone')
    t.equal(await opening, 'gone')
    await until('the socket is closed', () => server.open() === 0)
  })

  t.test('is no place to be sent on to', async (t) => {
    const server = await serve(t, (response) => response.writeHead(307, { location: '/elsewhere' }).end())
    const failure = failureIn(await rejection(ask(t, server, JSON_REQUEST)))
    t.match(failure, { kind: 'server_error', status: 307 })
    t.equal(server.calls.length, 1)
  })
})

t.test('an abort', async (t) => {
  t.test('while the head is awaited closes the socket', async (t) => {
    const server = await serve(t, () => undefined)
    const context = contextOf()
    const opening = rejection(legOn(t, server.url).open(requestOf(STREAM_REQUEST), context))
    await until('it was called', () => server.calls.length === 1)
    const reason = new Error('gone')
    context.abort(reason)
    t.equal(await opening, reason)
    await until('the socket is closed', () => server.open() === 0)
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.equal(server.connections(), 1, 'and nobody connects anew')
  })

  t.test('while a large request is written closes the socket', async (t) => {
    const server = createNetServer((socket) => socket.pause())
    const { port, sockets } = await listen(t, server)
    const context = contextOf()
    const request = requestOf({ ...STREAM_REQUEST, blob: 'x'.repeat(20 * 1024 * 1024) })
    const opening = rejection(legOn(t, `http://127.0.0.1:${port}`).open(request, context))
    await until('it is connected', () => context.connects() === 1 && sockets.size === 1)
    context.abort('gone')
    t.equal(await opening, 'gone')
    for (const socket of sockets) socket.resume()
    await until('the socket is closed', () => sockets.size === 0)
  })

  t.test('before the start asks nobody', async (t) => {
    const server = await serve(t, () => undefined)
    const context = contextOf()
    context.abort('gone')
    t.equal(await rejection(legOn(t, server.url).open(requestOf(STREAM_REQUEST), context)), 'gone')
    t.equal(server.connections(), 0)
  })

  t.test('leaves no listener behind on a signal, whatever the end', async (t) => {
    let count = 0
    const server = await serve(t, answerHi)
    const leg = legOn(t, server.url)
    const context = contextOf()
    const { signal } = context
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => { count += 1; add(...args) }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => { count -= 1; remove(...args) }
    await partsOf(await leg.open(requestOf(JSON_REQUEST), context))
    t.equal(count, 0)
  })
})

t.test('no credential is in what can be printed', async (t) => {
  const server = await serve(t, answerHi)
  const agents = createProviderAgents({ proxy: { type: 'none' } })
  const leg = legOn(t, server.url, { agents })
  const answer: LegAnswer = await leg.open(requestOf(JSON_REQUEST), contextOf())
  for (const value of [leg, agents, answer]) t.notMatch(inspect(value, { depth: 12, showHidden: true }), CANARY)
})
