import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import Fastify from 'fastify'
import type Koa from 'koa'
import t from 'tap'
import { createFallback, fallbackMiddleware as forExpress } from '@understudy/express'
import { fallbackMiddleware as forFastify } from '@understudy/fastify'
import type { Fallback } from '@understudy/http'
import { fallbackMiddleware as forKoa } from '@understudy/koa'

import { ask, openSocket, rawPost, readToEnd, readUntil } from '../kit/http-client.js'
import { within } from '../kit/within.js'

type Test = Pick<typeof t, 'teardown'>
/** Mounts each `Fallback` at its path, in this order; what is not ours is answered with `host`. */
type Mount = (t: Test, mounts: Readonly<Record<string, Fallback>>) => Promise<number>

const require = createRequire(import.meta.url)
const BODY = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'x' }] })

const HOSTS: Readonly<Record<string, Mount>> = {
  'express-v4': (t, mounts) => onExpress(t, mounts, 'express-v4'),
  'express-v5': (t, mounts) => onExpress(t, mounts, 'express-v5'),
  'koa-v2': (t, mounts) => onKoa(t, mounts, 'koa-v2'),
  'koa-v3': (t, mounts) => onKoa(t, mounts, 'koa-v3'),
  fastify: onFastify,
}

function onExpress(t: Test, mounts: Readonly<Record<string, Fallback>>, major: string): Promise<number> {
  const framework: () => Express = require(major)
  const app = framework().set('trust proxy', true)
  for (const [path, fallback] of Object.entries(mounts)) app.use(path, forExpress(fallback))
  return listening(t, createServer(app.use((_req, res) => void res.send('host'))))
}

function onKoa(t: Test, mounts: Readonly<Record<string, Fallback>>, major: string): Promise<number> {
  const framework: new (options: { proxy: boolean }) => Koa = require(major)
  const app = new framework({ proxy: true })
  for (const [prefix, fallback] of Object.entries(mounts)) app.use(forKoa(fallback, { prefix }))
  app.use((ctx) => {
    ctx.body = 'host'
  })
  return listening(t, createServer(app.callback()))
}

async function onFastify(t: Test, mounts: Readonly<Record<string, Fallback>>): Promise<number> {
  const app = Fastify({ trustProxy: true })
  for (const [prefix, fallback] of Object.entries(mounts)) await app.register(forFastify(fallback), { prefix })
  app.setNotFoundHandler((_request, reply) => reply.code(200).send('host'))
  t.teardown(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

async function listening(t: Test, server: Server): Promise<number> {
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A `Fallback` that says its name. */
function says(t: Test, name: string): Fallback {
  const fallback = createFallback({ chat: [{ name, open: async function* () { yield name } }] })
  t.teardown(() => fallback.close())
  return fallback
}

/** Who answered. */
function whoIn(text: string): string {
  return /"content":"(\w+)"/.exec(text)?.[1] ?? text
}

t.test('one Fallback stands in every framework of a process', async (t) => {
  let asked = 0
  const fails = { name: 'fails', open: () => {
    asked += 1
    throw new Error('down')
  } }
  const works = { name: 'works', open: async function* () { yield 'works' } }
  const fallback = createFallback({ chat: [fails, works] }, { breaker: { failureThreshold: 3 } })
  t.teardown(() => fallback.close())
  for (const mount of Object.values(HOSTS)) {
    const port = await mount(t, { '/chat': fallback })
    t.equal(whoIn((await ask(port, '/chat', { body: BODY })).text), 'works')
  }
  t.equal(asked, 3, 'what one framework saw of a leg the others know')
  t.match(fallback.snapshot(), { openRuns: 0, breakers: [{ provider: 'fails', state: 'open' }, { provider: 'works', state: 'closed' }] })
})

for (const [name, mount] of Object.entries(HOSTS)) {
  t.test(`${name}: two in one app, beside and below each other`, async (t) => {
    const port = await mount(t, { '/chat': says(t, 'first'), '/other': says(t, 'second'), '/chat/deep': says(t, 'third') })
    for (const [path, who] of Object.entries({
      '/chat': 'first', '/chat/v1/chat/completions': 'first', '/other/completions': 'second',
      '/chat/deep': 'third', '/chat/deep/v1/chat/completions': 'third', '/chat/deep/other': 'host', '/third': 'host',
    })) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-host': 'elsewhere', 'x-forwarded-proto': 'https' }
      t.equal(whoIn((await ask(port, path, { body: BODY, headers })).text), who, path)
    }
  })

  t.test(`${name}: every form of a request target`, async (t) => {
    const port = await mount(t, { '/chat': says(t, 'ours') })
    const cases: [target: string, who: RegExp][] = [
      ['http://x/chat/v1/chat/completions', /ours/],
      ['HTTP://x:80/chat?', /ours/],
      ['http://x/chat/?a=http://y/z', /ours/],
      ['/chat?', /ours/],
      ['/chat??%', /ours/],
      ['//x/chat', /host/],
      ['//chat', /host/],
      ['*', /host/],
      ['http://x', /host/],
      ['http://x?y', /host/],
      ['/chat/..', /host/],
      ['/chat/%2e', /host/],
    ]
    for (const [target, who] of cases) {
      const socket = await openSocket(port)
      const all = readToEnd(socket)
      socket.write(rawPost(target, BODY, { headers: 'connection: close\r\n' }))
      const text = await within(2_000, target, all)
      t.match(text, /^HTTP\/1.1 200 /, target)
      t.match(text, who, target)
    }
    // What a framework itself cannot read is its own to refuse; that it goes on is enough.
    for (const target of ['foo://x', 'http://[/chat', 'http://x:99999/chat', '/%', '/chat/%ff']) {
      const socket = await openSocket(port)
      const all = readToEnd(socket)
      socket.write(rawPost(target, BODY, { headers: 'connection: close\r\n' }))
      t.match(await within(2_000, target, all), /^HTTP\/1.1 [24]/, target)
    }
  })

  t.test(`${name}: HEAD and OPTIONS`, async (t) => {
    const port = await mount(t, { '/chat': says(t, 'ours') })
    t.match(await ask(port, '/chat/models', { method: 'HEAD' }), { status: 200, text: '', headers: { 'content-length': /^\d+$/ } })
    t.equal((await ask(port, '/chat', { method: 'OPTIONS', headers: {} })).text, 'host')
    const socket = await openSocket(port)
    const answered = readUntil(socket, (text) => text.endsWith('host'))
    socket.write('OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n')
    await within(2_000, 'an answer', answered)
    socket.destroy()
  })

  t.test(`${name}: a body that comes slowly, and one that stops`, async (t) => {
    const fallback = says(t, 'ours')
    const port = await mount(t, { '/chat': fallback })
    const head = `POST /chat HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n`
    const slow = await openSocket(port)
    const answered = readUntil(slow, (text) => text.includes('ours'))
    slow.write(head)
    for (const letter of BODY) {
      slow.write(letter)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await within(2_000, 'an answer', answered)
    slow.destroy()

    const stopped = await openSocket(port)
    const silent = readToEnd(stopped)
    stopped.write(head + BODY.slice(0, -1))
    stopped.end()
    t.notMatch(await within(2_000, 'the close', silent), /ours/)
    t.equal(fallback.snapshot().openRuns, 0)
  })
}
