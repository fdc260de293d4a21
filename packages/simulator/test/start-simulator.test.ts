import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import OpenAI, { AzureOpenAI } from 'openai'
import t from 'tap'
import { HEALTHY_TEXT, refusedUrl, selfSignedCertificate, startSimulator, type SimulatorOptions } from '../src/index.js'
import { exchange, streamed, whole } from './raw-client.js'

async function start(t: { teardown: (done: () => Promise<void>) => void }, options?: SimulatorOptions) {
  const simulator = await startSimulator(options)
  t.teardown(() => simulator.close())
  return simulator
}

const messages = [{ role: 'user' as const, content: 'hi' }]

t.test('answers the healthy text to the official client, streamed and whole', async (t) => {
  const simulator = await start(t)
  const client = new OpenAI({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 })
  const answer = await client.chat.completions.create({ model: 'any', messages })
  t.equal(answer.choices[0]?.message.content, HEALTHY_TEXT)

  const pieces: string[] = []
  for await (const chunk of await client.chat.completions.create({ model: 'any', messages, stream: true })) {
    pieces.push(chunk.choices[0]?.delta.content ?? '')
  }
  t.equal(pieces.join(''), HEALTHY_TEXT)
  t.equal(pieces.filter((piece) => piece !== '').length, 60)
  t.strictSame(simulator.calls.map(({ stream, number }) => [stream, number]), [[false, 1], [true, 2]])
})

t.test('an option that there is none of is refused, since it would be without effect', async (t) => {
  const options: object = { strict: true }
  await t.rejects(startSimulator(options), { name: 'TypeError', message: /unknown option 'strict'.*'script'/ })
})

t.test('answers for a model whose name holds half a character', async (t) => {
  const simulator = await start(t)
  const body = '{"model":"a\\ud800","messages":[{"role":"user","content":"hi"}]}'
  const response = await fetch(`${simulator.url}/chat/completions`, { method: 'POST', body })
  t.strictSame([response.status, response.headers.get('x-request-id')], [200, 'req-a%EF%BF%BD-1'])
  await response.body?.cancel()
})

t.test('plays the steps of a model in order to the official client, the last one for ever', async (t) => {
  const simulator = await start(t, {
    script: { models: { m: [{ status: 429 }, { fault: { do: 'reset', afterEvents: 2 } },
      { answer: { text: 'well' } }] } },
  })
  const client = new OpenAI({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 })
  const ask = async () => {
    let text = ''
    try {
      for await (const chunk of await client.chat.completions.create({ model: 'm', messages, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? ''
      }
    } catch (error) {
      return [text, error instanceof OpenAI.APIError ? (error.status ?? 'connection') : 'cut']
    }
    return [text, 'whole']
  }
  t.strictSame([await ask(), await ask(), await ask(), await ask()], [
    ['', 429],
    ['The ', 'cut'],
    ['well', 'whole'],
    ['well', 'whole'],
  ])
  t.strictSame(simulator.callsOf('m').map(({ step, status }) => [step, status]),
    [[0, 429], [1, 200], [2, 200], [2, 200]])
})

t.test('serves Azure\'s paths; the deployment is the model', async (t) => {
  const simulator = await start(t, { script: { models: { dep: [{ apiKey: 'key', answer: { text: 'hi' } }] } } })
  const client = new AzureOpenAI({ endpoint: simulator.origin, apiKey: 'key', apiVersion: '2024-10-21',
    deployment: 'dep' })
  const answer = await client.chat.completions.create({ model: 'ignored', messages })
  t.equal(answer.choices[0]?.message.content, 'hi')
  t.match(simulator.calls, [{ model: 'dep', query: { 'api-version': '2024-10-21' }, headers: { 'api-key': 'key' } }])
})

t.test('lists the models of the script', async (t) => {
  const simulator = await start(t, { script: { models: { a: [{}], b: [{}] } } })
  const client = new OpenAI({ baseURL: simulator.url, apiKey: 'key' })
  const ids: string[] = []
  for await (const { id } of client.models.list()) ids.push(id)
  t.strictSame(ids, ['a', 'b'])
})

t.test('refuses what the vendor refuses, and records it', async (t) => {
  const simulator = await start(t, { script: { models: { m: [{}] }, apiKey: 'k' } })
  const headers = { authorization: 'Bearer k' }
  const rows: [Parameters<typeof exchange>[1], number, RegExp][] = [
    [{ headers, body: { ...whole, model: 'other' } }, 404, /"code":"model_not_found"/],
    [{ headers, body: { messages } }, 400, /model parameter/],
    [{ headers, body: '{"model":' }, 400, /could not parse/],
    [{ headers, body: '' }, 400, /The body is empty/],
    [{ headers, path: '/v1/nothing?x=1' }, 404, /Invalid URL \(POST \/v1\/nothing\)/],
    [{ headers, path: '//' }, 404, /Invalid URL/],
    [{ headers, path: '/openai/deployments/%zz/chat/completions' }, 404, /%zz/],
    [{ headers, method: 'GET' }, 404, /Invalid URL \(GET/],
    [{ method: 'GET', path: '/v1/models' }, 401, /did not provide/],
    [{}, 401, /did not provide/],
    [{ headers }, 200, /data:/],
  ]
  for (const [options, status, body] of rows) {
    const seen = await exchange(simulator, options)
    t.match(seen, { statusLine: `HTTP/1.1 ${status}`, body, ended: 'complete' }, `${status} ${body.source}`)
  }
  t.equal(simulator.calls.length, rows.length)
  t.strictSame(simulator.calls.map(({ status }) => status), rows.map(([, status]) => status))
})

t.test('answers any model with the fallback step', async (t) => {
  const simulator = await start(t, { script: { models: { m: [{}] }, fallback: { status: 503 } } })
  t.match(await exchange(simulator, { body: { ...streamed, model: 'other' } }), { statusLine: /503/ })
  t.match(await exchange(simulator), { statusLine: /200/ })
})

t.test('records what came, and how it ended', async (t) => {
  const received: string[] = []
  const simulator = await start(t, { onCall: ({ path }) => received.push(path) })
  await exchange(simulator, { path: '/v1/chat/completions?a=1', headers: { 'X-Own': 'yes' } })
  const [call] = simulator.calls
  t.match(call, {
    model: 'm', number: 1, step: 0, method: 'POST', path: '/v1/chat/completions', query: { a: '1' },
    headers: { 'x-own': 'yes' }, body: streamed, stream: true, connection: 1, status: 200,
  })
  t.strictSame(JSON.parse(call?.rawBody.toString() ?? ''), streamed)
  t.ok(call?.rawHeaders.includes('X-Own'))
  const end = await call?.closed
  t.match(end, { by: 'simulator', complete: true })
  t.ok((end?.at ?? 0) >= (call?.at ?? Infinity))
  t.strictSame(received, ['/v1/chat/completions'])
})

t.test('tells who ended a call', async (t) => {
  const simulator = await start(t, { script: { models: { m: [{ fault: { do: 'stall' } },
    { fault: { do: 'reset' } }] } } })
  await exchange(simulator, { deadlineMs: 50 })
  await exchange(simulator)
  const ends = await Promise.all(simulator.calls.map(({ closed }) => closed))
  t.match(ends, [{ by: 'client', complete: false }, { by: 'simulator', complete: false }])
})

t.test('keeps a connection after an answer, and not after a reset', async (t) => {
  const simulator = await start(t, { script: { models: { m: [{}, {}, { fault: { do: 'reset' } }, {}] } } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const post = () => new Promise<string>((resolve) => {
    const sent = request({ port: simulator.port, path: '/v1/chat/completions', method: 'POST', agent }, (response) => {
      response.resume()
      response.once('close', () => resolve(response.complete ? 'complete' : 'cut'))
    })
    sent.once('error', () => resolve('error'))
    sent.end(JSON.stringify(streamed))
  })
  t.strictSame([await post(), await post(), await post(), await post()], ['complete', 'complete', 'error', 'complete'])
  t.strictSame(simulator.calls.map(({ connection }) => connection), [1, 1, 1, 2])
})

t.test('pipelined requests are answered in order', async (t) => {
  const simulator = await start(t, { script: { models: { a: [{ delayMs: 30, body: 'first' }],
    b: [{ body: 'second' }] } } })
  const socket = connect(simulator.port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  for (const model of ['a', 'b']) {
    const body = JSON.stringify({ model })
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  }
  let seen = ''
  while (!seen.endsWith('second')) seen += String((await once(socket, 'data'))[0])
  t.match(seen, /first.*second/s)
})

t.test('a new script starts the counters and the record anew; a reset keeps the script', async (t) => {
  const simulator = await start(t)
  await exchange(simulator)
  simulator.setScript({ models: { m: [{ status: 500 }, {}] } })
  t.strictSame(simulator.calls, [])
  t.match(await exchange(simulator), { statusLine: /500/ })
  t.match(await exchange(simulator), { statusLine: /200/ })
  simulator.reset()
  t.match(await exchange(simulator), { statusLine: /500/ })
  t.strictSame(simulator.calls.map(({ number }) => number), [1])
  t.throws(() => simulator.setScript({ models: { m: [] } }), { code: 'SIMULATOR_SCRIPT_INVALID' })
  t.equal(simulator.calls.length, 1, 'an invalid script changes nothing')
})

t.test('waits for a call and for the last connection, with a deadline that says what came', async (t) => {
  const simulator = await start(t, { script: { models: { m: [{ connect: 'accept_stall' }] } } })
  const coming = simulator.waitForCall('m', 2)
  const exchanges = [exchange(simulator, { deadlineMs: 300 }), exchange(simulator, { deadlineMs: 300 })]
  t.match(await coming, { model: 'm', number: 2 })
  t.match(await simulator.waitForCall('m', 1), { number: 1 })
  t.equal(simulator.openSockets, 2)
  await t.rejects(simulator.waitForCall('m', 3, { timeoutMs: 20 }), {
    message: "waitForCall: call 3 of model 'm' did not come within 20 ms; received: m, m",
  })
  await t.rejects(simulator.waitForNoSockets({ timeoutMs: 20 }),
    { message: 'waitForNoSockets: 2 still open after 20 ms' })
  await Promise.all(exchanges)
  await simulator.waitForNoSockets()
  t.equal(simulator.openSockets, 0)
})

t.test('keeps only so many calls if told to', async (t) => {
  const simulator = await start(t, { keepCalls: 2 })
  for (let round = 0; round < 3; round += 1) await exchange(simulator)
  t.strictSame(simulator.calls.map(({ number }) => number), [2, 3])
  t.match(await simulator.waitForCall('m', 3), { number: 3 })
})

t.test('serves TLS with a certificate of its own, and resets below it', async (t) => {
  const tls = selfSignedCertificate()
  const simulator = await start(t, { tls, script: { models: { m: [{ body: 'safe' }, { fault: { do: 'reset' } }] } } })
  t.match(simulator.url, /^https:/)
  const agent = new TlsAgent({ ca: tls.cert })
  const post = (options: object) => new Promise<string>((resolve) => {
    const sent = tlsRequest({ port: simulator.port, path: '/v1/chat/completions', method: 'POST', ...options },
      (response) => {
      let text = ''
      response.on('data', (bytes) => (text += String(bytes)))
      response.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
      response.once('end', () => resolve(text))
    })
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    sent.end(JSON.stringify(streamed))
  })
  t.equal(await post({}), 'DEPTH_ZERO_SELF_SIGNED_CERT')
  t.equal(await post({ agent }), 'safe')
  t.equal(await post({ agent }), 'ECONNRESET')
})

t.test('gives a URL where connections are refused', async (t) => {
  const client = new OpenAI({ baseURL: await refusedUrl(), apiKey: 'key', maxRetries: 0 })
  await t.rejects(client.chat.completions.create({ model: 'm', messages }),
    { cause: { cause: { code: 'ECONNREFUSED' } } })
})

t.test('says that a port is taken', async (t) => {
  const { port } = await start(t)
  await t.rejects(startSimulator({ port }), { code: 'EADDRINUSE' })
})

t.test('close ends stalled and paced calls and waiting tests', async (t) => {
  const models = ['stall', 'slow', 'late']
  const simulator = await startSimulator({
    script: { models: { stall: [{ connect: 'accept_stall' }], slow: [{ eventDelayMs: 60_000 }],
      late: [{ delayMs: 60_000 }] } },
  })
  const exchanges = models.map((model) => exchange(simulator, { body: { ...streamed, model } }))
  await Promise.all(models.map((model) => simulator.waitForCall(model, 1)))
  const ends = simulator.calls.map(({ closed }) => closed)
  await Promise.all([
    t.rejects(simulator.waitForCall('never', 1, { timeoutMs: 60_000 }), {
      message: /did not come before the simulator was closed; received: stall, slow, late/,
    }),
    t.rejects(simulator.waitForNoSockets({ timeoutMs: 60_000 }).then(() => Promise.reject(new Error('none'))),
      { message: 'none' }),
    simulator.close(),
    simulator.close(),
  ])
  t.match(await Promise.all(ends), models.map(() => ({ by: 'simulator', complete: false })))
  await Promise.all(exchanges)
})

t.test('a process that closed its simulator in the middle of everything ends by itself', async (t) => {
  const program = fileURLToPath(new URL('close-and-exit.ts', import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(20_000) })
  t.match(String((await once(child.stdout, 'data'))[0]), 'closed')
  const closedAt = Date.now()
  t.strictSame(await exited, [0, null])
  t.ok(Date.now() - closedAt < 3_000)
})
