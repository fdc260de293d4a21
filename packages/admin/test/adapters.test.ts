import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createFallback } from '@understudy/http'
import type { Fallback } from '@understudy/http'
import type express from 'express'
import Fastify from 'fastify'
import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import koaMount from 'koa-mount'
import t from 'tap'

import { adminMiddleware as onExpress } from '../src/express.js'
import { adminMiddleware as onFastify } from '../src/fastify.js'
import type { AdminRequest } from '../src/index.js'
import { adminMiddleware as onKoa } from '../src/koa.js'
import { post, ROUTES } from './mounted.js'

interface Served {
  readonly origin: string
  readonly close: () => Promise<unknown>
}

/** The surface at `/understudy` of a host that answers everything else, with a session of its own. */
type Serve = (fallback: Fallback, hear: (host: unknown) => void) => Promise<Served>

async function listening(handler: Parameters<typeof createServer>[1]): Promise<Served> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise((resolve) => {
    server.closeAllConnections()
    server.close(resolve)
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

function authorize(hear: (host: unknown) => void) {
  return (request: AdminRequest, host: unknown) => {
    hear(host)
    return request.headers['x-token'] === 'right' ? { actor: 'ann' } : undefined
  }
}

/** A major version of a framework, by the name that this workspace has for it. */
async function version<Framework>(name: string): Promise<Framework> {
  const { default: framework } = await import(name) as { default: Framework }
  return framework
}

function serveExpress(name: string, parses: boolean): Serve {
  return async (fallback, hear) => {
    const framework = await version<typeof express>(name)
    const app = framework()
    if (parses) app.use(framework.json())
    app.use('/understudy', onExpress(fallback, { authorize: authorize(hear) }))
    app.use((_req, res) => void res.status(418).json({ host: true }))
    return listening(app)
  }
}

function serveKoa(name: string, way: 'prefix' | 'mount'): Serve {
  return async (fallback, hear) => {
    const Framework = await version<typeof Koa>(name)
    const app = new Framework()
    app.use(bodyParser() as Koa.Middleware)
    const admin = onKoa(fallback, { authorize: authorize(hear), ...(way === 'prefix' && { prefix: '/understudy' }) })
    app.use(way === 'prefix' ? admin : koaMount('/understudy', admin as never) as unknown as Koa.Middleware)
    app.use((ctx) => {
      ctx.status = 418
      ctx.body = { host: true }
    })
    app.on('error', (error: Error) => t.fail(error.message))
    return listening(app.callback())
  }
}

const serveFastify: Serve = async (fallback, hear) => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(onFastify(fallback, { authorize: authorize(hear) }), { prefix: '/understudy' })
  app.setNotFoundHandler((_request, reply) => void reply.code(418).send({ host: true }))
  return { origin: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
}

const QUIET = { logger: { debug() {}, info() {}, warn() {}, error() {} } }

const HOSTS: readonly [string, Serve][] = [
  ['express 4', serveExpress('express-v4', true)],
  ['express 5', serveExpress('express-v5', true)],
  ['express 5 without a parser', serveExpress('express-v5', false)],
  ['koa 2', serveKoa('koa-v2', 'prefix')],
  ['koa 3', serveKoa('koa-v3', 'prefix')],
  ['koa 3 under koa-mount', serveKoa('koa-v3', 'mount')],
  ['fastify', serveFastify],
]

for (const [name, serve] of HOSTS) {
  t.test(`the surface is the same on ${name}`, async (t) => {
    const fallback = createFallback(ROUTES, QUIET)
    const heard: unknown[] = []
    const { origin, close } = await serve(fallback, (host) => heard.push(host))
    t.teardown(async () => {
      await fallback.close()
      await close()
    })
    const headers = { 'x-token': 'right' }
    const url = `${origin}/understudy`

    t.match(await (await fetch(`${url}/status`)).json(), { error: { code: 'forbidden' } })
    const bare = await fetch(url, { headers, redirect: 'manual' })
    t.strictSame([bare.status, bare.headers.get('location')], [302, './understudy/'])
    const page = await fetch(`${url}/`, { headers })
    t.match(page.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self'/)
    t.match(await page.text(), /<script type="module" src="page.js">/)
    for (const file of ['page.js', 'page.css', 'icon.svg']) {
      const head = await fetch(`${url}/${file}`, { method: 'HEAD', headers })
      t.strictSame([head.status, head.headers.get('x-content-type-options')], [200, 'nosniff'])
    }
    t.match(await (await fetch(`${url}/status?x=1`, { headers })).json(), { routes: [{ name: 'chat' }] })
    const change = await post(`${url}/pin`, { route: 'chat', preset: 'local_only', reason: 'why' }, headers)
    t.match(change, { status: 501, body: { error: { code: 'no_writable_source' } } }, 'the body was read')
    const drill = { route: 'chat', fault: 'fail', signed: true, for_ms: 60_000, max_requests: 3, reason: 'game day' }
    t.match(await post(`${url}/drills`, drill, headers), { status: 201, body: { id: String, header: String, secret: String } })
    t.match(await post(`${url}/drills`, { ...drill, fault: 'cut' }, headers), { status: 400 }, 'a custom leg has no bytes')
    t.match(await (await fetch(`${url}/drills`, { headers })).json(), { drills: [{ by: 'ann', max_requests: 3 }] })
    t.match(await post(`${url}/drills/end`, { id: 'other', reason: 'why' }, headers), { status: 404, body: { error: { code: 'unknown_drill' } } })
    t.match(await post(`${url}/pin`, {}, { ...headers, 'content-type': 'text/plain' }), { status: 415 })
    t.equal((await fetch(`${url}/pin`, { headers })).status, 405)
    t.equal((await fetch(`${url}/elsewhere`, { headers })).status, 418, 'the rest is the host\'s')
    t.equal((await fetch(`${origin}/`, { headers })).status, 418)

    const leaving = new AbortController()
    const events = await fetch(`${url}/events`, { headers, signal: leaving.signal })
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
    t.match((await reader.read()).value, /^event: status/)
    leaving.abort()
    await reader.read().catch(() => undefined)

    const staying = await fetch(`${url}/events`, { headers })
    await fallback.close()
    t.match(await staying.text(), /^event: status/, 'a stream ends with the Fallback')
    t.ok(heard.every((host) => typeof host === 'object' && host !== null && 'headers' in host), 'authorize sees the request of its framework')
  })
}

t.test('a bare server takes the surface as it is: what is not of it is a 404', async (t) => {
  const fallback = createFallback(ROUTES, QUIET)
  const { origin, close } = await listening(onExpress(fallback, { authorize: () => ({ actor: 'ann' }) }))
  t.teardown(async () => {
    await fallback.close()
    await close()
  })
  t.equal((await fetch(`${origin}/status`)).status, 200)
  t.equal((await fetch(`${origin}/elsewhere`)).status, 404)
})

t.test('a request that the host has begun to answer is asked nothing, and the host hears of it', async (t) => {
  const fallback = createFallback(ROUTES, QUIET)
  const asked: unknown[] = []
  const authorize = () => {
    asked.push(1)
    return { actor: 'ann' }
  }
  const errors: Error[] = []
  const framework = await version<typeof express>('express-v5')
  const app = framework()
  app.use((_req, res, next) => {
    res.write('begun')
    next()
  })
  app.use('/understudy', onExpress(fallback, { authorize }))
  const onError: express.ErrorRequestHandler = (error, _req, res, next) => {
    errors.push(error as Error)
    if (res.destroyed) next(error)
    else res.destroy()
  }
  app.use(onError)
  const Koas = await version<typeof Koa>('koa-v3')
  const koa = new Koas()
  koa.silent = true
  koa.use(async (ctx, next) => {
    ctx.res.write('begun')
    await next().catch((error: unknown) => {
      errors.push(error as Error)
      ctx.res.destroy()
    })
  })
  koa.use(onKoa(fallback, { authorize, prefix: '/understudy' }))
  for (const listener of [app, koa.callback()]) {
    const { origin, close } = await listening(listener)
    await t.rejects(fetch(`${origin}/understudy/status`).then((response) => response.text()))
    await close()
  }
  const fastify = Fastify()
  fastify.addHook('onRequest', async (_request, reply) => {
    await reply.send('by the host')
  })
  await fastify.register(onFastify(fallback, { authorize }), { prefix: '/understudy' })
  t.equal((await fastify.inject('/understudy/status')).body, 'by the host')
  await fastify.close()
  await fallback.close()
  t.match(errors, [{ message: /the host began the response/ }, { message: /the host began the response/ }])
  t.strictSame(asked, [])
})

t.test('on a route of Express, which takes nothing off a path, the surface serves nothing and says the right call once', async (t) => {
  for (const name of ['express-v4', 'express-v5']) {
    const said: unknown[] = []
    const note = (...line: unknown[]) => void said.push(line)
    const fallback = createFallback(ROUTES, { logger: { debug: note, info: note, warn: note, error: note } })
    const app = (await version<typeof express>(name))()
    app.get('/host', (_req, _res, next) => next())
    app.get('/admin', onExpress(fallback))
    app.use('/understudy', onExpress(fallback))
    app.use((_req, res) => void res.status(418).json({ host: true }))
    const { origin, close } = await listening(app)
    t.teardown(async () => {
      await fallback.close()
      await close()
    })
    for (const path of ['/host', '/understudy/elsewhere']) t.equal((await fetch(`${origin}${path}`)).status, 418)
    t.strictSame(said, [], 'a route of the host in front of a mount is none of ours')
    for (const path of ['/admin', '/admin']) t.equal((await fetch(`${origin}${path}`)).status, 418)
    t.match(said, [[{ code: 'UNDERSTUDY_MOUNTED_ON_ROUTE' }, /"\/admin" went by it: mount the admin surface with app\.use\('\/understudy', adminMiddleware/]])
    t.equal(said.length, 1)
  }
})
