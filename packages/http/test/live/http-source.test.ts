import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'

import t from 'tap'
import type { Test } from 'tap'
import type { ChainSource, HttpSourceOptions } from '@understudy/http'
import { httpSource } from '@understudy/http'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface Ground {
  readonly url: string
  readonly source: (options?: Partial<HttpSourceOptions>) => ChainSource
  readonly asked: IncomingMessage[]
  readonly answer: (next: Answer) => void
  readonly stop: () => Promise<void>
}

/** A server whose answer the test changes, and sources of it. */
async function start(t: Test): Promise<Ground> {
  let current: Answer = (_request, response) => response.end()
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    current(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t.teardown(stop)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}/chains.json?token=secret-of-the-query`
  return {
    url,
    asked,
    stop,
    source: (options = {}) => {
      const source = httpSource({ url, ...options })
      t.teardown(() => source.close?.())
      return source
    },
    answer: (next) => {
      current = next
    },
  }
}

const soon = (ms = 5_000): AbortSignal => AbortSignal.timeout(ms)
const send = (body: string | Buffer, headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' }): Answer =>
  (_request, response) => void response.writeHead(200, headers).end(body)

t.test('a document is read, and an unchanged one is not sent again', async (t) => {
  const { source, asked, answer, url } = await start(t)
  let etag = '"one"'
  answer((request, response) => {
    const same = request.headers['if-none-match'] === etag
    response.writeHead(same ? 304 : 200, { etag, 'content-type': 'application/json' }).end(same ? undefined : `{"etag":${etag}}`)
  })
  const one = httpSource(url)
  t.teardown(() => one.close?.())
  t.strictSame(await one.read({ signal: soon() }), { type: 'document', document: '{"etag":"one"}', etag: '"one"' })
  t.strictSame(await one.read({ etag, signal: soon() }), { type: 'unchanged' })
  t.strictSame(await source().read({ etag, signal: soon() }), { type: 'unchanged' })
  const before = etag
  etag = '"two"'
  t.strictSame(await one.read({ etag: before, signal: soon() }), { type: 'document', document: '{"etag":"two"}', etag: '"two"' })
  t.equal(asked.every(({ method, url }) => method === 'GET' && url === '/chains.json?token=secret-of-the-query'), true)
  t.match(asked[0]?.headers, { accept: /^application\/json/, 'accept-encoding': 'identity', 'user-agent': /^understudy\// })
})

t.test('a server without ETags, or that takes no notice of them, sends it again, and it is unchanged', async (t) => {
  const { source, asked, answer } = await start(t)
  const one = source()
  answer(send('{"version":1}'))
  const first = await one.read({ signal: soon() })
  const etag = first.type === 'document' ? first.etag : undefined
  t.strictSame(await one.read({ etag, signal: soon() }), { type: 'unchanged' })
  t.equal(asked[1]?.headers['if-none-match'], undefined, 'a name of ours is nothing to ask for')
  answer(send('{"version":2}'))
  t.match(await one.read({ etag, signal: soon() }), { type: 'document', document: '{"version":2}' })
  answer(send('{"version":2}', { etag: '"two"' }))
  t.strictSame(await one.read({ etag: '"two"', signal: soon() }), { type: 'unchanged' })
})

t.test('a 404 is no document; any other answer is a read that fails, and says no more of the address than its host', async (t) => {
  const { source, asked, answer, url } = await start(t)
  const one = source()
  answer((_request, response) => void response.writeHead(404).end('{"version":1}'))
  t.strictSame(await one.read({ signal: soon() }), { type: 'none', why: `${new URL(url).host} answered 404` })
  for (const status of [201, 204, 304, 400, 401, 403, 410, 429, 500, 503]) {
    answer((_request, response) => void response.writeHead(status).end())
    await t.rejects(one.read({ signal: soon() }), { message: `${new URL(url).host} answered ${status}` })
  }
  for (const status of [301, 302, 303, 307, 308]) {
    answer((_request, response) => void response.writeHead(status, { location: '/other.json?token=secret' }).end())
    const before = asked.length
    const message = `${new URL(url).host} answered ${status}; redirects are not followed: give the final address`
    await t.rejects(one.read({ etag: '"one"', signal: soon() }), { message })
    t.equal(asked.length, before + 1)
  }
})

t.test('any type of content will do if it is JSON; a broken document is handed over, a page is not', async (t) => {
  const { source, answer } = await start(t)
  const one = source()
  for (const type of ['text/plain', 'application/octet-stream', 'application/vnd.chains+json; charset=utf-8']) {
    answer(send('\uFEFF{"version":1}', { 'content-type': type }))
    t.match(await one.read({ signal: soon() }), { type: 'document', document: '{"version":1}' }, type)
  }
  answer(send('{"version":1,}'))
  t.match(await one.read({ signal: soon() }), { type: 'document', document: '{"version":1,}' })
  answer(send('<html>Sign in</html>', { 'content-type': 'text/html' }))
  await t.rejects(one.read({ signal: soon() }), /answered with something that is no JSON/)
  answer(send('  '))
  await t.rejects(one.read({ signal: soon() }), /answered with an empty body/)
  answer(send(Buffer.from([0x7b, 0xff, 0x7d])))
  await t.rejects(one.read({ signal: soon() }), /no UTF-8/)
})

t.test('gzip is read though none was asked for; what it becomes is limited too', async (t) => {
  const { source, answer } = await start(t)
  const coded = (body: Buffer, coding = 'gzip'): Answer => send(body, { 'content-type': 'application/json', 'content-encoding': coding })
  const one = source({ maxBytes: 1_000 })
  answer(coded(gzipSync('{"version":1}')))
  t.match(await one.read({ signal: soon() }), { type: 'document', document: '{"version":1}' })
  answer(coded(gzipSync(Buffer.alloc(1_000_000, ' '))))
  await t.rejects(one.read({ signal: soon() }), { message: 'the document is larger than 1000 bytes' })
  answer(coded(gzipSync('{"version":1}').subarray(0, 20)))
  await t.rejects(one.read({ signal: soon() }), /no whole gzip/)
  answer(coded(Buffer.from('x'), 'br'))
  await t.rejects(one.read({ signal: soon() }), /content coding of the answer is none that is read/)
})

t.test('a body that is too large, that breaks off, or that never ends is given up', async (t) => {
  const { source, answer } = await start(t)
  const closed: Promise<void>[] = []
  const endless: Answer = (request, response) => {
    closed.push(new Promise((resolve) => void request.socket.once('close', () => resolve())))
    const write = (): void => {
      if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(write))
    }
    write()
  }
  const one = source({ timeoutMs: 300 })
  answer(endless)
  await t.rejects(one.read({ signal: soon() }), { message: 'the document is larger than 1048576 bytes' })
  answer((request, response) => {
    response.write('{"version":')
    setImmediate(() => request.socket.destroy())
  })
  await t.rejects(one.read({ signal: soon() }), { message: /other side closed|terminated|aborted/ })
  for (const answered of [(): void => undefined, (_request: IncomingMessage, response: ServerResponse) => void response.write('{')]) {
    answer(answered)
    await t.rejects(one.read({ signal: soon() }), { name: 'TimeoutError' })
    await t.rejects(source().read({ signal: soon(100) }), { name: 'TimeoutError' })
  }
  await t.rejects(one.read({ signal: AbortSignal.abort() }), { name: 'AbortError' })
  answer(send('{"version":1}'))
  t.match(await one.read({ signal: soon() }), { type: 'document' }, 'it can be asked again')
  await Promise.all(closed)
})

t.test('a server that is away is a read that fails', async (t) => {
  const { source, stop } = await start(t)
  const one = source()
  await stop()
  await t.rejects(one.read({ signal: soon() }), { code: 'ECONNREFUSED' })
})

t.test('headers are sent, those of the environment too, and printed nowhere', async (t) => {
  const { source, asked, answer } = await start(t)
  process.env['CHAINS_TOKEN'] = ' secret-of-the-environment\n'
  t.teardown(() => delete process.env['CHAINS_TOKEN'])
  const one = source({ headers: { Authorization: { env: 'CHAINS_TOKEN' }, 'x-key': 'secret-of-the-code', accept: 'application/vnd.github.raw' } })
  delete process.env['CHAINS_TOKEN']
  answer(send('{}'))
  await one.read({ signal: soon() })
  const sent = { authorization: 'secret-of-the-environment', 'x-key': 'secret-of-the-code', accept: 'application/vnd.github.raw' }
  t.match(asked[0]?.headers, sent)
  answer((_request, response) => void response.writeHead(500).end())
  const failure = await one.read({ signal: soon() }).catch((error: unknown) => error)
  t.notMatch(inspect([one, failure], { depth: 9 }), /secret/)
})

t.test('options that are none are refused, and what they hold is not shown', async (t) => {
  const cases: readonly (readonly [options: unknown, message: RegExp])[] = [
    [undefined, /httpSource\.url: is undefined/],
    ['chains.json', /httpSource\.url: is not an http:\/\/ or https:\/\/ URL/],
    ['ftp://host/secret', /httpSource\.url: is not an http/],
    ['https://ann:secret@host/', /httpSource\.url: holds credentials; give them as headers/],
    [{ url: 'http://host', header: {} }, /httpSource\.header: is no option; did you mean 'headers'\?/],
    [{ url: 'http://host', timeoutMs: 0 }, /httpSource\.timeoutMs: is a number; expected a whole number from 1/],
    [{ url: 'http://host', headers: { authorization: { env: 'NOT_SET' } } }, /headers\['authorization'\]: the environment variable 'NOT_SET' is not set/],
    [{ url: 'http://host', headers: { authorization: { env: 'sk-secret-1234567890' } } }, /variable \(a text that looks like a key\) is not set/],
    [{ url: 'http://host', headers: { authorization: 'secret\n' } }, /has a value that no header can have/],
    [{ url: 'http://host', headers: { authorization: 7 } }, /is no text and no \{ env: 'NAME' \}/],
    [{ url: 'http://host', headers: { 'a b': 'secret' } }, /is no header name/],
    [{ url: 'http://host', headers: { 'If-None-Match': 'secret' } }, /is a header that is made here/],
    [{ url: 'http://host', headers: { a: 'secret', A: 'secret' } }, /is given twice/],
  ]
  for (const [options, message] of cases) {
    const make = (): unknown => Reflect.apply(httpSource, undefined, [options ?? {}])
    t.throws(make, { code: 'ERR_UNDERSTUDY_CONFIG', message })
    t.notMatch(await Promise.resolve().then(make).catch(String), /secret/)
  }
})

t.test('close ends its connections, a second time too', async (t) => {
  const { source, answer } = await start(t)
  let closed = new Promise<void>(() => undefined)
  answer((request, response) => {
    closed = new Promise((resolve) => void request.socket.once('close', () => resolve()))
    send('{}')(request, response)
  })
  const one = source()
  t.strictSame(Object.keys(one).sort(), ['close', 'name', 'read'])
  await one.read({ signal: soon() })
  await one.close?.()
  await one.close?.()
  await closed
})
