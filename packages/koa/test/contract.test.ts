import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import compress from 'koa-compress'
import { fallbackMiddleware } from '@understudy/koa'

import { adapterContract } from '../../../test/kit/adapter-contract.js'
import type { Harness, HarnessSetup } from '../../../test/kit/adapter-contract.js'
import { leavingContract } from '../../../test/kit/leaving-contract.js'

type Framework = new () => Koa

const require = createRequire(import.meta.url)

for (const [name, major] of [['koa-v2', 2], ['koa-v3', 3]] as const) {
  const framework: Framework = require(name)
  const { version }: { version: string } = require(`${name}/package.json`)
  adapterContract({ name, version, major, parsers: true, makeHarness: (setup) => makeHarness(framework, setup) })
  leavingContract(name, async (fallback, transport) => {
    const errors: unknown[] = []
    const app = new framework()
    app.on('error', (error) => errors.push(error))
    app.use(fallbackMiddleware(fallback))
    const server = transport === 'http1' ? createServer(app.callback()) : createHttp2Server(app.callback())
    return { ...await listening(server as Server), errors }
  })
}

async function makeHarness(framework: Framework, setup: HarnessSetup): Promise<Harness> {
  const errors: unknown[] = []
  const seen: string[] = []
  const app = new framework()
  app.on('error', (error) => errors.push(error))
  app.use(async (ctx, next) => {
    ctx.state['method'] = ctx.method
    await next()
    seen.push(`${ctx.state['method']} ${ctx.status}`)
  })
  if (setup.compression) app.use(compress())
  app.use(parserOf(setup.parser))
  if (setup.begins) {
    app.use((ctx, next) => {
      ctx.res.write('begun')
      return next()
    })
  }
  app.use(fallbackMiddleware(setup.fallback, { ...setup.options, prefix: setup.mountAt }))
  app.use(async (ctx) => {
    const chunks: Buffer[] = []
    for await (const chunk of ctx.req) chunks.push(chunk)
    ctx.body = { host: `${ctx.method} ${ctx.path}`, body: Buffer.concat(chunks).toString() }
  })

  return { ...await listening(createServer(app.callback())), errors, seen }
}

async function listening(server: Server): Promise<Pick<Harness, 'port' | 'server' | 'close'>> {
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    server,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function parserOf(parser: HarnessSetup['parser']): Koa.Middleware {
  switch (parser) {
    case 'none':
      return (_ctx, next) => next()
    case 'json':
      return bodyParser()
    case 'empty':
      return (ctx, next) => {
        Reflect.set(ctx.request, 'body', {})
        return next()
      }
    case 'consumes':
      return async (ctx, next) => {
        await new Promise((resolve) => ctx.req.resume().once('end', resolve))
        return next()
      }
  }
}
