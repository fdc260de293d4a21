import { createServer, type OutgoingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import compress from '@fastify/compress'
import { fallbackMiddleware as forExpress } from '@understudy/express'
import { fallbackMiddleware as forFastify } from '@understudy/fastify'
import type { Fallback } from '@understudy/http'
import { fallbackMiddleware as forKoa } from '@understudy/koa'
import compression from 'compression'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import koaCompress from 'koa-compress'

/** A framework, and what a host put in front of us. */
export type SetUp =
  | 'express' | 'express+json' | 'express+compression' | 'express+compression+streams'
  | 'koa' | 'koa+bodyparser' | 'koa+compress'
  | 'fastify' | 'fastify+compress'

export const plainSetUps: readonly SetUp[] = ['express', 'koa', 'fastify']

/** The framework of a set-up. */
export function frameworkOf(setUp: SetUp): string {
  return setUp.split('+')[0] ?? setUp
}

/** A server with the middleware mounted. */
export interface Host {
  readonly port: number
  /** What the framework had to complain about: errors that reached it, warnings that it logged. */
  readonly complaints: readonly string[]
  /** Connections that clients hold open. */
  readonly sockets: ReadonlySet<Socket>
  close(): Promise<void>
}

export interface HostOptions {
  /** Default the root. */
  readonly mountPath?: string | undefined
  readonly maxBodyBytes?: number | undefined
}

/** Starts a host on a free port of loopback. */
export async function startHost(setUp: SetUp, fallback: Fallback, options: HostOptions = {}): Promise<Host> {
  const complaints: string[] = []
  const sockets = new Set<Socket>()
  const { server, listen, close } = await serverOf(setUp, fallback, options, complaints)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await listen()
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the host has no port')
  return { port: address.port, complaints, sockets, close }
}

interface Started {
  readonly server: Server
  listen(): Promise<unknown>
  close(): Promise<void>
}

async function serverOf(
  setUp: SetUp,
  fallback: Fallback,
  { mountPath, maxBodyBytes }: HostOptions,
  complaints: string[],
): Promise<Started> {
  const mount = maxBodyBytes === undefined ? {} : { maxBodyBytes }
  switch (setUp) {
    case 'express':
    case 'express+json':
    case 'express+compression':
    case 'express+compression+streams': {
      const app = express()
      // Express prints the errors of its hosts unless told that this is a test.
      app.set('env', 'test')
      if (setUp === 'express+json') app.use(express.json())
      if (setUp.startsWith('express+compression')) app.use(compression())
      if (setUp === 'express+compression+streams') app.use(allowTransforms)
      app.use(mountPath ?? '/', forExpress(fallback, mount))
      const onError: ErrorRequestHandler = (error, _request, _response, next) => {
        if (!isClientError(error)) complaints.push(`express: ${String(error)}`)
        next(error)
      }
      app.use(onError)
      return listening(app)
    }
    case 'koa':
    case 'koa+bodyparser':
    case 'koa+compress': {
      const app = new Koa()
      app.on('error', (error: unknown) => {
        if (!isClientError(error)) complaints.push(`koa: ${String(error)}`)
      })
      if (setUp === 'koa+bodyparser') app.use(bodyParser())
      if (setUp === 'koa+compress') app.use(koaCompress())
      app.use(forKoa(fallback, mountPath === undefined ? mount : { ...mount, prefix: mountPath }))
      return listening(app.callback())
    }
    case 'fastify':
    case 'fastify+compress': {
      const stream = { write: (line: string) => void complaints.push(`fastify: ${line.trim()}`) }
      const app = fastify({ logger: { level: 'warn', stream }, forceCloseConnections: true })
      if (setUp === 'fastify+compress') await app.register(compress)
      await app.register(forFastify(fallback, mount), mountPath === undefined ? {} : { prefix: mountPath })
      return {
        server: app.server,
        listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
        close: () => app.close(),
      }
    }
  }
}

/** What a host does that wants its streams compressed: our own `no-transform` would keep the compression out. */
const allowTransforms: RequestHandler = (_request, response, next) => {
  const writeHead = response.writeHead.bind(response)
  Object.assign(response, {
    writeHead: (status: number, headers: OutgoingHttpHeaders) => writeHead(status, { ...headers, 'cache-control': 'no-cache' }),
  })
  next()
}

function listening(listener: RequestListener): Started {
  const server = createServer(listener)
  return {
    server,
    listen: () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
    close: () => new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    }),
  }
}

function isClientError(error: unknown): boolean {
  const status = typeof error === 'object' && error !== null ? Reflect.get(error, 'status') : undefined
  return typeof status === 'number' && status >= 400 && status < 500
}
