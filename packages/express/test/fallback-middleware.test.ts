import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { ErrorRequestHandler } from 'express'
import t from 'tap'
import { ConfigError, createFallback, fallbackMiddleware, isConfigError } from '@understudy/express'
import type { HostRequest } from '@understudy/express'

import { ask } from '../../../test/kit/http-client.js'
import { eventStream, json, scriptedFallback } from '../../../test/kit/scripted-fallback.js'
import type { ScriptedFallback } from '../../../test/kit/scripted-fallback.js'
import { within } from '../../../test/kit/within.js'

type Test = Pick<typeof t, 'teardown'>

const CUSTOM = { name: 'fixed', open: async function* () { yield 'an answer' } }

/** Answers with where we think we are. */
function whereabouts(): ScriptedFallback {
  const fallback = scriptedFallback()
  fallback.script = ({ path, query, atRoot }) => json(200, { path, query, atRoot })
  return fallback
}

async function listen(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

t.test('a bare server takes it as it is: what is not ours is a 404, and what fails inside us a 500', async (t) => {
  const fallback = whereabouts()
  const port = await listen(t, fallbackMiddleware(fallback))
  t.strictSame(JSON.parse((await ask(port, '/v1/chat/completions')).text), { path: '/v1/chat/completions', query: '', atRoot: true })
  t.match(await ask(port, '/elsewhere'), { status: 404, text: '' })
  fallback.script = () => Promise.reject(new Error('not expected'))
  t.match(await ask(port, '/v1/chat/completions'), { status: 500, text: '' })
})

t.test('a router in a router', async (t) => {
  const app = express()
  const inner = express.Router()
  inner.use('/llm', fallbackMiddleware(whereabouts()))
  app.use('/api', inner)
  app.use((req, res) => void res.send(`host ${req.originalUrl}`))
  const port = await listen(t, app)
  for (const path of ['/api/llm', '/api/llm/', '/api/llm?a=b']) {
    t.match(JSON.parse((await ask(port, path)).text), { path: '/', atRoot: false, query: path.split('?')[1] ?? '' })
  }
  t.match(JSON.parse((await ask(port, '/api/llm/completions')).text), { path: '/completions' })
  t.equal((await ask(port, '/api/llm/x?y')).text, 'host /api/llm/x?y')
})

t.test('a route instead of a mount, and a url that the host rewrote', async (t) => {
  const app = express()
  app.use((req, _res, next) => {
    if (req.url === '/legacy') req.url = '/v1/chat/completions'
    next()
  })
  app.post('/v1/chat/completions', fallbackMiddleware(whereabouts()))
  const port = await listen(t, app)
  for (const path of ['/legacy', '/v1/chat/completions']) {
    t.strictSame(JSON.parse((await ask(port, path)).text), { path: '/v1/chat/completions', query: '', atRoot: true })
  }
})

t.test('a route whose path is none of ours is told once, with the right call', async (t) => {
  const warnings: Error[] = []
  const hear = (warning: Error) => void warnings.push(warning)
  process.on('warning', hear)
  t.teardown(() => process.off('warning', hear))
  const app = express()
  app.get('/host', (_req, _res, next) => next())
  app.post('/chat', fallbackMiddleware(whereabouts()))
  app.use(fallbackMiddleware(whereabouts()))
  app.use((_req, res) => void res.send('host'))
  const port = await listen(t, app)
  t.equal((await ask(port, '/host', { method: 'GET' })).text, 'host')
  t.strictSame(warnings, [], 'a route of the host in front of a mount is none of ours')
  for (const path of ['/chat', '/chat']) t.equal((await ask(port, path)).text, 'host')
  await new Promise((resolve) => setImmediate(resolve))
  t.match(warnings, [{ code: 'UNDERSTUDY_MOUNTED_ON_ROUTE', message: /request for "\/chat" went by it: mount it with app\.use/ }])
  t.equal(warnings.length, 1)
})

t.test('what is to be said of a mount goes to the logger, if there is one', async (t) => {
  const said: unknown[] = []
  const note = (...line: unknown[]) => void said.push(line)
  const silent = () => t.fail('Node is not told')
  process.once('warning', silent)
  t.teardown(() => process.off('warning', silent))
  const logger = { debug: note, info: note, warn: note, error: note }
  const shared = createFallback({ chat: [CUSTOM] }, { logger })
  t.teardown(() => shared.close())
  for (const ours of [fallbackMiddleware({ chat: [CUSTOM] }, { logger }), fallbackMiddleware(shared)]) {
    const app = express()
    app.post('/chat', ours)
    app.use((_req, res) => void res.send('host'))
    t.equal((await ask(await listen(t, app), '/chat')).text, 'host')
  }
  await new Promise((resolve) => setImmediate(resolve))
  t.match(said, [1, 2].map(() => [{ code: 'UNDERSTUDY_MOUNTED_ON_ROUTE' }, /went by it/]))
})

t.test('in another framework it says which package is right', async (t) => {
  const ours: unknown = fallbackMiddleware(whereabouts())
  const call = (...args: unknown[]) => (ours as (...args: unknown[]) => void)(...args)
  t.throws(() => call({ req: {}, res: {} }, () => undefined), /of @understudy\/express, and was called by Koa; import it from '@understudy\/koa'/)
  t.throws(() => call({ addContentTypeParser() {} }, {}, () => undefined), /called by Fastify; import it from '@understudy\/fastify'/)
  t.throws(() => call(), /called by something else; mount it as its README says/)
})

t.test('bare node:http, and a host that takes the mount path off url as Connect does', async (t) => {
  const ours = fallbackMiddleware(whereabouts())
  const port = await listen(t, (req: HostRequest, res) => {
    if (req.url?.startsWith('/chat') === true) {
      Reflect.set(req, 'originalUrl', req.url)
      req.url = req.url.slice('/chat'.length) || '/'
    }
    ours(req, res, () => res.end('host'))
  })
  t.match(JSON.parse((await ask(port, '/v1/chat/completions')).text), { atRoot: true })
  t.equal((await ask(port, '/completions')).text, 'host')
  t.match(JSON.parse((await ask(port, '/chat/completions')).text), { path: '/completions', atRoot: false })
  t.match(JSON.parse((await ask(port, '/chat')).text), { path: '/', atRoot: false })
})

t.test('shortPaths brings the short paths to the root, for a Fallback that is shared too', async (t) => {
  const shared = createFallback({ chat: [CUSTOM] })
  t.teardown(() => shared.close())
  for (const routes of [{ chat: [CUSTOM] }, shared]) {
    const app = express().use(fallbackMiddleware(routes, { shortPaths: true }))
    const port = await listen(t, app)
    t.match(JSON.parse((await ask(port, '/models', { method: 'GET' })).text), { data: [{ id: 'chat' }] })
  }
})

t.test('a prefix among the options is refused with the right call', async (t) => {
  const options = { shortPaths: true, prefix: '/chat' }
  t.throws(() => fallbackMiddleware({ chat: [CUSTOM] }, options), { code: 'ERR_UNDERSTUDY_CONFIG', message: /app\.use\('\/\w+'/ })
})

t.test('a source that breaks its word is an error of the host, whose handler sees that the head is out', async (t) => {
  const app = express()
  const failure = new Error('a source may not fail')
  const fallback = scriptedFallback()
  fallback.script = () => eventStream((async function* () {
    yield Buffer.from('data: 1\n\n')
    throw failure
  })())
  app.use(fallbackMiddleware(fallback))
  const heard = new Promise((resolve) => {
    const onError: ErrorRequestHandler = (error, _req, res, next) => {
      resolve([error, res.headersSent])
      next(error)
    }
    app.set('env', 'test').use(onError)
  })
  const answer = ask(await listen(t, app), '/v1/chat/completions')
  t.strictSame(await within(1_000, 'an error', heard), [failure, true])
  await t.rejects(within(1_000, 'the end', answer), { code: 'ECONNRESET' })
})

t.test('a request that the host has begun to answer is asked of nobody, told of once, and closed by its error handler', async (t) => {
  const warnings: string[] = []
  const hear = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', hear)
  t.teardown(() => process.off('warning', hear))
  const fallback = scriptedFallback()
  let asked = 0
  fallback.script = () => {
    asked += 1
    return json(200, {})
  }
  const app = express().set('env', 'test')
  app.use('/begun', (_req, res, next) => {
    res.write('x')
    next()
  }, fallbackMiddleware(fallback))
  app.use('/over', (_req, res, next) => {
    res.end('whole')
    next()
  }, fallbackMiddleware(fallback))
  const port = await listen(t, app)
  for (let count = 0; count < 2; count += 1) {
    await within(5_000, 'the end of the answer', t.rejects(ask(port, '/begun/v1/chat/completions')))
  }
  t.equal((await ask(port, '/over/v1/chat/completions')).text, 'whole')
  t.equal(asked, 1, 'whoever is gone is asked for by its fallback')
  t.strictSame(warnings, ['the host began the response and then let the request through to Understudy, so no leg was asked and it could not be answered'])
})

t.test('handed over without being called, it says the right call in an error that its package knows', async (t) => {
  const call: () => void = () => Reflect.apply(fallbackMiddleware, undefined, [{ method: 'GET' }, { setHeader() {} }])
  t.throws(call, { message: /app\.use\('\/chat', fallbackMiddleware\(routes\)\)/ })
  try {
    call()
  } catch (error) {
    t.ok(isConfigError(error) && error instanceof ConfigError)
  }
})
