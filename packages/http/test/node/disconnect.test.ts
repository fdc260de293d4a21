import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'

import { deferred } from '../../../../test/kit/deferred.js'
import { openSocket, rawPost, readUntil } from '../../../../test/kit/http-client.js'
import { aborted, within } from '../../../../test/kit/within.js'
import { isDisconnect, watchDisconnect } from '../../src/node/disconnect.js'

type Test = Pick<typeof t, 'teardown'>
interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

async function serve(t: Test, onExchange: (exchange: Exchange) => void): Promise<number> {
  const server = createServer((req, res) => onExchange({ req, res })).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

t.test('a socket that died before we looked is noticed at once', async (t) => {
  const arrived = deferred<Exchange>()
  const port = await serve(t, arrived.resolve)
  const socket = await openSocket(port)
  socket.write(rawPost('/', ''))
  const { req, res } = await arrived.promise
  const closed = new Promise((resolve) => res.once('close', resolve))
  socket.resetAndDestroy()
  await within(1_000, 'the close', closed)
  t.equal(watchDisconnect(req, res).aborted, true)
  t.equal(res.listenerCount('close'), 0)
})

t.test('an answer that was written is no disconnect, and nothing listens on', async (t) => {
  const arrived = deferred<Exchange>()
  const port = await serve(t, arrived.resolve)
  const socket = await openSocket(port)
  t.teardown(() => socket.destroy())
  socket.write(rawPost('/', ''))
  const { req, res } = await arrived.promise
  const before = res.listenerCount('close')
  const signal = watchDisconnect(req, res)
  t.equal(res.listenerCount('close'), before + 1)
  const closed = new Promise((resolve) => res.once('close', resolve))
  res.end('ok')
  await closed
  t.equal(res.listenerCount('close'), before)
  t.equal(signal.aborted, false)
  t.equal(watchDisconnect(req, res).aborted, false, 'nor is one that is over when we look')
})

t.test('queued behind another answer, the close of the socket is passed on, and the socket is left as it was', async (t) => {
  const exchanges: Exchange[] = []
  const all = deferred()
  const port = await serve(t, (exchange) => {
    exchanges.push(exchange)
    if (exchanges.length === 3) all.resolve()
  })
  const socket = await openSocket(port)
  socket.write(rawPost('/', '').repeat(3))
  await within(1_000, 'all three', all.promise)
  const [first] = exchanges
  const { socket: inner } = (first as Exchange).req
  const most = inner.getMaxListeners()
  const listeners = inner.listenerCount('close')
  const signals = exchanges.map(({ req, res }) => watchDisconnect(req, res))
  t.equal(inner.getMaxListeners(), most + 2)

  const answered = readUntil(socket, (text) => text.includes('first'))
  const closes = exchanges.map(({ res }) => new Promise((resolve) => res.once('close', resolve)))
  exchanges[0]?.res.end('first')
  await answered
  await closes[0]
  socket.destroy()
  await within(200, 'both abort', Promise.all(signals.slice(1).map(aborted)))
  await within(200, 'both close', Promise.all(closes.slice(1)))
  await turn()
  t.strictSame(signals.map(({ aborted }) => aborted), [false, true, true])
  t.strictSame([inner.getMaxListeners(), inner.listenerCount('close') <= listeners], [most, true])
})

t.test('a client that leaves while it sends is a disconnect, one that sends what is no HTTP is not', async (t) => {
  for (const [rest, left] of [['', true], ['x'.repeat(100) + '\r\nno HTTP\r\n\r\n', false]] as const) {
    const arrived = deferred<Exchange>()
    const port = await serve(t, arrived.resolve)
    const socket = await openSocket(port)
    socket.on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n')
    const { req, res } = await arrived.promise
    const signal = watchDisconnect(req, res)
    req.on('error', () => undefined)
    req.resume()
    const closed = new Promise((resolve) => req.socket.once('close', resolve))
    socket.end(rest)
    await within(1_000, 'the close', closed)
    t.type(req.socket.errored, Error)
    t.equal(isDisconnect(req.socket.errored, req, signal), left)
  }
})

t.test('only what says that the client is gone is a disconnect', async (t) => {
  const arrived = deferred<Exchange>()
  const port = await serve(t, arrived.resolve)
  const socket = await openSocket(port)
  socket.write(rawPost('/', ''))
  const { req, res } = await arrived.promise
  const signal = watchDisconnect(req, res)
  const premature = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  const own = Object.assign(new Error('a database'), { code: 'ECONNRESET' })
  t.equal(isDisconnect(premature, req, signal), false, 'not while the client is there')
  socket.resetAndDestroy()
  await within(1_000, 'the abort', aborted(signal))
  t.equal(isDisconnect(premature, req, signal), true)
  t.equal(isDisconnect(req.socket.errored, req, signal), req.socket.errored !== null)
  t.equal(isDisconnect(own, req, signal), false, 'the host has connections of its own')
  t.equal(isDisconnect(undefined, req, signal), false)
})
