import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'

import { byteSource } from '../../../../test/kit/byte-source.js'
import { deferred } from '../../../../test/kit/deferred.js'
import { ask, nextChunk, open, textOf } from '../../../../test/kit/http-client.js'
import { within } from '../../../../test/kit/within.js'
import type { NodeClient } from '../../src/node/disconnect.js'
import { watchClient } from '../../src/node/disconnect.js'
import { writeResponse } from '../../src/node/write-response.js'

type Test = Pick<typeof t, 'teardown'>

const STREAM = { status: 200, headers: { 'content-type': 'text/event-stream' } }
const EMPTY = '{}'

/** A server whose listener's promise is handed back, so that a test sees how it ended. */
async function serve(
  t: Test,
  listener: (req: IncomingMessage, res: ServerResponse, client: NodeClient) => Promise<void>,
): Promise<{ port: number; server: Server; ended: Promise<unknown> }> {
  const ended = deferred<unknown>()
  const onRequest: RequestListener = (req, res) => {
    listener(req, res, watchClient(req, res)).then(() => ended.resolve('fine'), ended.resolve)
  }
  const server = createServer(onRequest).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, server, ended: ended.promise }
}

t.test('bytes go with their head, HEAD without them, and nothing at all is an empty answer', async (t) => {
  const body = Buffer.from(EMPTY)
  const { port } = await serve(t, (req, res, client) =>
    writeResponse(res, { status: 201, headers: { 'content-length': '2' }, body: req.url === '/none' ? undefined : body }, client))
  t.match(await ask(port, '/'), { status: 201, text: EMPTY, headers: { 'content-length': '2' } })
  t.match(await ask(port, '/', { method: 'HEAD' }), { status: 201, text: '', headers: { 'content-length': '2' } })
})

t.test('what the host set stays, what we say goes over it', async (t) => {
  const { port } = await serve(t, (_req, res, client) => {
    res.setHeader('x-host', 'kept')
    res.setHeader('content-type', 'text/html')
    return writeResponse(res, { status: 200, headers: { 'content-type': 'application/json', 'content-length': '2' }, body: Buffer.from(EMPTY) }, client)
  })
  t.match((await ask(port, '/')).headers, { 'x-host': 'kept', 'content-type': 'application/json' })
})

t.test('HEAD of a stream reads none of it and closes it', async (t) => {
  const source = byteSource()
  const { port, ended } = await serve(t, (_req, res, client) => writeResponse(res, { ...STREAM, body: source }, client))
  t.match(await ask(port, '/', { method: 'HEAD' }), { status: 200, text: '' })
  t.equal(await ended, 'fine')
  t.strictSame([source.asked(), source.returns()], [0, 1])
})

t.test('a host that has answered keeps its answer', async (t) => {
  for (const body of [byteSource(), Buffer.from(EMPTY)]) {
    const { port, ended } = await serve(t, (_req, res, client) => {
      res.statusCode = 408
      res.end('too late')
      return writeResponse(res, { ...STREAM, body }, client)
    })
    t.match(await ask(port, '/'), { status: 408, text: 'too late' })
    t.equal(await ended, 'fine')
    if (!Buffer.isBuffer(body)) t.strictSame([body.asked(), body.returns()], [0, 1])
  }
})

t.test('a host that ends the answer in mid-stream has ended it', async (t) => {
  const source = byteSource()
  let response: ServerResponse | undefined
  const { port, ended } = await serve(t, (_req, res, client) => {
    response = res
    return writeResponse(res, { ...STREAM, body: source }, client)
  })
  source.push('one')
  const answer = await open(port, '/')
  t.equal(await nextChunk(answer), 'one')
  await source.hungry()
  response?.end('the host')
  source.push('two')
  t.equal(await within(1_000, 'the end', textOf(answer)), 'the host')
  t.equal(await within(1_000, 'the writer', ended), 'fine')
  t.strictSame([source.asked(), source.returns()], [2, 1])
})

t.test('a host that ends the answer while the client does not read', async (t) => {
  let returns = 0
  const full = deferred<ServerResponse>()
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: Buffer.alloc(65_536, 'x') }),
      return: () => {
        returns += 1
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  }
  const { port, ended } = await serve(t, (_req, res, client) => {
    const write = res.write.bind(res)
    res.write = (chunk: Uint8Array) => {
      const more = write(chunk)
      // Blocked for longer than a turn: the kernel's buffers are full.
      if (!more) setTimeout(() => res.writableNeedDrain && full.resolve(res), 50).unref()
      return more
    }
    return writeResponse(res, { ...STREAM, body }, client)
  })
  const answer = await open(port, '/')
  answer.on('error', () => undefined)
  const res = await within(5_000, 'it stops', full.promise)
  res.destroy()
  t.equal(await within(1_000, 'the writer', ended), 'fine')
  t.equal(returns, 1)
})

t.test('a flush that compression added is called after each write; node\'s own name for it is not', async (t) => {
  const log: string[] = []
  const { port } = await serve(t, (_req, res, client) => {
    Reflect.set(res, 'flush', function flush(this: unknown) {
      log.push(this === res ? 'flush' : 'flush, unbound')
    })
    const write = res.write.bind(res)
    res.write = (chunk: Uint8Array) => {
      log.push('write')
      return write(chunk)
    }
    const source = byteSource()
    for (const text of ['one', 'two']) source.push(text)
    source.end()
    return writeResponse(res, { ...STREAM, body: source }, client)
  })
  t.equal((await ask(port, '/')).text, 'onetwo')
  t.strictSame(log, ['write', 'flush', 'write', 'flush'])
})

t.test('a head that node refuses rejects, with the stream closed', async (t) => {
  const source = byteSource()
  const { port, ended } = await serve(t, async (_req, res, client) => {
    try {
      await writeResponse(res, { status: 200, headers: { 'x-bad': 'a\nb' }, body: source }, client)
    } finally {
      res.statusCode = 500
      res.end()
    }
  })
  t.equal((await ask(port, '/')).status, 500)
  t.match(await ended, { code: 'ERR_INVALID_CHAR' })
  t.strictSame([source.asked(), source.returns()], [0, 1])
})
