import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa from 'koa'
import mount from 'koa-mount'
import t from 'tap'
import { ConfigError, createFallback, fallbackMiddleware, isConfigError } from '@understudy/koa'

import { ask, begin } from '../../../test/kit/http-client.js'
import { eventStream, json, scriptedFallback } from '../../../test/kit/scripted-fallback.js'
import type { ScriptedFallback } from '../../../test/kit/scripted-fallback.js'
import { byteSource } from '../../../test/kit/byte-source.js'
import { within } from '../../../test/kit/within.js'

type Test = Pick<typeof t, 'teardown'>

const CUSTOM = { name: 'fixed', open: async function* () { yield 'an answer' } }

/** Answers with where we think we are. */
function whereabouts(): ScriptedFallback {
  const fallback = scriptedFallback()
  fallback.script = ({ path, atRoot }) => json(200, { path, atRoot })
  return fallback
}

async function listen(t: Test, app: Koa): Promise<number> {
  app.use((ctx) => {
    ctx.status = 200
    ctx.body = `host ${ctx.path}`
  })
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

t.test('a prefix is whole segments, in any spelling, and ctx.path stays', async (t) => {
  for (const prefix of ['/chat', 'chat', '/chat/']) {
    const app = new Koa()
    app.use(fallbackMiddleware(whereabouts(), { prefix }))
    const port = await listen(t, app)
    for (const path of ['/chat', '/chat/']) t.strictSame(JSON.parse((await ask(port, path)).text), { path: '/', atRoot: false })
    t.strictSame(JSON.parse((await ask(port, '/chat/v1/chat/completions?x')).text), { path: '/v1/chat/completions', atRoot: false })
    for (const path of ['/chatty', '/chat/other', '/']) t.equal((await ask(port, path)).text, `host ${path}`)
  }
})

t.test('a route without a prefix is told once, with the right call', async (t) => {
  const warnings: Error[] = []
  const hear = (warning: Error) => void warnings.push(warning)
  process.on('warning', hear)
  t.teardown(() => process.off('warning', hear))
  const app = new Koa()
  const router = new Router()
  router.post('/chat', fallbackMiddleware(whereabouts()))
  router.post('/right', fallbackMiddleware(whereabouts(), { prefix: '/right' }))
  app.use(router.routes())
  const port = await listen(t, app)
  t.strictSame(JSON.parse((await ask(port, '/right')).text), { path: '/', atRoot: false })
  for (const path of ['/chat', '/chat']) t.equal((await ask(port, path)).text, 'host /chat')
  await new Promise((resolve) => setImmediate(resolve))
  t.match(warnings, [{ code: 'UNDERSTUDY_MOUNTED_ON_ROUTE', message: /went by it: give it the path of the route too, as in \{ prefix/ }])
  t.equal(warnings.length, 1)
})

t.test('what is to be said of a mount goes to the logger, if there is one', async (t) => {
  const said: unknown[] = []
  const note = (...line: unknown[]) => void said.push(line)
  const app = new Koa()
  const router = new Router()
  router.post('/chat', fallbackMiddleware({ chat: [CUSTOM] }, { logger: { debug: note, info: note, warn: note, error: note } }))
  app.use(router.routes())
  t.equal((await ask(await listen(t, app), '/chat')).text, 'host /chat')
  t.match(said, [[{ code: 'UNDERSTUDY_MOUNTED_ON_ROUTE' }, /went by it/]])
})

t.test('in another framework it says which package is right', async (t) => {
  const ours: unknown = fallbackMiddleware(whereabouts())
  const call = (...args: unknown[]) => (ours as (...args: unknown[]) => Promise<void>)(...args)
  await t.rejects(call({}, { setHeader() {} }, () => undefined), { message: /of @understudy\/koa, and was called by Express; import it from '@understudy\/express'/ })
  await t.rejects(call({ addContentTypeParser() {} }, {}, () => undefined), { message: /called by Fastify/ })
})

t.test('koa-mount takes the path off itself', async (t) => {
  const app = new Koa()
  app.use(mount('/a/chat', fallbackMiddleware(whereabouts())))
  app.use(mount('/outer', mount('/inner', fallbackMiddleware(whereabouts()))))
  const port = await listen(t, app)
  t.strictSame(JSON.parse((await ask(port, '/a/chat')).text), { path: '/', atRoot: false })
  t.strictSame(JSON.parse((await ask(port, '/a/chat/completions')).text), { path: '/completions', atRoot: false })
  t.strictSame(JSON.parse((await ask(port, '/outer/inner/models', { method: 'GET' })).text), { path: '/models', atRoot: false })
  t.equal((await ask(port, '/a/chat/other')).text, 'host /a/chat/other')
})

t.test('a prefix that koa-mount has taken off already is told once', async (t) => {
  const said: unknown[] = []
  const note = (...line: unknown[]) => void said.push(line)
  const fallback = createFallback({ chat: [CUSTOM] }, { logger: { debug: note, info: note, warn: note, error: note } })
  t.teardown(() => fallback.close())
  const app = new Koa()
  app.use(mount('/other', fallbackMiddleware(fallback, { prefix: '/chat' })))
  app.use(mount('/chat', fallbackMiddleware(fallback, { prefix: '/chat' })))
  const port = await listen(t, app)
  t.equal((await ask(port, '/other/x')).text, 'host /other/x')
  t.strictSame(said, [])
  for (let request = 0; request < 2; request += 1) t.equal((await ask(port, '/chat/v1/chat/completions')).text, 'host /chat/v1/chat/completions')
  t.match(said, [[{ code: 'UNDERSTUDY_PREFIX_TWICE' }, /a mount took \/chat off the path already.*leave prefix out under koa-mount/]])
  t.equal(said.length, 1)
})

t.test('an app that koa-mount tried before us leaves us at the root', async (t) => {
  const app = new Koa()
  app.use(mount('/v1', (_ctx, next) => next()))
  app.use(fallbackMiddleware(whereabouts()))
  const port = await listen(t, app)
  t.strictSame(JSON.parse((await ask(port, '/v1/chat/completions')).text), { path: '/v1/chat/completions', atRoot: true })
  t.equal((await ask(port, '/completions')).text, 'host /completions')
})

t.test('@koa/router', async (t) => {
  const silent = (warning: Error) => void t.fail(warning.message)
  process.on('warning', silent)
  t.teardown(() => process.off('warning', silent))
  const app = new Koa()
  const router = new Router()
  router.all('/chat{/*rest}', fallbackMiddleware(whereabouts(), { prefix: '/chat' }))
  app.use(router.routes())
  const port = await listen(t, app)
  for (const path of ['/chat', '/chat/', '/chat/completions', '/chat/v1/chat/completions']) {
    t.match(JSON.parse((await ask(port, path)).text), { atRoot: false }, path)
  }
  t.equal((await ask(port, '/chat/other')).text, 'host /chat/other')
  await new Promise((resolve) => setImmediate(resolve))
})

t.test('shortPaths brings the short paths to the root', async (t) => {
  const app = new Koa()
  app.use(fallbackMiddleware({ chat: [CUSTOM] }, { shortPaths: true }))
  const port = await listen(t, app)
  t.match(JSON.parse((await ask(port, '/models', { method: 'GET' })).text), { data: [{ id: 'chat' }] })
})

t.test('a prefix that is no path is refused at once', async (t) => {
  t.throws(() => fallbackMiddleware({ chat: [CUSTOM] }, { prefix: '/:id' }), { code: 'ERR_UNDERSTUDY_CONFIG' })
})

t.test('the host hears of its own errors, also while a stream of ours is open', async (t) => {
  const app = new Koa()
  const errors: unknown[] = []
  app.on('error', (error) => errors.push(error))
  const own = Object.assign(new Error('the host\'s database'), { code: 'ECONNRESET' })
  app.use(async (_ctx, next) => {
    await next()
    throw own
  })
  const fallback = scriptedFallback()
  const source = byteSource()
  fallback.script = () => eventStream(source)
  app.use(fallbackMiddleware(fallback))
  const port = await listen(t, app)
  t.equal((await ask(port, '/v1/chat/completions')).status, 500)
  t.strictSame(errors, [own])
  await within(1_000, 'the stream that nobody reads is closed', source.closed)
})

t.test('a source that breaks its word is an error of the host', async (t) => {
  const app = new Koa()
  const failure = new Error('a source may not fail')
  const heard = new Promise((resolve) => app.on('error', resolve))
  const fallback = scriptedFallback()
  fallback.script = () => eventStream({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }) })
  app.use(fallbackMiddleware(fallback))
  const port = await listen(t, app)
  begin(port, '/v1/chat/completions').on('error', () => undefined).end('{}')
  t.equal(await within(1_000, 'an error', heard), failure)
})

t.test('a stream that Koa never sends is closed, and the host\'s own answer stands', async (t) => {
  const cases: Record<string, { after: (ctx: Koa.Context) => void, status: number, text: string }> = {
    'another body': { after: (ctx) => void (ctx.body = 'another'), status: 200, text: 'another' },
    'no body': { after: (ctx) => void (ctx.status = 204), status: 204, text: '' },
    'the host answers behind Koa\'s back': {
      after(ctx) {
        ctx.respond = false
        ctx.res.statusCode = 202
        ctx.res.end('behind')
      },
      status: 202,
      text: 'behind',
    },
    'the host had answered': { after: (ctx) => void ctx.res.writeHead(503).end('quicker'), status: 503, text: 'quicker' },
  }
  for (const [name, { after, status, text }] of Object.entries(cases)) {
    const app = new Koa()
    const errors: unknown[] = []
    app.on('error', (error) => errors.push(error))
    let early: (() => void) | undefined
    app.use(async (ctx, next) => {
      early = status === 503 ? () => after(ctx) : undefined
      await next()
      if (early === undefined) after(ctx)
    })
    const source = byteSource()
    const fallback = scriptedFallback()
    fallback.script = () => {
      early?.()
      return eventStream(source)
    }
    app.use(fallbackMiddleware(fallback))
    t.match(await within(1_000, name, ask(await listen(t, app), '/v1/chat/completions')), { status, text }, name)
    await within(1_000, name, source.closed)
    t.equal(source.returns(), 1, name)
    t.strictSame(errors, [], name)
  }
})

t.test('a head that node refuses closes the stream', async (t) => {
  const app = new Koa()
  app.silent = true
  const source = byteSource()
  const fallback = scriptedFallback()
  fallback.script = () => ({ ...eventStream(source), headers: { 'x-odd': 'a\nb' } })
  app.use(fallbackMiddleware(fallback))
  t.equal((await ask(await listen(t, app), '/v1/chat/completions')).status, 500)
  await within(1_000, 'the stream is closed', source.closed)
})

t.test('handed over without being called, it says the right call in an error that its package knows', async (t) => {
  const call: () => void = () => Reflect.apply(fallbackMiddleware, undefined, [{ req: {}, res: {}, throw() {} }, () => undefined])
  t.throws(call, { message: /app\.use\(fallbackMiddleware\(routes, \{ prefix/ })
  try {
    call()
  } catch (error) {
    t.ok(isConfigError(error) && error instanceof ConfigError)
  }
})
