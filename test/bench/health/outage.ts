import { createServer } from 'node:http'

import { fallbackMiddleware } from '@understudy/express'
import { createFallback } from '@understudy/http'
import type { Fallback, FallbackEvent } from '@understudy/http'
import type { Step } from '@understudy/simulator'
import { eventually } from '../../kit/eventually.js'
import type { Death } from './mortal-provider.js'
import { startMortalProvider } from './mortal-provider.js'
import { startSteadyLoad } from './steady-load.js'

export interface OutageOptions {
  readonly inFlight: number
  readonly recoveryMs: number
  /** How long either provider takes until it begins to answer. */
  readonly answerMs: number
}

/** What an outage came to. */
export interface OutageFigures {
  readonly requests: number
  readonly lost: readonly string[]
  /** Streams whose text had begun when the provider died. */
  readonly cut: number
  /** Attempts that had begun when the breaker opened, and failed. */
  readonly failedBefore: number
  /** Attempts on the provider from the moment its breaker opened until it closed. */
  readonly callsWhileOpen: number
  /** What the provider itself received of them, from the end of the last request that began before, until it was well. */
  readonly receivedWhileOpen: number
  /** How many probes the time would allow at the most. */
  readonly probesAllowed: number
  /** Requests that were served meanwhile. */
  readonly servedMeanwhile: number
  readonly openMs: number
  /** From the moment the provider was well until its breaker closed. */
  readonly returnMs: number
}

const MOST_MS = 60_000
const LEAST_JITTER = 0.8
const SUCCESSES_NEEDED = 2
const ENDING = 'the end.'
const ignore = () => undefined

/** Lets the first of two providers die under load, and come back once two probes have failed. */
export async function playOutage(death: Death, { inFlight, recoveryMs, answerMs }: OutageOptions): Promise<OutageFigures> {
  const healthy: Step = { answer: { text: ['The answer ', 'goes on to ', ENDING] }, delayMs: answerMs }
  const [first, second] = [await startMortalProvider(healthy), await startMortalProvider(healthy)]
  // A probe that hangs is over well within `recoveryMs`, and a crowded machine is no outage.
  const firstContentTimeoutMs = recoveryMs / 2 + answerMs
  const host = await startHost(createFallback({ chat: [{ provider: 'first', model: 'large', firstContentTimeoutMs }, 'second/small'] }, {
    providers: {
      first: { dialect: 'openai', baseURL: first.url, apiKey: 'key-of-first' },
      second: { dialect: 'openai', baseURL: second.url, apiKey: 'key-of-second' },
    },
    breaker: { recoveryMs, successThreshold: SUCCESSES_NEEDED },
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  }))
  const watch = watchFirst(host.fallback)
  const load = startSteadyLoad(host.port, inFlight, ENDING)
  const until = (label: string, isSo: () => boolean) => eventually(label, async () => isSo() || undefined, MOST_MS)
  const served = () => load.count('first') + load.count('second')

  try {
    await until('the first provider serves everybody', () => load.count('first') >= inFlight)
    await first.die(death)
    await until('its breaker opens', () => watch.openedAt.length > 0)
    const [openedAt = 0] = watch.openedAt
    const servedBefore = served()
    await until('the requests that began before are over', () => load.oldest() > openedAt)
    const [receivedBefore, opened] = [first.received(), watch.openedAt.length]
    await until('two probes fail', () => watch.openedAt.length >= opened + 2)
    const receivedWhileOpen = first.received() - receivedBefore
    const healedAt = performance.now()
    await first.heal()
    await until('its breaker closes', () => watch.closedAt() !== undefined)
    const closedAt = watch.closedAt() ?? NaN
    const [servedMeanwhile, servedByFirst] = [served() - servedBefore, load.count('first')]
    await until('the first provider serves everybody again', () => load.count('first') >= servedByFirst + inFlight)
    await load.stop()
    return {
      requests: served() + load.count('cut') + load.count('lost'),
      lost: load.lost,
      cut: load.count('cut'),
      failedBefore: watch.failed() - (watch.openedAt.length - 1),
      callsWhileOpen: watch.callsWhileOpen(),
      receivedWhileOpen,
      probesAllowed: Math.floor((closedAt - openedAt) / (recoveryMs * LEAST_JITTER)) + SUCCESSES_NEEDED,
      servedMeanwhile,
      openMs: closedAt - openedAt,
      returnMs: closedAt - healedAt,
    }
  } finally {
    await load.stop()
    await host.close()
    await Promise.all([first.close(), second.close()])
  }
}

/** What the events say of the first provider. */
function watchFirst(fallback: Fallback) {
  const openedAt: number[] = []
  let closedAt: number | undefined
  let callsWhileOpen = 0
  let failed = 0

  fallback.on((event: FallbackEvent) => {
    if (!('provider' in event) || event.provider !== 'first') return
    if (event.type === 'breaker-open') openedAt.push(performance.now())
    else if (event.type === 'breaker-closed') closedAt ??= performance.now()
    else if (event.type === 'attempt-failure') failed += 1
    else if (event.type === 'attempt-start' && openedAt.length > 0 && closedAt === undefined) callsWhileOpen += 1
  })
  return { openedAt, closedAt: () => closedAt, callsWhileOpen: () => callsWhileOpen, failed: () => failed }
}

async function startHost(fallback: Fallback) {
  const middleware = fallbackMiddleware(fallback)
  const server = createServer((request, response) => middleware(request, response, () => response.writeHead(404).end()))
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    fallback,
    close: async () => {
      await fallback.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
