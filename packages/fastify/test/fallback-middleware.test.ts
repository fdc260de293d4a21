import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyServerOptions } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import t from 'tap'
import { z } from 'zod'
import { ConfigError, createFallback, fallbackMiddleware, isConfigError } from '@understudy/fastify'

import { byteSource } from '../../../test/kit/byte-source.js'
import { ask } from '../../../test/kit/http-client.js'
import { eventStream, json, scriptedFallback } from '../../../test/kit/scripted-fallback.js'
import { aborted, within } from '../../../test/kit/within.js'

type Test = Pick<typeof t, 'teardown'>

const CUSTOM = { name: 'fixed', open: async function* () { yield 'an answer' } }
const HEADERS = { 'content-type': 'application/json' }

function host(t: Test, options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify(options) as FastifyInstance
  t.teardown(() => app.close())
  return app
}

/** The paths in the host's API document, and whether each describes a body. */
function documented(app: FastifyInstance): Record<string, boolean> {
  const { paths } = app.swagger() as unknown as { paths: Record<string, Record<string, { requestBody?: unknown }>> }
  return Object.fromEntries(Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => [`${method} ${path}`, requestBody !== undefined])))
}

const OURS = {
  'post /chat': true,
  'post /chat/completions': true,
  'post /chat/chat/completions': true,
  'post /chat/v1/chat/completions': true,
  'post /chat/messages': true,
  'post /chat/v1/messages': true,
  'post /chat/responses': true,
  'post /chat/v1/responses': true,
  'post /chat/v1beta/models/{*}': true,
  'post /chat/embeddings': true,
  'post /chat/v1/embeddings': true,
  'post /chat/policy-check': true,
  'post /chat/v1/policy-check': true,
  'get /chat/models': false,
  'get /chat/v1/models': false,
}

t.test('a plain host with swagger shows our routes and keeps its own', async (t) => {
  const app = host(t)
  await app.register(swagger, { openapi: { info: { title: 'host', version: '1' } } })
  await app.register(fallbackMiddleware(scriptedFallback()), { prefix: '/chat' })
  app.post('/own', { schema: { body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } } }, async () => 'own')
  await app.ready()
  t.strictSame(documented(app), { ...OURS, 'post /own': true })
  t.equal((await app.inject({ method: 'POST', url: '/own', payload: {} })).statusCode, 400, 'its validation works')
  t.equal((await app.inject({ method: 'POST', url: '/own', payload: { name: 'x' } })).body, 'own')
  t.equal((await app.inject({ method: 'POST', url: '/chat', payload: { anything: true } })).statusCode, 200, 'ours judges none')
  const body = JSON.stringify(app.swagger())
  t.match(body, /A route, or a provider\/model/)
})

t.test('options in the second argument of register are refused with the right call', async (t) => {
  const app = host(t)
  const options = { prefix: '/chat', logLevel: 'warn' as const, firstContentTimeoutMs: 5, timoutMs: 4 }
  await t.rejects(async () => app.register(fallbackMiddleware(scriptedFallback()), options), {
    code: 'ERR_UNDERSTUDY_CONFIG',
    message: /register\.firstContentTimeoutMs: only prefix, logLevel, logSerializers belong there; write app\.register\(fallbackMiddleware\(routes, \{ firstContentTimeoutMs: [^]*register\.timoutMs/,
  })
})

t.test('in another framework it says which package is right', async (t) => {
  const ours: unknown = fallbackMiddleware(scriptedFallback())
  const call = (...args: unknown[]) => (ours as (...args: unknown[]) => Promise<void>)(...args)
  await t.rejects(call({}, { setHeader() {} }, () => undefined), { message: /of @understudy\/fastify, and was called by Express; import it from '@understudy\/express'/ })
  await t.rejects(call({ req: {}, res: {} }, () => undefined), { message: /called by Koa; import it from '@understudy\/koa'/ })
})

t.test('a zod host with swagger and a transform of its own', async (t) => {
  const app = host(t)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  const { jsonSchemaTransform } = await import('fastify-type-provider-zod')
  await app.register(swagger, { openapi: { info: { title: 'host', version: '1' } }, transform: jsonSchemaTransform })
  await app.register(fallbackMiddleware(scriptedFallback()), { prefix: '/chat' })
  app.withTypeProvider<ZodTypeProvider>().post('/own', { schema: { body: z.object({ name: z.string() }) } }, async () => 'own')
  await app.ready()
  t.strictSame(documented(app), { ...OURS, 'post /own': true })
  t.equal((await app.inject({ method: 'POST', url: '/own', payload: {} })).statusCode, 400)
  t.equal((await app.inject({ method: 'POST', url: '/chat', payload: '{"a":1}', headers: HEADERS })).statusCode, 200)
})

t.test('a host that takes a path with and without a trailing slash for one', async (t) => {
  for (const options of [{ ignoreTrailingSlash: true }, { routerOptions: { ignoreTrailingSlash: true } }]) {
    const app = host(t, options)
    await app.register(fallbackMiddleware(scriptedFallback()), { prefix: '/chat' })
    for (const url of ['/chat', '/chat/', '/chat/completions/', '/chat/v1/chat/completions']) {
      t.equal((await app.inject({ method: 'POST', url, payload: '{}', headers: HEADERS })).statusCode, 200, url)
    }
  }
})

t.test('of the paths of Gemini what is not ours is the host\'s, and what is ours is as it was sent', async (t) => {
  for (const [options, prefix, sent] of [
    [{}, '/chat', '/chat'],
    [{}, '/:tenant/chat', '/acme/chat'],
    [{ routerOptions: { ignoreDuplicateSlashes: true } }, '/chat', '//chat/'],
    [{}, '', ''],
  ] as const) {
    const app = host(t, options)
    await app.register(fallbackMiddleware(scriptedFallback()), prefix === '' ? {} : { prefix })
    app.setNotFoundHandler((_request, reply) => void reply.code(418).send('host'))
    const post = (model: string) => app.inject({ method: 'POST', url: `${sent}/v1beta/models/${model}`, payload: '{}', headers: HEADERS })
    for (const model of ['m:countTokens', 'm', 'm:generateContent:x']) t.match(await post(model), { statusCode: 418, body: 'host' }, `${prefix} ${model}`)
    for (const model of ['m:generateContent', 'a%252Fb:streamGenerateContent', 'a/b:generateContent', 'a%3Fb:generateContent']) {
      const { statusCode, body } = await post(model)
      t.equal(statusCode, 200)
      t.match(JSON.parse(body), { path: `/v1beta/models/${model}` }, `${prefix} ${model}`)
    }
  }
})

t.test('a prefix in other forms, and none', async (t) => {
  for (const [prefix, url, path] of [
    ['/chat/', '/chat/models', '/models'],
    ['/:tenant/chat', '/acme/chat/v1/models/', '/v1/models/'],
    ['/a/b', '/a/b/models?x=1', '/models'],
  ] as const) {
    const app = host(t)
    const fallback = scriptedFallback()
    fallback.script = ({ path, query, atRoot }) => json(200, { path, query, atRoot })
    await app.register(fallbackMiddleware(fallback), { prefix })
    const { body } = await app.inject({ method: 'GET', url })
    t.strictSame(JSON.parse(body), { path, query: url.split('?')[1] ?? '', atRoot: false })
  }
  const app = host(t, { exposeHeadRoutes: false })
  app.post('/', async () => 'own')
  await app.register(fallbackMiddleware(scriptedFallback()))
  t.equal((await app.inject({ method: 'POST', url: '/' })).body, 'own')
  t.equal((await app.inject({ method: 'HEAD', url: '/v1/models' })).statusCode, 200)
})

t.test('shortPaths brings the short paths to the root', async (t) => {
  const app = host(t)
  await app.register(fallbackMiddleware({ chat: [CUSTOM] }, { shortPaths: true }))
  t.match((await app.inject({ method: 'GET', url: '/models' })).json(), { data: [{ id: 'chat' }] })
  t.equal((await app.inject({ method: 'POST', url: '/', payload: '{', headers: HEADERS })).statusCode, 400)
})

t.test('a hook of the host that decodes the body has decoded it', async (t) => {
  const app = host(t)
  await app.register(compress)
  await app.register(fallbackMiddleware(scriptedFallback()), { prefix: '/chat' })
  const headers = { ...HEADERS, 'content-encoding': 'gzip' }
  const { body } = await app.inject({ method: 'POST', url: '/chat', payload: gzipSync('{"a":1}'), headers })
  t.strictSame(JSON.parse(body).body, { type: 'bytes', text: '{"a":1}' })
  const broken = await app.inject({ method: 'POST', url: '/chat', payload: 'no gzip', headers })
  t.strictSame(JSON.parse(broken.body).body, { type: 'unreadable', reason: 'encoding' })
})

t.test('a malformed content type is refused by us; any other error is the host\'s', async (t) => {
  const app = host(t)
  app.setErrorHandler((error: Error, _request, reply) => reply.code(418).send({ host: error.message }))
  app.addHook('preHandler', async (request) => {
    if (request.headers['x-refuse'] !== undefined) throw new Error('refused by the host')
  })
  const fallback = scriptedFallback()
  fallback.script = ({ headers }) => json(415, { type: headers['content-type'] })
  await app.register(fallbackMiddleware(fallback), { prefix: '/chat' })
  const malformed = await app.inject({ method: 'POST', url: '/chat', payload: 'x', headers: { 'content-type': 'nonsense' } })
  t.match([malformed.statusCode, malformed.json()], [415, { type: 'nonsense' }])
  const refused = await app.inject({ method: 'POST', url: '/chat', payload: '{}', headers: { ...HEADERS, 'x-refuse': '1' } })
  t.match([refused.statusCode, refused.json()], [418, { host: 'refused by the host' }])
})

t.test('a Fallback that was made here closes with the host, one that was passed in does not', async (t) => {
  const app = host(t)
  const shared = scriptedFallback()
  await app.register(fallbackMiddleware(shared), { prefix: '/shared' })
  const own = fallbackMiddleware({ chat: [CUSTOM] })
  await app.register(own, { prefix: '/own' })
  await app.register(own, { prefix: '/again' })
  t.equal((await app.inject({ method: 'GET', url: '/own/models' })).statusCode, 200)
  await app.close()
  t.equal(shared.closes(), 0)
  const other = host(t)
  await other.register(own, { prefix: '/own' })
  const closed = await other.inject({ method: 'POST', url: '/own', payload: '{"messages":[{"role":"user","content":"x"}]}', headers: HEADERS })
  t.equal(closed.statusCode, 503, 'it is closed')
})

t.test('a prefix among our options is refused with the right call', async (t) => {
  const options = { shortPaths: true, prefix: '/chat' }
  t.throws(() => fallbackMiddleware({ chat: [CUSTOM] }, options), { code: 'ERR_UNDERSTUDY_CONFIG', message: /register/ })
  t.throws(() => fallbackMiddleware(scriptedFallback(), options), { code: 'ERR_UNDERSTUDY_CONFIG', message: /register/ })
})

t.test('a stream that Fastify never sends is closed, and the host\'s own answer stands', async (t) => {
  let reply: FastifyReply | undefined
  const cases: Record<string, { set?: (app: FastifyInstance) => void, act?: () => void, later?: () => void, status: number, text: RegExp }> = {
    'the host was quicker': { act: () => void reply?.code(503).send('quicker'), status: 503, text: /^quicker$/ },
    'the host took the reply over, and goes on with it': {
      act: () => void reply?.hijack(),
      later: () => void reply?.raw.end('taken over'),
      status: 200,
      text: /^taken over$/,
    },
    'a hook sends something else': { set: (app) => app.addHook('onSend', async () => 'else'), status: 200, text: /^else$/ },
    'a hook throws': {
      set: (app) => app.addHook('onSend', async (_request, _reply, payload) => {
        if (typeof payload !== 'string') throw new Error('the hook\'s own')
      }),
      status: 500,
      text: /the hook's own/,
    },
    'a hook sets a header that cannot be sent': {
      set: (app) => app.addHook('onSend', async (_request, theirs, payload) => {
        if (typeof payload !== 'string') theirs.header('x-odd', 'a\nb')
      }),
      status: 500,
      text: /x-odd/,
    },
  }
  for (const [name, { set, act, later, status, text }] of Object.entries(cases)) {
    const said: string[] = []
    const app = host(t, { logger: { level: 'warn', stream: { write: (line: string) => void said.push(line) } } })
    app.addHook('onRequest', async (_request, its) => {
      reply = its
    })
    set?.(app)
    const source = byteSource()
    const fallback = scriptedFallback()
    fallback.script = async () => {
      act?.()
      return eventStream(source)
    }
    await app.register(fallbackMiddleware(fallback))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const asked = ask((app.server.address() as AddressInfo).port, '/v1/chat/completions')
    if (later !== undefined) {
      await within(1_000, name, source.closed)
      later()
    }
    t.match(await within(1_000, name, asked), { status, text }, name)
    await within(1_000, name, source.closed)
    t.equal(source.returns(), 1, name)
    if (status !== 500) t.strictSame(said, [], 'nothing to complain of')
  }
})

t.test('a reply that a hook has begun is closed by Fastify\'s own error handler', async (t) => {
  const said: string[] = []
  const app = host(t, { logger: { level: 'warn', stream: { write: (line: string) => void said.push(line) } } })
  app.addHook('preHandler', async (_request, reply) => void reply.raw.write('begun'))
  const fallback = createFallback({ chat: [CUSTOM] }, { logger: { debug() {}, info() {}, warn() {}, error() {} } })
  t.teardown(() => fallback.close())
  await app.register(fallbackMiddleware(fallback))
  await app.listen({ port: 0, host: '127.0.0.1' })
  await within(2_000, 'the end', t.rejects(ask((app.server.address() as AddressInfo).port, '/v1/chat/completions')))
  t.match(said.join(''), /the host began the response/)
})

t.test('a host that has its handlers limited in time ends the run with its own answer', async (t) => {
  const app = host(t, { handlerTimeout: 50 })
  const source = byteSource()
  const fallback = scriptedFallback()
  fallback.script = async ({ signal }) => {
    await aborted(signal)
    return eventStream(source)
  }
  await app.register(fallbackMiddleware(fallback))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.equal((await ask((app.server.address() as AddressInfo).port, '/v1/chat/completions')).status, 503)
  await within(1_000, 'the stream is closed', source.closed)
})

t.test('handed over without being called, it says the right call in an error that its package knows', async (t) => {
  const call: () => void = () => Reflect.apply(fallbackMiddleware, undefined, [{ addContentTypeParser() {} }, { prefix: '/chat' }])
  t.throws(call, { message: /app\.register\(fallbackMiddleware\(routes\)/ })
  try {
    call()
  } catch (error) {
    t.ok(isConfigError(error) && error instanceof ConfigError)
  }
})
