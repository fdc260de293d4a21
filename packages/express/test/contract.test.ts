import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import compression from 'compression'
import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import morgan from 'morgan'
import { fallbackMiddleware } from '@understudy/express'

import { adapterContract } from '../../../test/kit/adapter-contract.js'
import type { Harness, HarnessSetup } from '../../../test/kit/adapter-contract.js'
import { leavingContract } from '../../../test/kit/leaving-contract.js'

type Framework = { (): Express; json(): RequestHandler }

const require = createRequire(import.meta.url)

for (const [name, major] of [['express-v4', 4], ['express-v5', 5]] as const) {
  const framework: Framework = require(name)
  const { version }: { version: string } = require(`${name}/package.json`)
  adapterContract({ name, version, major, parsers: true, makeHarness: (setup) => makeHarness(framework, setup) })
  leavingContract(name, async (fallback, transport) => {
    const errors: unknown[] = []
    const ours = fallbackMiddleware(fallback)
    // Express itself does not stand on HTTP/2; a bare server of it does.
    const bare = (req: IncomingMessage, res: ServerResponse) => ours(req, res, (error) => void errors.push(error))
    const app = framework().use(ours).use(((error, _req, _res, next) => {
      errors.push(error)
      next(error)
    }) satisfies ErrorRequestHandler)
    const server = transport === 'http1' ? createServer(app) : createHttp2Server(bare as unknown as Parameters<typeof createHttp2Server>[1])
    return { ...await listening(server as Server), errors }
  })
}

async function makeHarness(framework: Framework, setup: HarnessSetup): Promise<Harness> {
  const errors: unknown[] = []
  const seen: string[] = []
  const app = framework()
  app.use(morgan(':method :status', { stream: { write: (line) => seen.push(line.trim()) } }))
  if (setup.compression) app.use(compression())
  app.use(parserOf(framework, setup.parser))
  if (setup.begins) {
    app.use((_req, res, next) => {
      res.write('begun')
      next()
    })
  }
  const ours = fallbackMiddleware(setup.fallback, setup.options)
  if (setup.mountAt === '') app.use(ours)
  else app.use(setup.mountAt, ours)
  app.use((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk) => chunks.push(chunk))
    req.on('end', () => res.json({ host: `${req.method} ${req.originalUrl}`, body: Buffer.concat(chunks).toString() }))
  })
  const onError: ErrorRequestHandler = (error, _req, res, next) => {
    errors.push(error)
    if (res.headersSent) next(error)
    else res.status(500).end()
  }
  app.use(onError)

  return { ...await listening(createServer(app)), errors, seen }
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

function parserOf(framework: Framework, parser: HarnessSetup['parser']): RequestHandler {
  switch (parser) {
    case 'none':
      return (_req, _res, next) => next()
    case 'json':
      return framework.json()
    case 'empty':
      return (req, _res, next) => {
        req.body = {}
        next()
      }
    case 'consumes':
      return (req, _res, next) => void req.resume().once('end', () => next())
  }
}
