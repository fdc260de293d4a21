import type { ResolvedMount } from '@understudy/config'
import { run } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'

import { watchRun } from '../run-watch.js'
import { answerOrWait, answerRun } from './answer-run.js'
import type { ChatHost } from './chat-run.js'
import { CLOSED_REJECTION } from './client-errors.js'
import { decodeBody, rejectContentType } from './decode-body.js'
import type { Rejection } from './rejection.js'
import { rejectionResponse } from './rejection.js'
import type { InboundRequest } from './request.js'
import type { OutboundResponse } from './response.js'
import type { RunnableRoute, UnusableRoute } from './routes.js'
import { routeFor, routeNames } from './routes.js'
import { chatBodySchema } from './schemas.js'
import { createWireRequest } from './wire-request.js'

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
  // A body may take longer to come than it takes to close.
  if (host.openRuns.closed()) return rejectionResponse(codec, CLOSED_REJECTION, requestId)

  const { value: body, raw } = decoded
  const outline = codec.outlineRequest(body)
  const route = routeFor(host.routes, outline.model)
  if (typeof route === 'string') return rejectionResponse(codec, unusableRoute(route, host.routes, outline.model), requestId)

  const request = createWireRequest({ codec, outline, body, raw, headers: inbound.headers })
  const watch = watchRun(host, { requestId, route: route.name, requested: outline.model })
  const { journal, ended: onEnd } = watch
  const { onStart } = watch.open
  const headers = { requestId, route: route.name, exposeTrail: mount.exposeTrail }
  const chat = { host, mount, codec, route, request, includeUsage: outline.includeUsage, headers, watch }
  const { clock, random, order, latencies } = host
  const health = host.health.forRun()
  const ordering = { latencies, prices: order.pricesOf(request, route.order), onOrderProblem: order.onProblem }
  const runHost = { clock, random, health, ...ordering, journal, onStart, onEnd }
  const outcome = run(route.legs, request, route.settings, runHost, inbound.signal)
  if (!outline.stream || route.waitingCommentMs === undefined) return answerRun(chat, await outcome)
  return answerOrWait(chat, outcome, route.waitingCommentMs)
}

/** So much of a name is enough to see which it was. */
const MAX_NAME = 200

/** More are not listed one by one. */
const MAX_LISTED = 5

function unusableRoute(problem: UnusableRoute, routes: ReadonlyMap<string, RunnableRoute>, model = ''): Rejection {
  const names = routeNames(routes)
  const listed = names.length > MAX_LISTED ? 'GET /models lists them' : `there is ${names.map((name) => `'${cut(name)}'`).join(', ')}`
  switch (problem) {
    case 'model_required':
    case 'own_model_required': {
      const isOwn = problem === 'own_model_required' || names.length === 0
      const message = `model: ${isOwn ? 'name a model' : `name one of the routes; ${listed}`}`
      return { status: 400, code: 'invalid_request_error', message, param: 'model' }
    }
    case 'left_out': {
      const message = 'the legs of this route were left out: their providers have no credentials'
      return { status: 404, code: 'model_not_found', message, param: 'model' }
    }
    case 'model_not_found': {
      const rest = names.length === 0 ? '' : `; ${listed}`
      return { status: 404, code: 'model_not_found', message: `no route is called '${cut(model)}'${rest}`, param: 'model' }
    }
  }
}

function cut(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name
}
