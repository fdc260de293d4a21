import { isLegFailedError } from '@understudy/core'
import { createServer } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import t from 'tap'
import type { Dispatcher } from 'undici'
import { Agent } from 'undici'
import { collectGarbage } from '../../../../test/kit/collect-garbage.js'
import { createProviderAgents } from '../../src/outbound/agents.js'
import { until } from '../../../../test/kit/until.js'
import { contextOf, legOn, listen, rejection, requestOf, serve } from './kit.js'

const answerHi = 'data: hi\n\n'

/** A request for a stream whose prompt has so many characters. */
const prompt = (length: number) => requestOf({ model: 'chat', stream: true, messages: [{ role: 'user', content: 'x'.repeat(length) }] })

t.test('a body of any length is one of a known length on the wire', async (t) => {
  const server = await serve(t, (response) => void response.setHeader('content-type', 'text/event-stream').end(answerHi))
  const leg = legOn(t, server.url)
  for (const length of [0, 4000, 4096, 300_000]) {
    const request = prompt(length)
    await leg.open(request, contextOf())
    const call = server.calls.at(-1)
    t.match(JSON.parse(String(call?.body)), { model: 'm-1', messages: [{ content: 'x'.repeat(length) }] })
    t.match(call?.request.headers, { 'content-length': String(call?.body.length), 'transfer-encoding': undefined })
    t.equal(call?.request.rawHeaders.filter((name) => name.toLowerCase() === 'content-length').length, 1)
  }
})

t.test('a long prompt is held no longer than it takes to send it', async (t) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => void response.setHeader('content-type', 'text/event-stream').write(answerHi))
  })
  const { port } = await listen(t, server)
  const leg = legOn(t, `http://127.0.0.1:${port}`)
  await leg.open(prompt(10), contextOf())
  const before = process.memoryUsage().external
  const answers = await Promise.all(Array.from({ length: 8 }, () => leg.open(prompt(2_000_000), contextOf())))
  // What is collected is given back a moment later.
  await until('eight prompts of two megabytes are gone', () => {
    collectGarbage()
    return process.memoryUsage().external - before < 4_000_000
  })
  t.equal(answers.length, 8)
})

t.test('a short prompt of a stream is in memory that it shares with nothing', async (t) => {
  const bodies: unknown[] = []
  class Watched extends Agent {
    override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      bodies.push(options.body)
      return super.dispatch(options, handler)
    }
  }
  const dispatcher = new Watched()
  const server = await serve(t, (response) => void response.setHeader('content-type', 'text/event-stream').end(answerHi))
  await legOn(t, server.url, { agents: { ...createProviderAgents(), dispatcherOf: () => dispatcher, close: () => dispatcher.close() } })
    .open(prompt(100), contextOf())
  const [body] = bodies
  t.ok(Buffer.isBuffer(body) && body.buffer.byteLength === body.length)
})

t.test('an attempt that is given up in the middle of a long body leaves no connection', async (t) => {
  const server = createNetServer((socket) => socket.pause())
  const { port, sockets } = await listen(t, server)
  const context = contextOf()
  const opening = legOn(t, `http://127.0.0.1:${port}`).open(prompt(16_000_000), context)
  await until('it is connected', () => sockets.size === 1 && context.connects() === 1)
  context.abort(new Error('enough'))
  t.match(await rejection(opening), { message: 'enough' })
  for (const socket of sockets) socket.resume()
  await until('it is closed', () => sockets.size === 0)
})

t.test('a connection that breaks in the middle of a long body is a failed leg', async (t) => {
  const server = createNetServer((socket) => socket.once('data', () => socket.destroy()))
  const { port } = await listen(t, server)
  const thrown = await rejection(legOn(t, `http://127.0.0.1:${port}`).open(prompt(16_000_000), contextOf()))
  t.match(isLegFailedError(thrown) && thrown.failure, { kind: 'connection_error', processed: 'maybe' })
})

t.test('a provider that answers before it has read a long body is heard, and asked again on another connection', async (t) => {
  const refusal = '{"error":"too large"}'
  const server = createNetServer((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write(`HTTP/1.1 413 Too Large\r\ncontent-type: application/json\r\ncontent-length: ${refusal.length}\r\n\r\n${refusal}`)
    })
  })
  const { port, sockets } = await listen(t, server)
  const leg = legOn(t, `http://127.0.0.1:${port}`)
  for (let asked = 1; asked <= 3; asked++) {
    const thrown = await rejection(leg.open(prompt(16_000_000), contextOf()))
    t.match(isLegFailedError(thrown) && thrown.failure, { status: 413 })
    for (const socket of sockets) socket.resume()
    await until('it is closed', () => sockets.size === 0)
  }
})

t.test('an attempt that is given up as soon as it was begun sends nothing', async (t) => {
  const server = await serve(t, (response) => void response.setHeader('content-type', 'text/event-stream').end(answerHi))
  for (const length of [10, 5000]) {
    const agents = createProviderAgents({ proxy: { type: 'none' } })
    t.teardown(() => agents.close())
    const context = contextOf()
    const opening = legOn(t, server.url, { agents }).open(prompt(length), context)
    context.abort(new Error('enough'))
    t.match(await rejection(opening), { message: 'enough' })
    await legOn(t, server.url, { agents }).open(prompt(1), contextOf())
    t.equal(context.connects(), 0)
  }
  t.equal(server.calls.length, 2, 'only those behind them')
})
