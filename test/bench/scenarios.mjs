import { summary } from './figures.mjs'
import { EVENTS_OF_A_BURST } from './load/answers.mjs'

const CONNECTIONS = 32
const BURST_CONNECTIONS = 16
const DENSE_STREAMS = 200
const DENSE_PER_SECOND = 10_000
const SETTLE_MS = 1500

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** What a target spent, in microseconds of processor time, while `work` ran. */
async function spent(target, work) {
  const before = await target.ask('cpu')
  const result = await work()
  return { us: await target.ask('cpu') - before, ...result }
}

function demandWhole(name, { failed, requests }) {
  if (failed > 0) throw new Error(`${name}: ${failed} of ${requests} answers failed`)
}

/**
 * A closed loop of requests, after a warm-up: what each took. In slices, of which the median counts: what a shared machine does beside comes
 * in bursts that hit some of them.
 */
export async function closedLoop({ upstream, client, plan }, target, options) {
  const { legs, stream = false, connections = CONNECTIONS, ms = plan.windowMs, slices = plan.slices } = options
  await upstream.ask('play', legs)
  const load = (forMs) => client.ask('load', { port: target.port, connections, ms: forMs, stream, atLeast: plan.atLeast, longestMs: plan.longestMs })
  await load(plan.warmMs)
  const measured = []
  for (let slice = 0; slice < slices; slice += 1) measured.push(await spent(target, () => load(ms / slices)))
  const medianOf = (figure) => summary(measured.map(figure)).median
  const result = {
    requests: measured.reduce((sum, { requests }) => sum + requests, 0),
    failed: measured.reduce((sum, { failed }) => sum + failed, 0),
    perRequestUs: medianOf(({ us, requests }) => us / requests),
    perSecond: medianOf((slice) => slice.requests / slice.ms * 1000),
    tokenP50Us: medianOf(({ tokenP50Us }) => tokenP50Us),
    tokenP99Us: medianOf(({ tokenP99Us }) => tokenP99Us),
  }
  demandWhole(target.name, result)
  return result
}

async function json1k(bench, target) {
  const { perRequestUs, perSecond } = await closedLoop(bench, target, { legs: ['json-1k', 'json-1k'] })
  return { json1k: perRequestUs, json1kPerSecond: perSecond }
}

export async function json64k(bench, target) {
  const { perRequestUs } = await closedLoop(bench, target, { legs: ['json-64k', 'json-64k'] })
  return { json64k: perRequestUs }
}

/** A closed loop in which leg 1 has to fail every time: a target that leaves it out would be measured for nothing. */
async function failingLoop(bench, target, options) {
  const [before] = await bench.upstream.ask('asked')
  const result = await closedLoop(bench, target, options)
  const [after] = await bench.upstream.ask('asked')
  const asked = after - before
  if (asked < result.requests) throw new Error(`${target.name}: leg 1 was asked ${asked} times for ${result.requests} requests`)
  return result
}

async function firstLeg500(bench, target) {
  const { perRequestUs, perSecond } = await failingLoop(bench, target, { legs: ['error-500', 'json-1k'] })
  return { firstLeg500: perRequestUs, firstLeg500PerSecond: perSecond }
}

/** 100 content events at once. */
export async function burst(bench, target) {
  const result = await closedLoop(bench, target, { legs: ['burst', 'burst'], stream: true, connections: BURST_CONNECTIONS })
  return { burst: result.perRequestUs / EVENTS_OF_A_BURST, burstPerSecond: result.perSecond * EVENTS_OF_A_BURST }
}

/** Open streams that get events in turn, each event in a write of its own. */
export async function dense({ upstream, client, plan }, target, { streams = DENSE_STREAMS, legs = ['held', 'held'] } = {}) {
  await upstream.ask('play', legs)
  await client.ask('open', { port: target.port, count: streams })
  const pace = async (ms) => {
    const before = await client.ask('counts')
    const events = Math.round(DENSE_PER_SECOND * ms / 1000)
    await upstream.ask('pace', { events, perSecond: DENSE_PER_SECOND })
    const deadline = performance.now() + SETTLE_MS
    let received
    do {
      await sleep(5)
      received = (await client.ask('counts')).events - before.events
    } while (received < events && performance.now() < deadline)
    return { events, received }
  }
  await pace(plan.denseMs / 4)
  const slices = []
  for (let slice = 0; slice < plan.slices; slice += 1) {
    const { us, events } = await spent(target, () => pace(plan.denseMs / plan.slices))
    slices.push(us / events)
  }
  await endStreams({ upstream, client }, target, streams)
  return { dense: summary(slices).median }
}

/** Ends the open streams and demands that each ended well. */
async function endStreams({ upstream, client }, target, count) {
  await upstream.ask('release')
  const deadline = performance.now() + 10_000
  let counts
  do {
    await sleep(10)
    counts = await client.ask('counts')
  } while (counts.completed + counts.lost < count && performance.now() < deadline)
  await client.ask('closeStreams')
  if (counts.completed !== count) throw new Error(`${target.name}: ${counts.completed} of ${count} streams completed`)
  return counts.completed
}

/** One request at a time, so that none waits for another. */
export async function firstToken(bench, target) {
  const result = await closedLoop(bench, target, {
    legs: ['first-token', 'first-token'], stream: true, connections: 1, ms: bench.plan.tokenMs,
  })
  return { tokenP50: result.tokenP50Us / 1000, tokenP99: result.tokenP99Us / 1000 }
}

/** From the request to the first token of leg 2, where leg 1 answers 500 at once. */
async function failoverToken(bench, target) {
  const result = await failingLoop(bench, target, {
    legs: ['error-500', 'first-token'], stream: true, connections: 1, ms: bench.plan.tokenMs,
  })
  return { failoverP50: result.tokenP50Us / 1000 }
}

/** Resident memory a slow stream, in KB, in a process that has done nothing else; then every stream must end well. */
export async function memory({ upstream, client, plan }, target) {
  await upstream.ask('play', ['held', 'held'])
  await client.ask('open', { port: target.port, count: 200 })
  await endStreams({ upstream, client }, target, 200)
  await sleep(200)
  const empty = await target.ask('memory')
  const figures = {}
  let open = 0
  for (const count of plan.openStreams) {
    await client.ask('open', { port: target.port, count: count - open })
    open = count
    await upstream.ask('pace', { events: count, perSecond: DENSE_PER_SECOND })
    await sleep(200)
    figures[`memory${count}`] = (await target.ask('memory') - empty) / count / 1024
  }
  figures.completed = await endStreams({ upstream, client }, target, open)
  return figures
}

/**
 * What is done to each target. `direct`: also to the upstream itself. `fallback`: only to targets with a second leg.
 * `warms`: also before the first round. `alone`: in a fresh process, after the rounds.
 */
export const scenarios = [
  { name: 'json-1k', measure: json1k, direct: true, warms: true },
  { name: 'json-64k', measure: json64k, direct: true },
  { name: 'first-leg-500', measure: firstLeg500, fallback: true, warms: true },
  { name: 'burst', measure: burst, direct: true, warms: true },
  { name: 'dense', measure: dense, warms: true },
  { name: 'first-token', measure: firstToken, direct: true },
  { name: 'failover', measure: failoverToken, fallback: true },
  { name: 'memory', measure: memory, alone: true },
]
