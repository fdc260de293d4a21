import { isConfigError } from '@understudy/config'
import { isLegFailedError } from '@understudy/core'
import type { Failure } from '@understudy/core'
import { selfSignedCertificate } from '@understudy/simulator'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createNetServer } from 'node:net'
import type { Socket } from 'node:net'
import { inspect } from 'node:util'
import t from 'tap'
import type { Test } from 'tap'
import type { ProviderAgents } from '../../src/outbound/agents.js'
import { createProviderAgents } from '../../src/outbound/agents.js'
import { settled, until } from '../../../../test/kit/until.js'
import {
  CANARY,
  contextOf,
  JSON_REQUEST,
  legOn,
  listen,
  partsOf,
  rejection,
  requestOf,
  serve,
  textOf,
} from './kit.js'

const answerHi = (response: ServerResponse): void =>
  void response.setHeader('content-type', 'application/json').end('{"text":"hi"}')

async function failureAt(t: Test, url: string): Promise<{ failure: Failure; connects: number }> {
  const context = contextOf()
  const error = await rejection(legOn(t, url).open(requestOf(JSON_REQUEST), context))
  if (!isLegFailedError(error)) throw new Error('no LegFailedError', { cause: error })
  t.notMatch(inspect(error, { depth: 9, showHidden: true }), CANARY)
  return { failure: error.failure, connects: context.connects() }
}

t.test('a connection that never was is a connection_error that nobody can have processed', async (t) => {
  const port = await freePort()
  t.strictSame(await failureAt(t, `http://127.0.0.1:${port}`), {
    failure: { kind: 'connection_error', processed: 'no', code: 'ECONNREFUSED' },
    connects: 0,
  })
  t.match(await failureAt(t, 'http://no-such-host.invalid'), {
    failure: { kind: 'connection_error', processed: 'no', code: /^(ENOTFOUND|EAI_AGAIN)$/ },
    connects: 0,
  })
  const garbage = await listen(t, createNetServer((socket) => socket.end('this is no TLS\r\n')))
  t.match(await failureAt(t, `https://127.0.0.1:${garbage.port}`), {
    failure: { kind: 'connection_error', processed: 'no', code: /./ },
    connects: 0,
  })
  const tls = await listen(t, createTlsServer(selfSignedCertificate()))
  t.match(await failureAt(t, `https://127.0.0.1:${tls.port}`), {
    failure: { kind: 'connection_error', processed: 'no', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    connects: 0,
  })
})

t.test('a connection that broke after the request was written is one that may have processed it', async (t) => {
  const closing = await listen(t, createNetServer((socket) => socket.once('data', () => socket.end())))
  t.match(await failureAt(t, `http://127.0.0.1:${closing.port}`), {
    failure: { kind: 'connection_error', processed: 'maybe', code: 'UND_ERR_SOCKET' },
    connects: 1,
  })
  const garbage = await listen(t, createNetServer((socket) => socket.once('data', () => socket.end('SSH-2.0 hello\r\n'))))
  t.match(await failureAt(t, `http://127.0.0.1:${garbage.port}`), {
    failure: { kind: 'connection_error', processed: 'maybe', code: 'HTTPParserError' },
    connects: 1,
  })
})

t.test('an abort while connecting settles at once and stops the connecting', async (t) => {
  const port = await fullBacklog(t)
  const context = contextOf()
  const leg = legOn(t, `http://127.0.0.1:${port}`)
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name.endsWith('ConnectWrap')).length
  const before = sockets()
  const opening = rejection(leg.open(requestOf(JSON_REQUEST), context))
  await until('it is connecting', () => sockets() > before)
  context.abort('gone')
  t.equal(await opening, 'gone')
  t.equal(context.connects(), 0)
  await until('nothing connects', () => sockets() === before)
})

t.test('an abort during a TLS handshake closes the socket, and the next request is not hurt', async (t) => {
  const { port, sockets, total } = await listen(t, createNetServer())
  const leg = legOn(t, `https://127.0.0.1:${port}`)
  for (let round = 1; round < 4; round += 1) {
    const context = contextOf()
    const opening = rejection(leg.open(requestOf(JSON_REQUEST), context))
    await until('it is connected', () => total() === round)
    context.abort('gone')
    t.equal(await opening, 'gone')
    for (const socket of sockets) socket.resume()
    await until('the socket is closed', () => sockets.size === 0)
  }
})

t.test('close ends what is in flight, and what comes later fails', async (t) => {
  const server = await serve(t, () => undefined)
  const agents = createProviderAgents({ proxy: { type: 'none' } })
  const leg = legOn(t, server.url, { agents })
  const opening = rejection(leg.open(requestOf(JSON_REQUEST), contextOf()))
  await until('it was called', () => server.calls.length === 1)
  await Promise.all([agents.close(), agents.close()])
  t.match(await opening, { failure: { kind: 'connection_error', processed: 'maybe' } })
  t.match(await rejection(leg.open(requestOf(JSON_REQUEST), contextOf())), {
    failure: { kind: 'connection_error', processed: 'no', code: 'UND_ERR_DESTROYED' },
  })
  await until('the socket is closed', () => server.open() === 0)
})

t.test('each provider has connections of its own', async (t) => {
  const agents = createProviderAgents({ proxy: { type: 'none' } })
  t.equal(agents.dispatcherOf('a'), agents.dispatcherOf('a'))
  t.not(agents.dispatcherOf('a'), agents.dispatcherOf('b'))
  await agents.close()
})

t.test('a proxy', async (t) => {
  const tunnels: string[] = []
  const proxy = createNetServer((client) => {
    client.once('data', (head) => {
      const [line = ''] = head.toString().split('\r\n')
      tunnels.push(line)
      const port = Number(/:(\d+) /.exec(line)?.[1])
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(upstream).pipe(client)
      })
      upstream.on('error', () => client.destroy())
      client.on('error', () => upstream.destroy())
      client.on('close', () => upstream.destroy())
    })
  })
  const { port } = await listen(t, proxy)
  const url = `http://user:${CANARY}@127.0.0.1:${port}`

  t.test('that is a URL takes every request', async (t) => {
    const server = await serve(t, answerHi)
    const agents = createProviderAgents({ proxy: { type: 'url', url: () => url } })
    const answer = await legOn(t, server.url, { agents }).open(requestOf(JSON_REQUEST), contextOf())
    t.equal(textOf(await partsOf(answer)), 'hi<end>')
    t.strictSame(tunnels, [`CONNECT 127.0.0.1:${server.port} HTTP/1.1`])
    t.notMatch(inspect(agents, { depth: 12, showHidden: true }), CANARY)
  })

  t.test('of the environment is used, but for what NO_PROXY names', async (t) => {
    const server = await serve(t, answerHi)
    const saved = { ...process.env }
    t.teardown(() => {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy']) {
        if (saved[name] === undefined) delete process.env[name]
        else process.env[name] = saved[name]
      }
    })
    for (const name of ['http_proxy', 'no_proxy', 'NO_PROXY']) delete process.env[name]
    process.env['HTTP_PROXY'] = url
    tunnels.length = 0
    const through = createProviderAgents()
    await partsOf(await legOn(t, server.url, { agents: through }).open(requestOf(JSON_REQUEST), contextOf()))
    t.equal(tunnels.length, 1)
    process.env['NO_PROXY'] = '127.0.0.1'
    const beside = createProviderAgents()
    await partsOf(await legOn(t, server.url, { agents: beside }).open(requestOf(JSON_REQUEST), contextOf()))
    t.equal(tunnels.length, 1)
  })

  t.test('that hangs up, refuses or says nothing is a connection_error, or waits for the abort', async (t) => {
    const failing = { 'hangs up': '', refuses: 'HTTP/1.1 407 no\r\ncontent-length: 0\r\n\r\n' }
    for (const [name, answer] of Object.entries(failing)) {
      const { port } = await listen(t, createNetServer((client) => client.once('data', () => client.end(answer))))
      const agents = createProviderAgents({ proxy: { type: 'url', url: () => `http://127.0.0.1:${port}` } })
      const leg = legOn(t, 'https://127.0.0.1:1', { agents })
      const error = await rejection(leg.open(requestOf(JSON_REQUEST), contextOf()))
      const code = name === 'refuses' ? 'proxy_status_407' : String
      t.match(error, { failure: { kind: 'connection_error', processed: 'no', code } }, name)
    }
    let closed = 0
    const silent = await listen(t, createNetServer((client) => client.resume().on('close', () => (closed += 1))))
    const agents = createProviderAgents({ proxy: { type: 'url', url: () => `http://127.0.0.1:${silent.port}` } })
    const context = contextOf()
    const opening = rejection(legOn(t, 'https://127.0.0.1:1', { agents }).open(requestOf(JSON_REQUEST), context))
    await until('the proxy was called', () => silent.sockets.size === 1)
    context.abort('gone')
    t.equal(await opening, 'gone')
    await until('the socket to the proxy is closed', () => closed === 1)
    await settled()
    t.equal(silent.total(), 1, 'and nobody connects anew')
  })

  t.test('whose tunnel leads to a silent TLS: the attempt and the agents end it at its socket, at once', async (t) => {
    const established = 'HTTP/1.1 200 Connection established\r\n\r\n'
    let handshakes = 0
    const proxy = await listen(t, createNetServer((client) => {
      client.once('data', () => {
        client.write(established)
        client.once('data', () => (handshakes += 1))
      })
    }))
    const open = (agents: ProviderAgents) => {
      const context = contextOf()
      return { context, opening: rejection(legOn(t, 'https://127.0.0.1:1', { agents }).open(requestOf(JSON_REQUEST), context)) }
    }
    for (const end of ['abort', 'close'] as const) {
      const before = handshakes
      const agents = createProviderAgents({ proxy: { type: 'url', url: () => `http://127.0.0.1:${proxy.port}` } })
      const { context, opening } = open(agents)
      await until('the handshake has begun', () => handshakes > before)
      if (end === 'abort') context.abort('gone')
      else await agents.close()
      await until(`${end}: the tunnel is closed`, () => proxy.sockets.size === 0)
      context.abort('gone')
      await opening
    }
  })

  t.test('that is no URL is refused without being quoted', async (t) => {
    const agents = createProviderAgents({ proxy: { type: 'url', url: () => `user:${CANARY}@` } })
    const error = await rejection((async () => agents.dispatcherOf('acme'))())
    t.ok(isConfigError(error))
    t.match(error, { issues: [{ path: 'proxy', message: 'is not a URL such as http://proxy.example:3128' }] })
    t.notMatch(inspect(error, { depth: 9, showHidden: true }), CANARY)
  })
})

t.test('a process ends by itself with idle connections and agents that nobody closed', async (t) => {
  const server = await serve(t, answerHi)
  server.server.keepAliveTimeout = 60_000
  const script = `
    import { createProviderAgents } from './packages/http/src/outbound/agents.js'
    import { contextOf, JSON_REQUEST, partsOf, plainCodec, providerOf, requestOf } from './packages/http/test/outbound/kit.js'
    import { createHttpLeg } from './packages/http/src/outbound/http-leg.js'
    const leg = createHttpLeg({
      provider: providerOf(process.argv[1]), codec: plainCodec(), model: 'm', bufferedVia: 'json',
      agents: createProviderAgents({ proxy: { type: 'none' } }),
    })
    const parts = await partsOf(await leg.open(requestOf(JSON_REQUEST), contextOf()))
    console.log(parts[0].text, process.getActiveResourcesInfo().join())
  `
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', script, server.url], {
    cwd: new URL('../../../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // What a busy machine takes to start it is not what is asked: less than the 10 s of an idle connection, from its answer on.
  let timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const output: string[] = []
  child.stdout.on('data', (data) => {
    output.push(String(data))
    clearTimeout(timer)
    timer = setTimeout(() => child.kill('SIGKILL'), 8_000)
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  t.equal(code, 0)
  t.match(output.join(''), /^hi/)
})

async function freePort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A port where a connect hangs: nobody accepts, and the backlog is full. */
async function fullBacklog(t: Test): Promise<number> {
  const script = `
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000)
    })
  `
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(output)
  const fillers: Socket[] = []
  t.teardown(() => {
    child.kill('SIGKILL')
    for (const filler of fillers) filler.destroy()
  })
  let hangs = false
  while (!hangs) {
    const filler = connect(port, '127.0.0.1').on('error', () => undefined)
    fillers.push(filler)
    hangs = await Promise.race([
      once(filler, 'connect').then(() => false),
      new Promise<boolean>((resolve) => setTimeout(resolve, 100, true)),
    ])
  }
  return port
}
