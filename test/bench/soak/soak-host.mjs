import { setTimeout as pause } from 'node:timers/promises'
import { createFallback } from '@understudy/http'
import { startSimulator } from '@understudy/simulator'
import { abortPoints, routes, script } from './abort-points.mjs'
import { abortedStream } from './aborted-stream.mjs'
import { hosts } from './hosts.mjs'
import { heapAfterCollection, openHandles, processListeners } from './watch-process.mjs'

const SETTLE_MS = 5000
const AT_ONCE = 32

/** A number below `limit`, the same sequence in each run. */
function createRandom(seed) {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * limit)
  }
}

/** What a stream's number leads to: the provider's call and the server's response. */
function createMeetings() {
  const calls = new Map()
  const responses = new Map()
  return {
    received: ({ body, model }) => {
      // The leg that stays is the one to wait for; a broken one comes before it.
      if (model !== 'broken') calls.get(body?.messages?.[0]?.content)?.()
    },
    callOf: (number) => new Promise((resolve) => calls.set(`stream ${number}`, resolve)),
    begun: (req, res) => {
      const number = Number(req.headers['x-soak'])
      responses.set(number, res)
      res.on('close', () => responses.delete(number))
    },
    responseOf: (number) => responses.get(number),
    forget: (number) => calls.delete(`stream ${number}`),
  }
}

/** Aborts `streams` streams on one framework, and tells what was left after `firstStreams`, after all, and after closing. */
export async function soakHost(framework, { streams, firstStreams }) {
  const before = { handles: openHandles(), listeners: processListeners() }
  const meetings = createMeetings()
  const simulator = await startSimulator({ script, keepCalls: 1, onCall: meetings.received })
  const fallback = createFallback(routes, {
    providers: { simulator: { dialect: 'openai', baseURL: simulator.url, apiKey: 'sk-soak' } },
    // On, but never open: a leg that is meant to fail each time has to be asked each time.
    breaker: { failureThreshold: 1_000_000_000 },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const host = await hosts[framework](fallback)
  host.server.on('request', meetings.begun)
  const { port } = host.server.address()
  const random = createRandom(7)
  const from = performance.now()
  let number = 0
  const aborted = {}
  let serverWaited = 0

  const abortUpTo = async (count) => {
    const worker = async () => {
      while (number < count) {
        const point = abortPoints[number % abortPoints.length]
        const mine = number++
        const waited = await abortedStream({ port, path: '/chat/completions', point, number: mine, random, ...meetings })
        meetings.forget(mine)
        aborted[point.name] = (aborted[point.name] ?? 0) + 1
        if (waited === true) serverWaited += 1
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }
  const connections = () => new Promise((resolve, reject) => host.server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
  const settle = async () => {
    const deadline = performance.now() + SETTLE_MS
    while (performance.now() < deadline && (await connections() > 0 || fallback.snapshot().openRuns > 0)) await pause(10)
    return { serverConnections: await connections(), openRuns: fallback.snapshot().openRuns }
  }

  await abortUpTo(firstStreams)
  await settle()
  const firstHeap = await heapAfterCollection()
  await abortUpTo(streams)
  const left = await settle()
  const lastHeap = await heapAfterCollection()
  const idle = { providerSockets: simulator.openSockets, timers: openHandles().timers - before.handles.timers }
  const seconds = (performance.now() - from) / 1000

  await fallback.close()
  await host.close()
  await simulator.waitForNoSockets({ timeoutMs: SETTLE_MS }).catch(() => undefined)
  left.providerSockets = simulator.openSockets
  await simulator.close()
  await heapAfterCollection()
  left.handles = difference(openHandles(), before.handles)
  left.processListeners = processListeners() - before.listeners
  return {
    framework, streams, seconds, aborted, serverWaited, idle, left,
    heap: { afterFirst: firstHeap, afterAll: lastHeap, growth: lastHeap / firstHeap - 1 },
  }
}

/** What there is more of now than before, by kind. */
function difference(now, before) {
  const more = Object.entries(now).map(([kind, count]) => [kind, count - (before[kind] ?? 0)])
  return Object.fromEntries(more.filter(([, count]) => count > 0))
}
