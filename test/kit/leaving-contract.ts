import type { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { createFallback } from '@understudy/http'
import type { Fallback, FallbackEvent, InboundRequest } from '@understudy/http'
import { HEALTHY_TEXT, startSimulator } from '@understudy/simulator'
import type { ReceivedCall, Step } from '@understudy/simulator'

import { clientOf } from './any-client.js'
import type { Transport } from './any-client.js'
import { until } from './until.js'
import { within } from './within.js'

/** A running host that serves a `Fallback` at its root. */
export interface LeavingHarness {
  readonly port: number
  readonly server: EventEmitter
  /** What the host's error handling was told. */
  readonly errors: readonly unknown[]
  readonly close: () => Promise<void>
}

type MakeHarness = (fallback: Fallback, transport: Transport) => Promise<LeavingHarness>
type Test = Pick<typeof t, 'teardown' | 'ok'>

const PATH = '/v1/chat/completions'
const BODY = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'x' }] })
const STREAM_BODY = JSON.stringify({ ...JSON.parse(BODY), stream: true })
const STALLS: Step = { connect: 'accept_stall' }
const STALLS_LATER: Step = { fault: { do: 'stall', afterEvents: 3 } }
const LONG: Step = { answer: { text: `${'x'.repeat(4_999)} `.repeat(2_000) } }

/** What becomes of a run, down to its provider's socket, when nobody waits for the answer any more. Over HTTP/1 and HTTP/2. */
export function leavingContract(name: string, makeHarness: MakeHarness): void {
  for (const transport of ['http1', 'http2'] as const) {
    t.test(`${name}, ${transport}`, async (t) => {
      for (const [when, body, step] of [['before the commit', BODY, STALLS], ['in mid-stream', STREAM_BODY, STALLS_LATER]] as const) {
        for (const how of ['cancel', 'error', 'cut'] as const) {
          t.test(`a client that leaves ${when}: ${how}`, async (t) => {
            const { post, simulator, rest, errors } = await start(t, transport, step)
            const exchange = post(body)
            if (step === STALLS_LATER) t.match(await exchange.next(), /data: /)
            const call = await simulator.waitForCall('one', 1)
            exchange.leave(how)
            await atRest(t, call, rest)
            t.equal(simulator.callsOf('two').length, 0)
            t.strictSame(errors, [])
          })
        }

        t.test(`a host that answers by itself ${when}`, async (t) => {
          const { post, simulator, rest, responses } = await start(t, transport, step)
          const exchange = post(body)
          if (step === STALLS_LATER) t.match(await exchange.next(), /data: /)
          const call = await simulator.waitForCall('one', 1)
          if (step === STALLS) responses[0]?.writeHead(503)
          responses[0]?.end('the host')
          t.match([await exchange.status(), await exchange.text()], [step === STALLS ? 503 : 200, /the host$/])
          await atRest(t, call, rest)
          t.equal(simulator.callsOf('two').length, 0)
        })
      }

      t.test('a client that leaves without reading what waits for it', async (t) => {
        const { post, simulator, rest, errors } = await start(t, transport, LONG)
        const exchange = post(STREAM_BODY)
        const call = await simulator.waitForCall('one', 1)
        await exchange.status()
        const sent = await quiet(() => call.bytesSent)
        exchange.leave()
        const { by } = await atRest(t, call, rest)
        t.equal(by, 'client', `${sent} bytes were sent`)
        t.strictSame(errors, [])
      })

      t.test('a client that leaves while it sends', async (t) => {
        const { post, simulator, rest, handled } = await start(t, transport, {})
        const exchange = post(BODY, BODY.length - 1)
        await until('it arrives', () => handled.length === 1)
        exchange.leave()
        await within(1_000, 'it is over', handled[0] ?? Promise.reject())
        t.equal(rest().openRuns, 0)
        t.equal(simulator.calls.length, 0)
      })

      t.test('a client that got its whole answer has not left', async (t) => {
        const { post, requests, responses, ends, errors } = await start(t, transport, {})
        for (const [body, expected] of [[BODY, HEALTHY_TEXT], [STREAM_BODY, '[DONE]'], ['{', 'invalid_json']] as const) {
          const closed = new Promise<void>((resolve) => responses.next((res) => res.once('close', resolve)))
          t.ok((await within(2_000, 'an answer', post(body).text())).includes(expected), expected)
          await within(2_000, 'the close', closed)
        }
        t.strictSame(requests.map(({ signal }) => signal.aborted), [false, false, false])
        t.strictSame(ends.map(({ errorCode, verdict }) => [errorCode, verdict]), [[undefined, 'success'], [undefined, 'success']])
        t.strictSame(errors, [])
      })

      t.test('a slow client gets every byte', async (t) => {
        const { post, ends } = await start(t, transport, LONG)
        const exchange = post(STREAM_BODY)
        await exchange.status()
        await quiet(() => ends.length)
        const text = await within(20_000, 'all of it', exchange.text())
        t.ok(text.length > 10_000_000 && text.endsWith('data: [DONE]\n\n'), `${text.length} bytes`)
      })
    })
  }

  async function start(t: Test, transport: Transport, step: Step) {
    const simulator = await startSimulator({ script: { models: { one: [step], two: [{}] } } })
    t.teardown(() => simulator.close())
    const provider = { dialect: 'openai', baseURL: simulator.url, apiKey: 'x' } as const
    const fallback = createFallback({ chat: ['a/one', 'b/two'] }, { providers: { a: provider, b: provider } })
    t.teardown(() => fallback.close())
    const ends: Extract<FallbackEvent, { type: 'run-end' }>[] = []
    fallback.on((event) => void (event.type === 'run-end' && ends.push(event)))
    const requests: InboundRequest[] = []
    const handled: Promise<unknown>[] = []
    const { matches, snapshot, on, chains, drills, closing, close } = fallback
    const handle: Fallback['handle'] = (request) => {
      requests.push(request)
      const response = fallback.handle(request)
      handled.push(response)
      return response
    }
    const { port, server, errors, close: stop } = await makeHarness({ matches, handle, snapshot, on, chains, drills, closing, close }, transport)
    t.teardown(stop)
    const responses = collect(server)
    const client = await clientOf(transport, port)
    t.teardown(client.close)
    const rest = () => ({ openRuns: snapshot().openRuns, failures: snapshot().breakers.map(({ failures }) => failures) })
    return { simulator, ends, requests, handled, responses, errors, rest, post: (body: string, bytes?: number) => client.post(PATH, body, bytes) }
  }
}

/** The responses of a server as they come, and the next one. */
function collect(server: EventEmitter): ServerResponse[] & { next(listener: (res: ServerResponse) => void): void } {
  const responses: ServerResponse[] = []
  server.prependListener('request', (_req: unknown, res: ServerResponse) => void responses.push(res))
  return Object.assign(responses, {
    next: (listener: (res: ServerResponse) => void) =>
      void server.prependOnceListener('request', (_req: unknown, res: ServerResponse) => listener(res)),
  })
}

/** The provider's connection is closed, no run is open, and nobody was charged. */
async function atRest(t: Test, call: ReceivedCall, rest: () => { openRuns: number, failures: number[] }) {
  const end = await within(1_000, 'the provider sees a close', call.closed)
  await until('no run is open', () => rest().openRuns === 0)
  t.ok(rest().failures.every((count) => count === 0), 'nobody is charged')
  return end
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
