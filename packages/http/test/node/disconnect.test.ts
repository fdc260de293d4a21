import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import t from 'tap'

import { collectGarbage } from '../../../../test/kit/collect-garbage.js'
import { deferred } from '../../../../test/kit/deferred.js'
import { openSocket, rawPost, readUntil } from '../../../../test/kit/http-client.js'
import { aborted, within } from '../../../../test/kit/within.js'
import type { NodeClient } from '../../src/node/disconnect.js'
import { isDisconnect, watchClient } from '../../src/node/disconnect.js'

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

/** A request that has arrived, with the client's end of its socket. */
async function exchange(t: Test): Promise<Exchange & { readonly socket: Socket }> {
  const arrived = deferred<Exchange>()
  const port = await serve(t, arrived.resolve)
  const socket = await openSocket(port)
  t.teardown(() => socket.destroy())
  socket.write(rawPost('/', ''))
  return { ...(await arrived.promise), socket }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

t.test('a socket that died before we looked is noticed at once', async (t) => {
  const { socket, req, res } = await exchange(t)
  const closed = new Promise((resolve) => res.once('close', resolve))
  socket.resetAndDestroy()
  await within(1_000, 'the close', closed)
  const client = watchClient(req, res)
  t.strictSame([client.isGone(), client.signal().aborted], [true, true])
  let told = 0
  client.onGone(() => void (told += 1))
  t.equal(told, 1)
  t.equal(res.listenerCount('close'), 0)
})

t.test('our own whole answer that was written is no disconnect, and nothing listens on', async (t) => {
  const { req, res } = await exchange(t)
  const before = res.listenerCount('close')
  const client = watchClient(req, res)
  t.equal(res.listenerCount('close'), before + 1)
  client.onGone(() => t.fail('it is there'))
  const closed = new Promise((resolve) => res.once('close', resolve))
  client.answered()
  res.end('ok')
  await closed
  t.equal(res.listenerCount('close'), before)
  t.strictSame([client.isGone(), client.signal().aborted], [false, false])
})

t.test('whoever waited for the client is held no longer than its response is open', async (t) => {
  const { req, res } = await exchange(t)
  const client = watchClient(req, res)
  const weak = waitingWeakly(client)
  const closed = new Promise((resolve) => res.once('close', resolve))
  client.answered()
  res.end('ok')
  await closed
  // A weak reference holds what it points to until the job that made it is over.
  await turn()
  collectGarbage()
  t.equal(weak.deref(), undefined)
  t.equal(client.isGone(), false)
})

function waitingWeakly(client: NodeClient): WeakRef<object> {
  const waiting = { told: 0 }
  client.onGone(() => void (waiting.told += 1))
  return new WeakRef(waiting)
}

t.test('a host that has answered before we looked leaves nobody who waits', async (t) => {
  const { req, res } = await exchange(t)
  res.end(Buffer.alloc(20_000_000))
  t.equal(watchClient(req, res).isGone(), true, 'though it is not written yet')
})

t.test('an answer that is not ours, or not written, leaves nobody who waits for ours', async (t) => {
  const cases: Record<string, (exchange: Exchange, ours: () => void, leave: () => void) => void> = {
    'the host has answered': ({ res }) => res.end('503'),
    'the host has cut it off': ({ res }) => res.destroy(),
    'ours is handed over and the client leaves': (_exchange, ours, leave) => {
      ours()
      leave()
    },
  }
  for (const [name, play] of Object.entries(cases)) {
    const arrived = deferred<Exchange>()
    const port = await serve(t, arrived.resolve)
    const socket = await openSocket(port)
    t.teardown(() => socket.destroy())
    socket.write(rawPost('/', ''))
    const exchange = await arrived.promise
    const client = watchClient(exchange.req, exchange.res)
    const signal = client.signal()
    const gone = new Promise<void>((resolve) => client.onGone(resolve))
    play(exchange, () => client.answered(), () => socket.destroy())
    await within(1_000, name, Promise.all([gone, aborted(signal)]))
    t.match([client.isGone(), signal.reason], [true, { name: 'AbortError' }], name)
  }
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
  const clients = exchanges.map(({ req, res }) => watchClient(req, res))
  t.equal(inner.getMaxListeners(), most + 2)

  clients[0]?.answered()
  const answered = readUntil(socket, (text) => text.includes('first'))
  const closes = exchanges.map(({ res }) => new Promise((resolve) => res.once('close', resolve)))
  exchanges[0]?.res.end('first')
  await answered
  await closes[0]
  socket.destroy()
  await within(200, 'both abort', Promise.all(clients.slice(1).map((client) => aborted(client.signal()))))
  await within(200, 'both close', Promise.all(closes.slice(1)))
  await turn()
  t.strictSame(clients.map((client) => client.isGone()), [false, true, true])
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
    const client = watchClient(req, res)
    req.on('error', () => undefined)
    req.resume()
    const closed = new Promise((resolve) => req.socket.once('close', resolve))
    socket.end(rest)
    await within(1_000, 'the close', closed)
    t.type(req.socket.errored, Error)
    t.equal(isDisconnect(req.socket.errored, req, client), left)
  }
})

t.test('only what says that the client is gone is a disconnect', async (t) => {
  const { socket, req, res } = await exchange(t)
  const client = watchClient(req, res)
  const premature = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  const own = Object.assign(new Error('a database'), { code: 'ECONNRESET' })
  t.equal(isDisconnect(premature, req, client), false, 'not while the client is there')
  const early: boolean[] = []
  req.socket.once('error', () => early.push(client.isGone(), isDisconnect(premature, req, client)))
  socket.resetAndDestroy()
  await within(1_000, 'the abort', aborted(client.signal()))
  t.strictSame(early, [false, true], 'its socket broke, and the response is not closed yet')
  t.equal(isDisconnect(premature, req, client), true)
  t.equal(isDisconnect(req.socket.errored, req, client), req.socket.errored !== null)
  t.equal(isDisconnect(own, req, client), false, 'the host has connections of its own')
  t.equal(isDisconnect(undefined, req, client), false)
})
