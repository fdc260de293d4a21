import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, pipeline } from 'node:stream'
import { brotliCompressSync, constants, createGunzip, gzipSync } from 'node:zlib'
import t from 'tap'

import { clientOf, signalOf } from '../../src/inbound/client.js'
import type { InboundBody } from '../../src/inbound/request.js'
import { createBodyReader, readRequest } from '../../src/node/read-request.js'
import { deferred } from '../../../../test/kit/deferred.js'
import { ask, begin, JSON_HEADERS, openSocket, readUntil } from '../../../../test/kit/http-client.js'
import type { Ask } from '../../../../test/kit/http-client.js'
import { within } from '../../../../test/kit/within.js'

type Read = (req: IncomingMessage) => Promise<InboundBody>

const NOTHING = () => undefined

/** Sends one request to a server that reads it so, and gives what was read. */
async function read(how: Read, asked: Ask): Promise<InboundBody> {
  const body = deferred<InboundBody>()
  const server = createServer(async (req, res) => {
    body.resolve(await how(req))
    res.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    await within(5_000, 'an answer', ask((server.address() as AddressInfo).port, '/', asked))
    return await body.promise
  } finally {
    server.close()
  }
}

function bytes(text: string): InboundBody {
  return { type: 'bytes', bytes: Buffer.from(text) }
}

async function consume(req: IncomingMessage): Promise<void> {
  await new Promise((resolve) => req.resume().once('end', resolve))
}

t.test('a parsed body counts if the stream has been read', async (t) => {
  for (const value of [{}, [], '', 0, false, null]) {
    const how: Read = async (req) => {
      await consume(req)
      return createBodyReader(req, () => value)(100)
    }
    t.strictSame(await read(how, { body: 'x' }), value === '' ? bytes('') : { type: 'parsed', value }, JSON.stringify(value))
  }
})

t.test('beside a stream that is unread it counts if it holds something', async (t) => {
  const cases: [unknown, InboundBody][] = [
    [{ a: 1 }, { type: 'parsed', value: { a: 1 } }],
    ['text', bytes('text')],
    [Buffer.from('raw'), bytes('raw')],
    [{}, bytes('real')],
    [[], bytes('real')],
    ['', bytes('real')],
    [Buffer.alloc(0), bytes('real')],
    [0, bytes('real')],
    [null, bytes('real')],
    [undefined, bytes('real')],
  ]
  for (const [value, expected] of cases) {
    t.strictSame(await read((req) => createBodyReader(req, () => value)(100), { body: 'real' }), expected)
  }
})

t.test('a stream that is read or being read by someone else is consumed, an empty one too', async (t) => {
  for (const body of ['x', '']) {
    const how: Read = async (req) => {
      await consume(req)
      return createBodyReader(req, NOTHING)(100)
    }
    t.strictSame(await read(how, { body }), { type: 'consumed' })
  }
  const half: Read = async (req) => {
    await new Promise((resolve) => req.once('data', resolve))
    return createBodyReader(req, NOTHING)(100)
  }
  t.strictSame(await read(half, { body: 'x' }), { type: 'consumed' })
})

t.test('a paused stream and one with an encoding set are read as any other', async (t) => {
  const paused: Read = (req) => {
    req.pause()
    return createBodyReader(req, NOTHING)(100)
  }
  t.strictSame(await read(paused, { body: 'x' }), bytes('x'))
  const text: Read = (req) => {
    req.setEncoding('utf8')
    return createBodyReader(req, NOTHING)(100)
  }
  t.strictSame(await read(text, { body: '\u00e9\u{1f600}' }), bytes('\u00e9\u{1f600}'))
})

t.test('one chunk is not copied', async (t) => {
  const how: Read = async (req) => {
    const seen: Buffer[] = []
    req.on('data', (chunk) => seen.push(chunk))
    const body = await createBodyReader(req, NOTHING)(100)
    t.equal(body.type === 'bytes' && body.bytes, seen[0])
    return body
  }
  await read(how, { body: 'one' })
})

t.test('the limit is inclusive, and counts what comes out of a decoder', async (t) => {
  const how: Read = (req) => createBodyReader(req, NOTHING)(10)
  const tooLarge = { type: 'too_large', limit: 10 }
  const chunked = { ...JSON_HEADERS, 'transfer-encoding': 'chunked' }
  t.strictSame(await read(how, { body: 'x'.repeat(10) }), bytes('x'.repeat(10)))
  t.strictSame(await read(how, { body: 'x'.repeat(11) }), tooLarge)
  t.strictSame(await read(how, { body: 'x'.repeat(11), headers: chunked }), tooLarge)
  const gzip = { ...JSON_HEADERS, 'content-encoding': ' GZIP ' }
  t.strictSame(await read(how, { body: gzipSync('x'.repeat(10)), headers: gzip }), bytes('x'.repeat(10)), 'longer when compressed')
  t.strictSame(await read(how, { body: gzipSync('x'.repeat(11)), headers: gzip }), tooLarge)
})

t.test('a bomb is cut at the limit', async (t) => {
  const before = process.memoryUsage().rss
  const body = brotliCompressSync(Buffer.alloc(300_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
  const mid = process.memoryUsage().rss
  t.strictSame(await read((req) => createBodyReader(req, NOTHING)(1_000), { body, headers: { ...JSON_HEADERS, 'content-encoding': 'br' } }), {
    type: 'too_large',
    limit: 1_000,
  })
  t.ok(process.memoryUsage().rss - Math.max(mid, before) < 100_000_000)
})

t.test('a client that never stops sending gets its 413, and is cut off in the end', async (t) => {
  const server = createServer(async (req, res) => {
    const { type } = await createBodyReader(req, NOTHING)(10)
    res.writeHead(type === 'too_large' ? 413 : 200).end()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const socket = await openSocket((server.address() as AddressInfo).port)
  const answered = readUntil(socket, (text) => text.includes('\r\n\r\n'))
  const closed = new Promise((resolve) => socket.on('error', resolve).once('close', resolve))
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000000\r\n\r\n')
  const piece = Buffer.alloc(1_000_000)
  let sent = 0
  const send = () => {
    do sent += piece.length
    while (!socket.destroyed && socket.write(piece))
  }
  socket.on('drain', send)
  send()
  t.match(await within(2_000, 'a 413', answered), /^HTTP\/1\.1 413 /)
  await within(10_000, 'the end', closed)
  t.ok(sent >= 64_000_000 && sent < 100_000_000, `${sent} sent`)
})

t.test('a client that left before we looked, and one that leaves in the middle of what it compressed', async (t) => {
  const body = deferred<InboundBody>()
  const server = createServer((req, res) => {
    const wait = req.url === '/late' ? new Promise((resolve) => res.once('close', resolve)) : Promise.resolve()
    void wait.then(() => createBodyReader(req, NOTHING)(1_000)).then(body.resolve)
    req.once(req.url === '/late' ? 'resume' : 'data', () => client.destroy())
    if (req.url === '/late') client.destroy()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  let client = begin(port, '/late', { headers: { 'content-length': '50' } })
  client.on('error', () => undefined).write('x')
  t.strictSame(await within(2_000, 'a body', body.promise), { type: 'unreadable', reason: 'aborted' })

  const second = deferred<InboundBody>()
  const other = createServer((req) => {
    void createBodyReader(req, NOTHING)(1_000).then(second.resolve)
    req.once('data', () => client.destroy())
  }).listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  client = begin((other.address() as AddressInfo).port, '/', { headers: { 'content-encoding': 'gzip', 'content-length': '500' } })
  client.on('error', () => undefined).write(gzipSync('some text').subarray(0, 15))
  t.strictSame(await within(2_000, 'a body', second.promise), { type: 'unreadable', reason: 'aborted' })
})

t.test('a stream in the place of the request is read instead: decoded already, or only passed through', async (t) => {
  const headers = { ...JSON_HEADERS, 'content-encoding': 'gzip' }
  const decoded: Read = (req) => createBodyReader(req, () => pipeline(req, createGunzip(), NOTHING))(100)
  t.strictSame(await read(decoded, { body: gzipSync('text'), headers }), bytes('text'))
  t.strictSame(await read(decoded, { body: 'no gzip', headers }), { type: 'unreadable', reason: 'encoding' })
  t.strictSame(await read(decoded, { body: gzipSync('x'.repeat(101)), headers }), { type: 'too_large', limit: 100 })
  const passed: Read = (req) => createBodyReader(req, () => req.pipe(new PassThrough()))(100)
  t.strictSame(await read(passed, { body: gzipSync('text'), headers }), bytes('text'))
  const itself: Read = (req) => createBodyReader(req, () => req)(100)
  t.strictSame(await read(itself, { body: gzipSync('text'), headers }), bytes('text'))
})

t.test('the neutral request', async (t) => {
  const server = createServer((req, res) => {
    const request = readRequest(req, res, { path: '/p', query: 'q=1', atRoot: true }, () => ({ a: 1 }))
    const { readBody, signal, ...rest } = request
    t.match(rest, { method: 'POST', path: '/p', query: 'q=1', atRoot: true, headers: { 'content-type': 'application/json' } })
    t.equal(signal.aborted, false)
    t.equal(clientOf(request), request.client)
    t.strictSame([clientOf({ ...request }), signalOf({ ...request })], [undefined, signal])
    void readBody(10).then((body) => res.end(JSON.stringify(body)))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  t.equal((await ask((server.address() as AddressInfo).port, '/x')).text, '{"type":"parsed","value":{"a":1}}')
})
