import type { AttemptRecord, CommittedRun } from '@understudy/core'
import { legName } from '@understudy/core'

import type { AtOnceTexts } from './at-once.js'
import { headerText, trailHeader } from './trail.js'

/** What every response of a run says of it in its headers. */
export interface RunHeaders {
  readonly requestId: string
  readonly route: string
  readonly exposeTrail: boolean
  /** The marking of the preset that the route runs. */
  readonly degraded?: string | undefined
}

/** Says on every response of a marked preset that answers may be worse than usual. */
export const DEGRADED = 'understudy-degraded'

/** Headers of an event stream: nothing on the way may hold it back or change it. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** Headers of an error: nobody keeps it. */
export const ERROR_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const

/** Adds the headers of a run that a leg served. `atOnce`: what of them is ready, if the first attempt was served. */
export function servedHeaders(
  base: Readonly<Record<string, string>>,
  run: RunHeaders,
  { trail, answer }: Pick<CommittedRun, 'trail' | 'answer'>,
  atOnce: AtOnceTexts | undefined,
): Record<string, string> {
  // Hot: once a request. What a spread makes of names that differ from answer to answer takes five times as long to add to.
  const headers: Record<string, string> = Object.assign({}, answer.headers, base)
  headers['x-request-id'] = run.requestId
  if (answer.providerRequestId !== undefined) {
    headers['understudy-provider-request-id'] = headerText(answer.providerRequestId)
  }
  if (run.degraded !== undefined) headers[DEGRADED] = headerText(run.degraded)
  const served = trail.at(-1)
  if (run.exposeTrail && served !== undefined) {
    headers['understudy-route'] = headerText(run.route)
    const isReady = atOnce !== undefined && served.outcome === 'served'
    headers['understudy-served'] = isReady ? atOnce.served : headerText(legName(served))
    headers['understudy-trail'] = isReady ? atOnce.trail(served.latencyMs) : trailHeader(trail)
  }
  return headers
}

/** Adds the headers of a run that no leg served. */
export function failedHeaders(
  base: Readonly<Record<string, string>>,
  run: RunHeaders,
  trail: readonly AttemptRecord[],
): Record<string, string> {
  const headers: Record<string, string> = { ...base, 'x-request-id': run.requestId }
  if (run.degraded !== undefined) headers[DEGRADED] = headerText(run.degraded)
  if (run.exposeTrail) {
    headers['understudy-route'] = headerText(run.route)
    if (trail.length > 0) headers['understudy-trail'] = trailHeader(trail)
  }
  return headers
}

/** An id that a client or a proxy in front gave its request: kept if it is sane, made new if not. */
export function requestIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:/+=@-]{1,128}$/.test(header) ? header : crypto.randomUUID()
}
