import { writeSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createFallback, type FallbackOptions, type RoutesInput } from '@understudy/http'

// A host in a process of its own, which its parent asks to end: it must then go by itself.

const { framework, ending, urls } = JSON.parse(process.env.CASE_HOST ?? '{}')
const legs: readonly string[] = urls.map((_: string, index: number) => `leg-${index}/m`)
const routes: RoutesInput = { chat: legs }
const options: FallbackOptions = {
  providers: Object.fromEntries(
    urls.map((baseURL: string, index: number) => [`leg-${index}`, { dialect: 'openai', baseURL }]),
  ),
  proxy: false,
}
// One that the middleware makes for itself holds no process; one that the host made is the host's to close.
const own = ending === 'server-close' ? undefined : createFallback(routes, options)
const { server, close } = await listen()

process.once('SIGTERM', () => {
  begin()
  void own?.close()
  void own?.close()
  close()
})
process.once('message', () => {
  begin()
  close()
})
const address = server.address()
process.send?.(typeof address === 'object' && address !== null ? address.port : 0)

/** Tells how long the process was held; what it costs to take a process apart is the machine's. */
function begin(): void {
  const askedAt = performance.now()
  process.once('exit', () => writeSync(1, `ended after ${Math.round(performance.now() - askedAt)} ms`))
  // The parent's channel would hold the process too.
  process.disconnect()
}

/** Only the framework at hand is loaded: a start costs seconds. */
async function listen(): Promise<{ readonly server: Server, close(): void }> {
  const given = own ?? routes
  const settings = own === undefined ? options : {}
  if (framework === 'fastify') {
    const { fastify } = await import('fastify')
    const { fallbackMiddleware } = await import('@understudy/fastify')
    const app = fastify()
    await app.register(fallbackMiddleware(given, settings))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { server: app.server, close: () => void app.close() }
  }
  const server = createServer(framework === 'koa' ? await koaListener() : await expressListener())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, close: () => void server.close() }

  async function koaListener() {
    const { default: Koa } = await import('koa')
    const { fallbackMiddleware } = await import('@understudy/koa')
    return new Koa().use(fallbackMiddleware(given, settings)).callback()
  }

  async function expressListener() {
    const { default: express } = await import('express')
    const { fallbackMiddleware } = await import('@understudy/express')
    return express().use(fallbackMiddleware(given, settings))
  }
}
