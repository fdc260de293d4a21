import { Agent } from 'node:http'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { createFallback } from '@understudy/http'
import type { Fallback, MountOptions } from '@understudy/http'

import { byteSource } from './byte-source.js'
import type { ByteSource } from './byte-source.js'
import { deferred } from './deferred.js'
import { ask, begin, headOf, JSON_HEADERS, nextChunk, open, openSocket, rawPost, readToEnd, readUntil, textOf } from './http-client.js'
import { echo, eventStream, json, MAX_BODY_BYTES, scriptedFallback } from './scripted-fallback.js'
import type { ScriptedFallback } from './scripted-fallback.js'
import { settled, until } from './until.js'
import { aborted, within } from './within.js'

/** How a host is set up around us. */
export interface HarnessSetup {
  readonly fallback: Fallback
  readonly options?: MountOptions | undefined
  /** `/chat`, or empty for the root. */
  readonly mountAt: string
  /**
   * What stands before us: nothing, the framework's usual JSON parser, one that leaves `{}` beside a stream that it did not
   * read, or one that reads the stream and leaves nothing.
   */
  readonly parser: 'none' | 'json' | 'empty' | 'consumes'
  /** Whether the framework's usual compression stands before us. */
  readonly compression: boolean
  /** Whether the host begins every response by itself, does not end it, and lets the request through to us. */
  readonly begins: boolean
}

/** A running host. What is not ours it answers with 200 and `{ host: 'METHOD path', body }`. */
export interface Harness {
  readonly port: number
  readonly server: Server
  /** What the host's error handling was told. */
  readonly errors: unknown[]
  /** What the host's own hook saw go out: `POST 200`. */
  readonly seen: string[]
  readonly close: () => Promise<void>
}

export interface AdapterUnderTest {
  /** As the test report shows it. */
  readonly name: string
  /** What the package under the alias says it is, and the major that the alias promises. */
  readonly version: string
  readonly major: number
  /** Whether a parser of the host can stand before us: a Fastify plugin has its own. */
  readonly parsers: boolean
  readonly makeHarness: (setup: HarnessSetup) => Promise<Harness>
}

const EVENT = (name: string) => `data: {"delta":"${name}"}\n\n`

/** What every adapter promises, played on a real framework over real sockets. */
export function adapterContract({ name, version, major, parsers, makeHarness }: AdapterUnderTest): void {
  t.test(name, async (t) => {
    const trouble: unknown[] = []
    const note = (problem: unknown) => trouble.push(problem)
    process.on('warning', note).on('unhandledRejection', note)
    t.teardown(() => process.off('warning', note).off('unhandledRejection', note))

    type Test = typeof t
    async function start(t: Test, setup: Partial<HarnessSetup> = {}): Promise<Harness & { fallback: ScriptedFallback }> {
      const fallback = scriptedFallback()
      // A test that brings a fallback of its own leaves this one aside.
      const harness = await makeHarness({ fallback, mountAt: '/chat', parser: 'none', compression: false, begins: false, ...setup })
      t.teardown(() => harness.close())
      return { ...harness, fallback }
    }
    /** Has every request answered by a stream of its own, in order. */
    function streams(fallback: ScriptedFallback): ByteSource[] {
      const sources: ByteSource[] = []
      fallback.script = async (request) => {
        await request.readBody(MAX_BODY_BYTES)
        const source = byteSource(request.signal)
        sources.push(source)
        return eventStream(source)
      }
      return sources
    }

    t.test('the framework has the major that its alias promises', async (t) => {
      t.equal(Number(version.split('.')[0]), major)
    })

    t.test('a request arrives relative to its mount, the answer as it was given', async (t) => {
      const { port, fallback } = await start(t)
      const answer = await ask(port, '/chat/v1/chat/completions?a=1&b=%2F', { body: '{"model":"chat"}' })
      t.equal(answer.status, 200)
      t.match(answer.headers, { 'content-type': 'application/json', 'understudy-route': 'chat' })
      t.strictSame(JSON.parse(answer.text), {
        method: 'POST', path: '/v1/chat/completions', query: 'a=1&b=%2F', atRoot: false,
        body: { type: 'bytes', text: '{"model":"chat"}' },
      })
      t.equal(fallback.requests[0]?.headers['content-type'], 'application/json')
    })

    t.test('a failure keeps its status and headers', async (t) => {
      const { port, fallback, errors } = await start(t)
      fallback.script = () => {
        const { headers, ...rest } = json(503, { error: 1 })
        return { ...rest, headers: { ...headers, 'retry-after': '7' } }
      }
      const answer = await ask(port, '/chat')
      t.match(answer, { status: 503, headers: { 'retry-after': '7' }, text: '{"error":1}' })
      t.strictSame(errors, [])
    })

    t.test('each event of a stream reaches the client before the next one exists', async (t) => {
      const { port, fallback } = await start(t)
      const sources = streams(fallback)
      const response = await within(2_000, 'a head', openFed(port, sources))
      t.match(response.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' })
      const [source] = sources
      t.equal(await within(2_000, 'the first event', nextChunk(response)), EVENT('one'))
      source?.push(EVENT('two'))
      t.equal(await within(2_000, 'the second event', nextChunk(response)), EVENT('two'))
      source?.push(EVENT('three'))
      source?.end()
      t.equal(await within(2_000, 'the end', textOf(response)), EVENT('three'))
      await within(2_000, 'the stream is closed', source?.closed ?? Promise.resolve())
      t.equal(source?.returns(), 1)
    })

    t.test('compression before us holds no event back', async (t) => {
      const { port, fallback } = await start(t, { compression: true })
      const sources = streams(fallback)
      const response = await within(2_000, 'a head', openFed(port, sources, { 'accept-encoding': 'gzip, br' }))
      t.equal(response.headers['content-encoding'], undefined)
      t.equal(await within(2_000, 'the first event', nextChunk(response)), EVENT('one'))
      sources[0]?.push(EVENT('two'))
      t.equal(await within(2_000, 'the second event', nextChunk(response)), EVENT('two'))
      sources[0]?.end()
      t.equal(await textOf(response), '')
    })

    t.test('what is not ours is the host\'s, with its body unread', async (t) => {
      const { port, fallback } = await start(t)
      for (const path of ['/chat/unknown', '/chatty', '/chat/v1', '/other']) {
        const answer = await ask(port, path, { body: '{"mine":1}' })
        t.strictSame(JSON.parse(answer.text), { host: `POST ${path}`, body: '{"mine":1}' })
      }
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET']) {
        const answer = await ask(port, '/chat/v1/chat/completions', { method })
        t.match(JSON.parse(answer.text), { host: `${method} /chat/v1/chat/completions` })
      }
      t.equal(fallback.requests.length, 0)
    })

    t.test('one trailing slash is accepted', async (t) => {
      const { port } = await start(t)
      for (const path of ['/chat', '/chat/', '/chat/completions/', '/chat/v1/chat/completions/?q=1', '/chat?q=1']) {
        const answer = await ask(port, path)
        t.match(JSON.parse(answer.text), { method: 'POST', query: path.includes('?') ? 'q=1' : '' }, path)
      }
      const answer = await ask(port, '/chat/completions//')
      t.match(JSON.parse(answer.text), { host: 'POST /chat/completions//' })
    })

    t.test('GET and HEAD /models', async (t) => {
      const { port, fallback } = await start(t)
      fallback.script = ({ method, path }) => json(200, { method, path })
      t.match(JSON.parse((await ask(port, '/chat/models', { method: 'GET' })).text), { method: 'GET', path: '/models' })
      const head = await ask(port, '/chat/v1/models', { method: 'HEAD' })
      t.match(head, { status: 200, text: '', headers: { 'understudy-route': 'chat', 'content-length': /^\d+$/ } })
      t.equal(fallback.requests[1]?.method, 'HEAD')
    })

    t.test('at the root the host keeps its own short paths', async (t) => {
      const { port, fallback } = await start(t, { mountAt: '' })
      for (const path of ['/', '/completions', '/policy-check']) {
        t.match(JSON.parse((await ask(port, path)).text), { host: `POST ${path}` })
      }
      t.match(JSON.parse((await ask(port, '/models', { method: 'GET' })).text), { host: 'GET /models' })
      t.equal(fallback.requests.length, 0)
      for (const path of ['/chat/completions', '/v1/chat/completions', '/v1/chat/completions/', '/v1/policy-check']) {
        t.match(JSON.parse((await ask(port, path)).text), { atRoot: true, method: 'POST' }, path)
      }
    })

    t.test('bodies are decoded, and judged by what they hold', async (t) => {
      const { port } = await start(t)
      const text = '{"text":"h\u00e9llo \u{1f600} \\ud800"}'
      const cases = { gzip: gzipSync(text), deflate: deflateSync(text), br: brotliCompressSync(text), identity: text }
      for (const [encoding, body] of Object.entries(cases)) {
        const answer = await ask(port, '/chat', { headers: { ...JSON_HEADERS, 'content-encoding': encoding }, body })
        t.strictSame(JSON.parse(answer.text).body, { type: 'bytes', text }, encoding)
      }
      const odd = await ask(port, '/chat', { headers: { ...JSON_HEADERS, 'content-encoding': 'zstd' }, body: 'x' })
      t.strictSame(JSON.parse(odd.text).body, { type: 'unreadable', reason: 'unsupported_encoding' })
      const broken = await ask(port, '/chat', { headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' }, body: 'x' })
      t.strictSame(JSON.parse(broken.text).body, { type: 'unreadable', reason: 'encoding' })
      const cut = gzipSync(text).subarray(0, -9)
      const short = await ask(port, '/chat', { headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' }, body: cut })
      t.strictSame(JSON.parse(short.text).body, { type: 'unreadable', reason: 'encoding' })
    })

    t.test('a content type of any form comes to us, a malformed or absent one too', async (t) => {
      const { port } = await start(t)
      for (const type of ['application/json; charset=utf-8', 'text/plain', 'application/x+json', 'nonsense', '']) {
        const answer = await ask(port, '/chat', { headers: { 'content-type': type }, body: '{"a":"\u00e9"}' })
        t.strictSame(JSON.parse(answer.text).body, { type: 'bytes', text: '{"a":"\u00e9"}' }, type)
      }
      const bare = await ask(port, '/chat', { headers: {}, body: '{}' })
      t.strictSame(JSON.parse(bare.text).body, { type: 'bytes', text: '{}' })
    })

    t.test('no body at all is an empty one', async (t) => {
      const { port } = await start(t)
      for (const headers of [{}, { 'content-length': '0' }, { ...JSON_HEADERS, 'content-length': '0' }]) {
        const answer = await ask(port, '/chat', { headers, body: '' })
        t.strictSame(JSON.parse(answer.text).body, { type: 'bytes', text: '' })
      }
    })

    t.test('a body that is too large is refused, however it comes, and the connection goes on', async (t) => {
      const { port } = await start(t)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      t.teardown(() => agent.destroy())
      const large = 'x'.repeat(3_000_000)
      const cases = {
        'by its length': { body: large, headers: { ...JSON_HEADERS, 'content-length': String(large.length) } },
        'in chunks': { body: large, headers: { ...JSON_HEADERS, 'transfer-encoding': 'chunked' } },
        'after decompression': { body: gzipSync('x'.repeat(50_000_000)), headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' } },
      }
      for (const [how, asked] of Object.entries(cases)) {
        const answer = await within(5_000, how, ask(port, '/chat', { ...asked, agent }))
        t.equal(answer.status, 413, how)
        t.strictSame(JSON.parse(answer.text).body, { type: 'too_large', limit: MAX_BODY_BYTES })
        t.equal((await within(2_000, 'the next', ask(port, '/chat', { agent }))).status, 200, `after ${how}`)
      }
      const fits = await ask(port, '/chat', { body: 'x'.repeat(MAX_BODY_BYTES) })
      t.equal(fits.status, 200)
    })

    t.test('a client that is still sending gets its 413', async (t) => {
      const { port } = await start(t)
      const request = begin(port, '/chat')
      const head = headOf(request)
      request.write('x'.repeat(MAX_BODY_BYTES + 1))
      const response = await within(2_000, 'a 413', head)
      t.equal(response.statusCode, 413)
      request.end('x'.repeat(200_000))
      t.match(await within(2_000, 'its body', textOf(response)), /too_large/)
    })

    t.test('Expect: 100-continue', async (t) => {
      const { port } = await start(t)
      const request = begin(port, '/chat', { headers: { ...JSON_HEADERS, expect: '100-continue' } })
      const head = headOf(request)
      request.once('continue', () => request.end('{"late":1}'))
      request.flushHeaders()
      const response = await within(2_000, 'an answer', head)
      t.strictSame(JSON.parse(await textOf(response)).body, { type: 'bytes', text: '{"late":1}' })
    })

    if (parsers) {
      t.test('what the host parsed is taken as it is', async (t) => {
        const { port } = await start(t, { parser: 'json' })
        const answer = await ask(port, '/chat', { body: '{"a":[1,{"b":"\u00e9"}]}' })
        t.strictSame(JSON.parse(answer.text).body, { type: 'parsed', value: { a: [1, { b: '\u00e9' }] } })
        const empty = await ask(port, '/chat', { body: '{}' })
        t.strictSame(JSON.parse(empty.text).body, { type: 'parsed', value: {} })
        const other = await ask(port, '/chat', { headers: { 'content-type': 'text/x-odd' }, body: 'text' })
        t.strictSame(JSON.parse(other.text).body, { type: 'bytes', text: 'text' }, 'the parser passed this one by')
      })

      t.test('an empty object beside an unread stream is no body', async (t) => {
        const { port } = await start(t, { parser: 'empty' })
        const answer = await ask(port, '/chat', { body: '{"real":1}' })
        t.strictSame(JSON.parse(answer.text).body, { type: 'bytes', text: '{"real":1}' })
      })

      t.test('a stream that was read and left nothing is said, not waited for', async (t) => {
        const { port } = await start(t, { parser: 'consumes' })
        for (const body of ['{"gone":1}', '']) {
          const answer = await within(2_000, 'an answer', ask(port, '/chat', { body }))
          t.match(answer, { status: 400 })
          t.strictSame(JSON.parse(answer.text).body, { type: 'consumed' })
        }
      })
    }

    for (const parser of parsers ? (['none', 'json'] as const) : (['none'] as const)) {
      t.test(`a client that leaves before the commit is noticed, parser: ${parser}`, async (t) => {
        const { port, fallback, errors } = await start(t, { parser })
        const arrived = deferred<AbortSignal>()
        fallback.script = async (request) => {
          await request.readBody(MAX_BODY_BYTES)
          arrived.resolve(request.signal)
          await aborted(request.signal)
          return json(499, {})
        }
        const request = begin(port, '/chat')
        request.on('error', () => undefined)
        request.end('{"model":"chat"}')
        const signal = await within(2_000, 'the request arrives', arrived.promise)
        t.equal(signal.aborted, false)
        request.destroy()
        await within(200, 'the signal aborts', aborted(signal))
        await settled()
        t.strictSame(errors, [])
      })

      t.test(`a client that leaves in mid-stream is noticed, parser: ${parser}`, async (t) => {
        const { port, fallback, errors } = await start(t, { parser })
        const sources = streams(fallback)
        const response = await openFed(port, sources)
        await nextChunk(response)
        const [source] = sources
        const { signal } = fallback.requests[0] ?? {}
        await source?.hungry()
        t.equal(signal?.aborted, false, 'no abort is imagined when a body was read')
        response.on('error', () => undefined)
        response.destroy()
        await within(200, 'the signal aborts', aborted(signal as AbortSignal))
        await within(200, 'the stream is closed', source?.closed ?? Promise.resolve())
        await settled()
        t.equal(source?.returns(), 1)
        t.strictSame(errors, [], 'a client may leave')
      })

      t.test(`a client that is answered has not left, parser: ${parser}`, async (t) => {
        const { port, fallback } = await start(t, { parser })
        await ask(port, '/chat')
        const sources = streams(fallback)
        const response = await openFed(port, sources)
        sources[0]?.end()
        await textOf(response)
        await settled()
        t.strictSame(fallback.requests.map(({ signal }) => signal.aborted), [false, false])
      })
    }

    t.test('a client that leaves while it sends is an aborted body', async (t) => {
      const { port, fallback } = await start(t)
      const body = deferred<unknown>()
      fallback.script = async (request) => {
        body.resolve(await request.readBody(MAX_BODY_BYTES))
        return json(400, {})
      }
      const request = begin(port, '/chat', { headers: { ...JSON_HEADERS, 'content-length': '1000' } })
      request.on('error', () => undefined)
      request.write('{"model"')
      request.once('socket', (socket) => socket.once('connect', () => setImmediate(() => request.destroy())))
      t.strictSame(await within(2_000, 'the body', body.promise), { type: 'unreadable', reason: 'aborted' })
    })

    t.test('a client that does not read stops the source, and may leave then', async (t) => {
      const { port, server, fallback, errors } = await start(t)
      const connected = new Promise<Socket>((resolve) => server.once('connection', resolve))
      const item = Buffer.alloc(16_384, 'x')
      const released = deferred()
      let taken = 0
      fallback.script = ({ signal }) =>
        eventStream({
          [Symbol.asyncIterator]: () => ({
            next() {
              taken += item.length
              return Promise.resolve(signal.aborted ? { done: true, value: undefined } : { done: false, value: item })
            },
            return() {
              released.resolve()
              return Promise.resolve({ done: true, value: undefined })
            },
          }),
        })
      const socket = await openSocket(port)
      socket.pause()
      socket.write(rawPost('/chat', '{}'))
      const inKernel = kernelBytes(await within(2_000, 'a connection', connected))
      await until('it starts', () => taken > 0)
      const stopped = await quiet(() => taken)
      t.ok(stopped - inKernel() <= 256 * 1024, `${stopped} taken, ${inKernel()} of them in the kernel`)
      socket.destroy()
      await within(200, 'the stream is closed', released.promise)
      await settled()
      t.strictSame(errors, [])
    })

    t.test('a slow reader gets every byte', async (t) => {
      const { port, fallback } = await start(t)
      const item = Buffer.alloc(50_000, 'y')
      fallback.script = () => eventStream((async function* () { for (let n = 0; n < 100; n += 1) yield item })())
      const response = await open(port, '/chat')
      let total = 0
      for await (const chunk of response) {
        total += chunk.length
        await settled()
      }
      t.equal(total, 5_000_000)
    })

    t.test('the host\'s own hooks see our answers', async (t) => {
      const { port, fallback, seen } = await start(t)
      await ask(port, '/chat')
      const sources = streams(fallback)
      const response = await openFed(port, sources)
      sources[0]?.end()
      await textOf(response)
      await settled()
      t.strictSame(seen, ['POST 200', 'POST 200'])
    })

    t.test('what we did not expect is the host\'s to handle, and the next request is fine', async (t) => {
      const { port, fallback, errors } = await start(t)
      const failure = new Error('not expected')
      fallback.script = () => Promise.reject(failure)
      t.equal((await ask(port, '/chat')).status, 500)
      t.strictSame(errors, [failure])
      fallback.script = echo
      t.equal((await ask(port, '/chat')).status, 200)
    })

    t.test('a request that the host has begun to answer is asked of no leg, and the host hears of it', async (t) => {
      const said: unknown[] = []
      const note = (...line: unknown[]) => void said.push(line)
      let asked = 0
      const open = () => {
        asked += 1
        return words()
      }
      const fallback = createFallback({ chat: [{ name: 'fixed', open }] }, { logger: { debug: note, info: note, warn: note, error: note } })
      t.teardown(() => fallback.close())
      const { port, errors } = await start(t, { fallback, begins: true })
      for (const [index, stream] of [false, true].entries()) {
        const request = begin(port, '/chat')
        request.on('error', () => undefined)
        request.on('response', (response) => response.on('error', () => undefined).resume())
        request.end(JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'x' }], stream }))
        await until('the host hears of it', () => errors.length > index)
        request.destroy()
      }
      await settled()
      t.equal(asked, 0)
      t.match(errors, [{ message: /the host began the response/ }, { message: /the host began the response/ }])
      t.equal(errors.length, 2)
      t.match(said, [[{ code: 'UNDERSTUDY_RESPONSE_BEGUN' }, /no leg was asked/]])
      t.equal(said.length, 1, 'it is said once')
    })

    t.test('pipelined requests are answered in order', async (t) => {
      const { port, fallback } = await start(t)
      const sources = streams(fallback)
      const socket = await openSocket(port)
      t.teardown(() => socket.destroy())
      socket.write([1, 2, 3].map((n) => rawPost('/chat', `{"n":${n}}`)).join(''))
      await until('all three arrive', () => sources.length === 3)
      sources[2]?.push(EVENT('three'))
      sources[2]?.end()
      sources[1]?.push(EVENT('two'))
      sources[1]?.end()
      const all = readUntil(socket, (text) => text.includes('"three"') && text.endsWith('0\r\n\r\n'))
      sources[0]?.push(EVENT('one'))
      sources[0]?.end()
      const text = await within(2_000, 'the answers', all)
      t.strictSame(text.match(/"delta":"(\w+)"/g), ['"delta":"one"', '"delta":"two"', '"delta":"three"'])
    })

    t.test('a client that leaves is noticed by the pipelined requests behind the first', async (t) => {
      const { port, fallback } = await start(t)
      const sources = streams(fallback)
      const socket = await openSocket(port)
      const count = 15
      socket.write(rawPost('/chat', '{}').repeat(count))
      await until('all arrive', () => sources.length === count)
      for (const source of sources) source.push(EVENT('some'))
      socket.destroy()
      await within(200, 'all signals abort', Promise.all(fallback.requests.map(({ signal }) => aborted(signal))))
      await within(200, 'all streams are closed', Promise.all(sources.map(({ closed }) => closed)))
      t.strictSame(sources.map(({ returns }) => returns()), sources.map(() => 1))
    })

    t.test('a stream to an HTTP/1.0 client ends at close, without chunks', async (t) => {
      const { port, fallback } = await start(t)
      const sources = streams(fallback)
      const socket = await openSocket(port)
      const all = readToEnd(socket)
      socket.write(rawPost('/chat', '{}', { version: '1.0', headers: 'connection: keep-alive\r\n' }))
      await until('it arrives', () => sources.length === 1)
      sources[0]?.push(EVENT('one'))
      sources[0]?.push(EVENT('two'))
      sources[0]?.end()
      const text = await within(2_000, 'the close', all)
      t.match(text, /^HTTP\/1\.[01] 200 /)
      t.notMatch(text.toLowerCase(), /transfer-encoding/)
      t.ok(text.endsWith(`\r\n\r\n${EVENT('one')}${EVENT('two')}`), text)
    })

    t.test('a connection is used again after answers of every kind', async (t) => {
      const { port, fallback } = await start(t)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      t.teardown(() => agent.destroy())
      const ports = new Set<number | undefined>()
      for (const script of [echo, () => json(502, {}), () => json(415, {}), echo]) {
        fallback.script = script
        const response = await open(port, '/chat', { agent, body: '{"unread":1}' })
        ports.add(response.socket.localPort)
        await textOf(response)
      }
      t.equal(ports.size, 1)
    })

    t.test('a server that closes lets an open stream end', async (t) => {
      const { port, fallback, close } = await start(t)
      const sources = streams(fallback)
      const response = await openFed(port, sources)
      await nextChunk(response)
      let closed = false
      const closing = close().then(() => {
        closed = true
      })
      await settled()
      t.equal(closed, false, 'it waits')
      sources[0]?.push(EVENT('last'))
      sources[0]?.end()
      t.equal(await within(2_000, 'the rest', textOf(response)), EVENT('last'))
      await within(2_000, 'the close', closing)
      t.equal(fallback.closes(), 0, 'a Fallback that was passed in stays open')
    })

    t.test('with legs behind it: an answer, a stream, the routes, and refusals in the client\'s dialect', async (t) => {
      const fallback = createFallback({ chat: [{ name: 'fixed', open: () => words() }] })
      t.teardown(() => fallback.close())
      const { port } = await start(t, { fallback })
      const body = { model: 'chat', messages: [{ role: 'user', content: 'h\u00e9' }] }
      const answer = await ask(port, '/chat', { body: JSON.stringify(body) })
      t.match([answer.status, JSON.parse(answer.text)], [200, { choices: [{ message: { content: 'some words' } }] }])
      t.match(answer.headers['understudy-trail'], /outcome=served/)
      const streamed = await ask(port, '/chat', { body: JSON.stringify({ ...body, stream: true }) })
      t.match(streamed, { status: 200, headers: { 'cache-control': 'no-cache, no-transform' }, text: /some.*words.*\[DONE\]\n\n$/s })
      const models = await ask(port, '/chat/models', { method: 'GET' })
      t.match(JSON.parse(models.text), { data: [{ id: 'chat' }] })

      for (const type of ['application/json; charset=utf-8', 'application/vnd.host+json']) {
        const { status } = await ask(port, '/chat', { headers: { 'content-type': type }, body: JSON.stringify(body) })
        t.equal(status, 200, type)
      }
      for (const type of ['text/plain', 'nonsense', 'application/x-www-form-urlencoded']) {
        const refused = await ask(port, '/chat', { headers: { 'content-type': type }, body: JSON.stringify(body) })
        t.match([refused.status, JSON.parse(refused.text)], [415, { error: { message: String } }], type)
      }
      const malformed = await ask(port, '/chat', { body: '{' })
      t.match([malformed.status, JSON.parse(malformed.text)], [400, { error: { code: 'invalid_json' } }])
    })

    t.test('a policy check says what would become of a request', async (t) => {
      const fallback = createFallback({ chat: [{ name: 'fixed', open: () => words() }] }, { authorize: () => ({ refuse: 'stop', reason: 'no' }) })
      t.teardown(() => fallback.close())
      const { port } = await start(t, { fallback })
      const body = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'x' }] })
      for (const path of ['/chat/policy-check', '/chat/v1/policy-check/']) {
        const { status, text } = await ask(port, path, { body })
        t.match([status, JSON.parse(text)], [200, { dry_run: true, allowed: false, plan: [{ model: 'fixed/fixed', admitted: false, why: 'refused' }] }])
      }
      t.match(await ask(port, '/chat', { body }), { status: 403, headers: { 'x-should-retry': 'false' } })
    })

    t.test('a mount may speak the classic envelope', async (t) => {
      const fallback = createFallback({ chat: [{ name: 'fixed', open: () => words() }] })
      t.teardown(() => fallback.close())
      const { port } = await start(t, { fallback, options: { envelope: 'classic' } })
      const body = { model: 'chat', messages: [{ role: 'user', content: 'x' }] }
      const answer = await ask(port, '/chat', { body: JSON.stringify(body) })
      t.match(JSON.parse(answer.text), { success: true, metadata: { served_model: 'fixed/fixed' }, choices: [{ message: { content: 'some words' } }] })
      const streamed = await ask(port, '/chat', { body: JSON.stringify({ ...body, stream: true }) })
      t.match(streamed.text, /^data: \{"type":"metadata".*"type":"chunk".*\[DONE\]\n\n$/s)
      t.match(JSON.parse((await ask(port, '/chat', { body: '{' })).text), { success: false, error: 'invalid_json' })
    })

    t.test('shortPaths brings the short paths to the root', async (t) => {
      const fallback = createFallback({ chat: [{ name: 'fixed', open: () => words() }] })
      t.teardown(() => fallback.close())
      const { port } = await start(t, { fallback, mountAt: '', options: { shortPaths: true } })
      t.match(JSON.parse((await ask(port, '/models', { method: 'GET' })).text), { data: [{ id: 'chat' }] })
      t.equal((await ask(port, '/', { body: '{' })).status, 400)
    })

    if (parsers) {
      t.test('a stream that was read before us is a 400 that says where to mount', async (t) => {
        const fallback = createFallback({ chat: [{ name: 'fixed', open: () => words() }] })
        t.teardown(() => fallback.close())
        const { port } = await start(t, { fallback, parser: 'consumes' })
        const answer = await within(2_000, 'an answer', ask(port, '/chat'))
        t.match([answer.status, JSON.parse(answer.text)], [400, { error: { message: /mount|before/ } }])
      })
    }

    t.test('all this without a warning or an unhandled rejection', async (t) => {
      await settled()
      t.strictSame(trouble, [])
    })
  })
}

async function* words(): AsyncGenerator<string> {
  yield 'some '
  yield 'words'
}

/** Opens a stream and feeds its first event, so that its head comes. */
async function openFed(port: number, sources: ByteSource[], headers: Readonly<Record<string, string>> = {}) {
  const before = sources.length
  const response = open(port, '/chat', { headers: { ...JSON_HEADERS, ...headers } })
  await until('the request arrives', () => sources.length > before)
  sources[before]?.push(EVENT('one'))
  return response
}

/** How much a socket has given to the kernel: what libuv took, less what still waits there. */
function kernelBytes(socket: Socket): () => number {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null) throw new Error('a socket without a handle')
  return () => Number(Reflect.get(handle, 'bytesWritten')) - Number(Reflect.get(handle, 'writeQueueSize'))
}

/** The value of a counter that has stopped. */
async function quiet(count: () => number): Promise<number> {
  let last = -1
  while (last !== count()) {
    last = count()
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  return last
}
