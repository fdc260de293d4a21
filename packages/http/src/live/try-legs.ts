import type { Authorize, ResolvedRoute } from '@understudy/config'
import type { ChatRequest, CommittedRun, Leg } from '@understudy/core'
import { chatRequestOf, run } from '@understudy/core'

import type { AuthorizeFault } from '../authorize-faults.js'
import type { Gate } from '../inbound/gate.js'
import { createGate } from '../inbound/gate.js'
import type { RunnableRoute } from '../inbound/routes.js'
import { ANY_MODEL } from '../inbound/routes.js'
import { logFault } from '../run-log.js'
import type { RunWatchHost } from '../run-watch.js'
import type { LegTrial } from './chain-control.js'

/** What a trial stands on. */
export interface TrialHost extends Pick<RunWatchHost, 'clock' | 'legs' | 'openRuns' | 'logger'> {
  /** In [0, 1). */
  readonly random: () => number
  /** The host's say before an attempt, where it has one. */
  readonly authorize: Authorize | undefined
  readonly onAuthorizeFault: (fault: AuthorizeFault) => void
}

const MOST_SHOWN = 80

/** A route with what is to be tried of it as its legs; `undefined` = it has no such preset. */
export function routeToTry(route: ResolvedRoute | undefined, preset: string | undefined): ResolvedRoute | undefined {
  if (route === undefined || preset === undefined || preset === route.preset) return route
  const legs = route.presets?.get(preset)?.legs
  return legs && { ...route, legs }
}

/**
 * Asks each leg of a route alone, one after the other, with a request of a few words. The memory of health is neither asked nor
 * changed; what serves is proven, as the snapshot then says.
 */
export async function* tryLegs(route: RunnableRoute, host: TrialHost, signal: AbortSignal | undefined): AsyncGenerator<LegTrial, undefined> {
  for (const leg of route.legs) {
    if (signal?.aborted === true || host.openRuns.closed()) return
    yield await tryLeg(leg, route, host, signal)
  }
}

async function tryLeg(leg: Leg, route: RunnableRoute, host: TrialHost, signal: AbortSignal | undefined): Promise<LegTrial> {
  const { provider, model } = leg
  // It has the model of each request, and this one has none.
  if (model === ANY_MODEL) return { provider, model, ok: false, kind: 'no_model', totalMs: 0 }
  const { clock, random, openRuns } = host
  const open = openRuns.begin()
  const startedAt = clock.now()
  try {
    const request = chatRequestOf({ model, messages: [{ role: 'user', content: 'Say OK' }], stream: true })
    const gate = gateOf(route.name, request, host, signal)
    const settings = { ...route.settings, retry: { ...route.settings.retry, retries: 0 }, plan: undefined }
    const outcome = await run([{ ...leg, retries: 0 }], request, settings, { clock, random, gate, onStart: open.onStart }, signal)
    host.legs.record(outcome.trail)
    if (outcome.type === 'failed') {
      const { kind, status } = outcome.failure ?? {}
      return failed(kind ?? outcome.cause, status)
    }
    const firstContentMs = Math.round(clock.now() - startedAt)
    const answer = await readText(outcome)
    const failure = outcome.end()?.failure
    if (failure !== undefined) return failed(failure.kind, failure.status)
    return { provider, model, ok: true, answer, firstContentMs, totalMs: Math.round(clock.now() - startedAt) }
  } finally {
    open.end()
  }

  function failed(kind: NonNullable<LegTrial['kind']>, status: number | undefined): LegTrial {
    const totalMs = Math.round(clock.now() - startedAt)
    return { provider, model, ok: false, kind, ...(status === undefined ? undefined : { status }), totalMs }
  }
}

/** Nothing is sent that the host was not shown. There is no caller. */
function gateOf(
  route: string,
  request: ChatRequest,
  { authorize, clock, openRuns, onAuthorizeFault, logger }: TrialHost,
  signal: AbortSignal | undefined,
): Gate | undefined {
  if (authorize === undefined) return undefined
  const requestId = `trial-${crypto.randomUUID()}`
  return createGate({
    authorize, route, requestId, caller: undefined, request, dryRun: false, trial: true, clock, signal: signal ?? new AbortController().signal,
    onClose: openRuns.onClose, onFault: onAuthorizeFault, onInternalFault: (error) => logFault(logger, requestId, error),
  })
}

async function readText({ arrivals }: CommittedRun): Promise<string> {
  let text = ''
  for await (const { parts } of arrivals) {
    for (const part of parts) if (part.type === 'text' && text.length < MOST_SHOWN) text += part.text
  }
  return text.slice(0, MOST_SHOWN)
}
