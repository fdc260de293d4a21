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
import { routeFor } from './routes.js'
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
  if (typeof route === 'string') return rejectionResponse(codec, unknownModel(route, outline.model), requestId)

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

function unknownModel(problem: 'model_required' | 'model_not_found', model = ''): Rejection {
  if (problem === 'model_required') {
    return { status: 400, code: 'invalid_request_error', message: 'model: name one of the routes', param: 'model' }
  }
  const name = model.length > MAX_NAME ? `${model.slice(0, MAX_NAME)}...` : model
  return { status: 404, code: 'model_not_found', message: `no route is called '${name}'`, param: 'model' }
}
