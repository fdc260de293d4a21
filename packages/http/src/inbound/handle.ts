import type { ResolvedMount } from '@understudy/config'
import type { Clock, CommittedRun, RunOutcome } from '@understudy/core'
import { createRunJournal, legName, run } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'

import type { EventHub } from '../event-hub.js'
import type { LegWatch } from '../leg-watch.js'
import type { RunEnd } from '../run-end.js'
import { createRunEnd } from '../run-end.js'
import { bufferedAnswer } from './buffered-answer.js'
import { brokenAnswer, chainFailure } from './chain-failure.js'
import { decodeBody, rejectContentType } from './decode-body.js'
import { jsonResponse, rejectionResponse } from './rejection.js'
import { reportOf } from './report.js'
import type { InboundRequest } from './request.js'
import type { OutboundResponse } from './response.js'
import { ERROR_HEADERS, failedHeaders, servedHeaders, STREAM_HEADERS } from './response-headers.js'
import type { RunHeaders } from './response-headers.js'
import type { RunnableRoute } from './routes.js'
import { routeFor } from './routes.js'
import { chatBodySchema } from './schemas.js'
import { streamAnswer } from './stream-answer.js'
import { headerText } from './trail.js'
import { waitingAnswer } from './waiting-answer.js'
import { createWireRequest } from './wire-request.js'
import type { WireRequest } from '../outbound/wire-request.js'

/** What every run of a `Fallback` stands on. */
export interface ChatHost {
  readonly routes: ReadonlyMap<string, RunnableRoute>
  readonly clock: Clock
  readonly hub: EventHub
  readonly watch: LegWatch
  /** Told how each run came out, once, at the commit or the failure. */
  readonly onOutcome: (requestId: string, route: string, outcome: RunOutcome) => void
}

/** One chat request on its way. */
interface ChatRun {
  readonly host: ChatHost
  readonly mount: ResolvedMount
  readonly codec: DialectCodec
  readonly route: RunnableRoute
  readonly request: WireRequest
  readonly includeUsage: boolean
  readonly headers: RunHeaders
  readonly runEnd: RunEnd | undefined
}

/** Answers a chat completion: reads and judges the body, picks the route, runs the chain, tells the client. */
export async function handleChat(
  host: ChatHost,
  mount: ResolvedMount,
  codec: DialectCodec,
  inbound: InboundRequest,
  requestId: string,
): Promise<OutboundResponse> {
  const refused = rejectContentType(inbound.headers)
  if (refused !== undefined) return rejectionResponse(codec, refused, requestId)
  const decoded = decodeBody(await inbound.readBody(mount.maxBodyBytes), chatBodySchema)
  if ('rejection' in decoded) return rejectionResponse(codec, decoded.rejection, requestId)
  const request = createWireRequest({ codec, body: decoded.value, raw: decoded.raw, headers: inbound.headers })
  const route = routeFor(host.routes, request.model)
  if (typeof route === 'string') return rejectionResponse(codec, unknownModel(route, request.model), requestId)

  const headers = { requestId, route: route.name, exposeTrail: mount.exposeTrail }
  const active = host.hub.active()
  const identity = { requestId, route: route.name }
  const runEnd = active
    ? createRunEnd({ ...identity, requested: request.model }, () => host.clock.now(), host.hub.emit, ({ failure }) =>
        failure === undefined || failure.kind === 'aborted' ? undefined : brokenAnswer(failure, requestId).code,
      )
    : undefined
  const journal = active ? createRunJournal({ ...identity, epoch: Date.now }, host.hub.emit) : undefined
  const { includeUsage } = codec.outlineRequest(decoded.value)
  const chat = { host, mount, codec, route, request, includeUsage, headers, runEnd }
  const outcome = run(
    route.legs,
    request,
    route.settings,
    { clock: host.clock, random: Math.random, journal, onEnd: runEnd?.ended },
    inbound.signal,
  )
  if (!request.stream || route.waitingCommentMs === undefined) return answer(chat, await outcome)
  return answerOrWait(chat, outcome, route.waitingCommentMs)
}

function unknownModel(problem: 'model_required' | 'model_not_found', model: string | undefined) {
  return problem === 'model_required'
    ? ({ status: 400, code: 'invalid_request_error', message: 'model: name one of the routes', param: 'model' } as const)
    : ({ status: 404, code: 'model_not_found', message: `no route is called '${model ?? ''}'`, param: 'model' } as const)
}

async function answer(chat: ChatRun, outcome: RunOutcome): Promise<OutboundResponse> {
  const { host, mount, codec, headers, runEnd, route, request } = chat
  noteOutcome(chat, outcome)
  if (outcome.type === 'failed') {
    const failure = chainFailure(outcome, { route: route.name, requestId: headers.requestId, mount })
    runEnd?.answered(outcome.cause === 'aborted' ? undefined : failure.status, failure.code)
    const told = failedHeaders(ERROR_HEADERS, headers, outcome.trail)
    if (failure.retryAfter !== undefined) told['retry-after'] = String(failure.retryAfter)
    if (!mount.clientRetries && (failure.status === 502 || failure.status === 504)) told['x-should-retry'] = 'false'
    return jsonResponse(failure.status, told, codec.encodeFailure(failure.error).body)
  }
  if (request.stream) {
    runEnd?.answered(200, undefined)
    return { status: 200, headers: servedHeaders(STREAM_HEADERS, headers, outcome.trail, outcome.answer), body: stream(chat, outcome) }
  }
  return buffered(chat, outcome, host)
}

async function buffered(chat: ChatRun, outcome: CommittedRun, host: ChatHost): Promise<OutboundResponse> {
  const { codec, headers, runEnd, mount } = chat
  const body = await bufferedAnswer(outcome, {
    codec,
    requestId: headers.requestId,
    report: reportField(chat, outcome),
    sameDialect: isSameDialect(chat, outcome),
  })
  const broken = outcome.end()?.failure
  if (broken === undefined) {
    runEnd?.answered(200, undefined)
    const told = servedHeaders({ 'content-type': 'application/json; charset=utf-8' }, headers, outcome.trail, outcome.answer)
    told['content-length'] = String(body.length)
    return { status: 200, headers: told, body }
  }
  // Committed at its headers, the leg broke on the way: too late for another one, early enough for an honest status.
  const error = { ...brokenAnswer(broken, headers.requestId), code: 'upstream_error' }
  host.watch.record([{ outcome: 'failed', provider: outcome.leg.provider, model: outcome.leg.model, latencyMs: 0, failure: broken, health: 'neutral' }])
  runEnd?.answered(502, error.code)
  const told = failedHeaders(ERROR_HEADERS, headers, outcome.trail)
  if (!mount.clientRetries) told['x-should-retry'] = 'false'
  return jsonResponse(502, told, codec.encodeFailure(error).body)
}

function stream(chat: ChatRun, outcome: CommittedRun): AsyncIterable<Uint8Array> {
  const { codec, headers, includeUsage } = chat
  return streamAnswer(outcome, {
    codec,
    requestId: headers.requestId,
    report: reportField(chat, outcome),
    includeUsage,
    sameDialect: isSameDialect(chat, outcome),
  })
}

/** The headers go out before the run is bound to a leg, if that takes long: they then say no more than the route. */
async function answerOrWait(chat: ChatRun, outcome: Promise<RunOutcome>, afterMs: number): Promise<OutboundResponse> {
  const { clock } = chat.host
  const wait = (): Promise<void> => new Promise((resolve) => void clock.schedule(afterMs, resolve))
  const early = await Promise.race([outcome, wait()])
  if (early !== undefined) return answer(chat, early)
  const { headers, runEnd, route, mount, codec } = chat
  const rest = outcome.then((late): AsyncIterable<Uint8Array> => {
    noteOutcome(chat, late)
    if (late.type === 'committed') {
      runEnd?.answered(200, undefined)
      return stream(chat, late)
    }
    const failure = chainFailure(late, { route: route.name, requestId: headers.requestId, mount })
    runEnd?.answered(200, failure.code)
    return only(codec.encodeStreamFailure(failure.error))
  })
  const told: Record<string, string> = { ...STREAM_HEADERS, 'x-request-id': headers.requestId }
  if (headers.exposeTrail) told['understudy-route'] = headerText(route.name)
  return { status: 200, headers: told, body: waitingAnswer(rest, wait) }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

function noteOutcome({ host, headers, route }: ChatRun, outcome: RunOutcome): void {
  host.watch.record(outcome.trail)
  host.onOutcome(headers.requestId, route.name, outcome)
}

function reportField({ mount, route }: ChatRun, outcome: CommittedRun): readonly [string, string] | undefined {
  if (!mount.report) return undefined
  const report = reportOf(route.first, legName(outcome.leg), route.legs.length, outcome.trail)
  return [mount.reportKey, JSON.stringify(report)]
}

function isSameDialect({ route, codec }: ChatRun, { leg }: CommittedRun): boolean {
  return route.dialectOf.get(leg) === codec.name
}
