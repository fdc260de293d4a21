import { mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fallbackMiddleware as forExpress } from '@understudy/express'
import { fallbackMiddleware as forFastify } from '@understudy/fastify'
import { createFallback, fileSource, type FallbackOptions, type RoutesInput } from '@understudy/http'
import { fallbackMiddleware as forKoa } from '@understudy/koa'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'

// A host of each framework in a process of their own, which its parent asks to end: it must then go by itself.

const { ending, urls } = JSON.parse(process.env.CASE_HOST ?? '{}')
const legs: string[] = urls.map((_: string, index: number) => `leg-${index}/m`)
const routes: RoutesInput = { chat: { presets: { normal: legs, pinned: legs } } }
const folder = mkdtempSync(join(tmpdir(), 'understudy-case-'))
const watched = join(folder, 'chains.json')
// A pin, so that the clock of one runs as well.
writeFileSync(watched, JSON.stringify({ version: 1, routes: { chat: { active: 'pinned' } }, updated_by: 'case', reason: 'exit' }))
process.once('exit', () => rmSync(folder, { recursive: true }))
const options: FallbackOptions = {
  providers: Object.fromEntries(
    urls.map((baseURL: string, index: number) => [`leg-${index}`, { dialect: 'openai', baseURL }]),
  ),
  proxy: false,
  chains: { source: fileSource(watched), pollMs: 20, lastKnownGood: join(folder, 'kept.json') },
  logger: { debug() {}, info() {}, warn() {}, error() {} },
}
// One that the middleware makes for itself holds no process; one that the host made is the host's to close.
const shared = ending === 'server-close' ? undefined : createFallback(routes, options)
const given = shared ?? routes
const settings = shared === undefined ? options : {}

const app = fastify()
await app.register(forFastify(given, settings))
await app.listen({ port: 0, host: '127.0.0.1' })
const servers = [
  await listening(createServer(express().use(forExpress(given, settings)))),
  await listening(createServer(new Koa().use(forKoa(given, settings)).callback())),
]

process.once('SIGTERM', () => {
  begin()
  void shared?.close()
  void shared?.close()
  closeHosts()
})
process.once('message', () => {
  begin()
  closeHosts()
})
process.send?.([...servers, app.server].map(portOf))

/** Tells how long the process was held; what it costs to take a process apart is the machine's. */
function begin(): void {
  const askedAt = performance.now()
  process.once('exit', () => writeSync(1, `ended after ${Math.round(performance.now() - askedAt)} ms`))
  // The parent's channel would hold the process too.
  process.disconnect()
}

function closeHosts(): void {
  for (const server of servers) server.close()
  void app.close()
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
