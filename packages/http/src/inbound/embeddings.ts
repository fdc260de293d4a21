import type { ResolvedMount } from '@understudy/config'
import { run } from '@understudy/core'
import { openai } from '@understudy/dialects'

import { logFault } from '../run-log.js'
import { watchRun } from '../run-watch.js'
import type { EmbeddingRequest, EmbeddingTask } from '../outbound/embedding-ask.js'
import { TRANSPORT_FIELDS } from '../outbound/request-body.js'
import type { WireRequest } from '../outbound/wire-request.js'
import { answerRun } from './answer-run.js'
import { tightened } from './caller-chain.js'
import { identifyCaller } from './callers.js'
import type { ChatHost } from './chat-run.js'
import { ChatRun, ChatRunHost } from './chat-run.js'
import { clientOf, signalOf } from './client.js'
import { CLOSED_REJECTION, FAULT_REJECTION, GONE_REJECTION } from './client-errors.js'
import { decodeBody, rejectContentType } from './decode-body.js'
import type { EmbeddingRoute } from './embedding-routes.js'
import type { Gate } from './gate.js'
import { createGate } from './gate.js'
import { stopsWith } from './handle.js'
import type { Rejection } from './rejection.js'
import { rejectionResponse } from './rejection.js'
import type { InboundRequest } from './request.js'
import type { OutboundResponse } from './response.js'
import { routeFor } from './routes.js'
import { embeddingsBody } from './schemas.js'
import { unusableRoute } from './unusable-route.js'
import { whileWanted } from './while-wanted.js'

/** What is no parameter of a leg's call. */
const READ_HERE: ReadonlySet<string> = new Set([...TRANSPORT_FIELDS, 'input', 'model', 'dimensions'])

/** Answers a request for embeddings: picks the route, runs its chain, tells the client. */
export async function handleEmbeddings(
  host: ChatHost,
  routes: ReadonlyMap<string, EmbeddingRoute>,
  mount: ResolvedMount,
  inbound: InboundRequest,
  requestId: string,
): Promise<OutboundResponse> {
  const { identify, authorize } = host.choice.callers
  const refused = rejectContentType(inbound.headers)
  if (refused !== undefined) return reject(refused)
  const identified = identifyCaller(identify, inbound)
  const known = identified instanceof Promise ? await whileWanted(identified, inbound, host.openRuns) : identified
  if (known === undefined) return reject(host.openRuns.closed() ? CLOSED_REJECTION : GONE_REJECTION)
  if ('trouble' in known) {
    host.onIdentifyFault({ requestId, trouble: known.trouble })
    return reject(FAULT_REJECTION)
  }
  const decoded = decodeBody(await inbound.readBody(mount.maxBodyBytes), embeddingsBody, inbound.headers)
  if ('rejection' in decoded) return reject(decoded.rejection)
  if (host.openRuns.closed()) return reject(CLOSED_REJECTION)

  const body = decoded.value
  const model = typeof body['model'] === 'string' ? body['model'] : undefined
  const chosen = chooseRoute(routes, body, model, host.choice.routes)
  if ('rejection' in chosen) return reject(chosen.rejection)
  const own = body['idempotent'] === false ? tightened(chosen) : chosen
  const health = host.health.forRun()
  const { clock, order } = host
  const request = requestOf(body, model, chosen.dimensions)
  const gateOf = (dryRun: boolean): Gate | undefined =>
    authorize && createGate({
      authorize, route: own.name, requestId, caller: known.caller, request, dryRun, clock, signal: signalOf(inbound),
      onClose: host.openRuns.onClose, onFault: host.onAuthorizeFault, onInternalFault: (error) => logFault(host.logger, requestId, error),
    })
  const route = host.drills.isActive ? host.drills.drilled(own, { request, headers: inbound.headers, health, gate: gateOf(true) }) : own
  const watch = watchRun(host, { requestId, route: route.name, requested: model, callerKeyId: known.keyId, lane: 'embeddings' })
  const client = clientOf(inbound)
  const signal = client === undefined ? signalOf(inbound) : undefined
  const prices = order.pricesOf(request, route.order)
  const runHost = new ChatRunHost(host, health, prices, gateOf(false), watch, stopsWith(watch.open, client))
  const outcome = await run(route.legs, request, route.settings, runHost, signal)
  // The classic envelope is one of completions.
  const told = { ...mount, envelope: 'dialect' as const }
  return answerRun(new ChatRun(host, told, openai, route, request, false, requestId, watch), outcome)

  function reject(rejection: Rejection): OutboundResponse {
    return rejectionResponse(openai, rejection, requestId)
  }
}

/** Vectors of two models cannot be compared, so that no request names a chain of its own. */
function chooseRoute(
  routes: ReadonlyMap<string, EmbeddingRoute>,
  body: Readonly<Record<string, unknown>>,
  model: string | undefined,
  completions: ReadonlyMap<string, unknown>,
): EmbeddingRoute | { readonly rejection: Rejection } {
  const own = ['models', 'fallback_models', 'redundancy'].find((key) => body[key] !== undefined && body[key] !== null)
  if (own !== undefined) {
    const message = `${own}: requests for embeddings cannot name their own chain; send a route as model`
    return { rejection: { status: 400, code: 'caller_chains_disabled', message, param: own } }
  }
  const found = routeFor(routes, model)
  const route = typeof found === 'string' ? undefined : routes.get(found.name)
  if (route === undefined) {
    const other = { has: (name: string) => completions.has(name), use: 'completions, and not for embeddings' }
    return { rejection: unusableRoute(typeof found === 'string' ? found : 'model_not_found', routes, model, other) }
  }
  const { dimensions } = body
  if (dimensions === undefined || dimensions === null || dimensions === route.dimensions) return route
  const message = `dimensions: the vectors of route '${route.name}' have ${route.dimensions}; leave it out, or send that`
  return { rejection: { status: 400, code: 'invalid_request_error', message, param: 'dimensions' } }
}

function requestOf(body: Readonly<Record<string, unknown>>, model: string | undefined, dimensions: number): EmbeddingRequest & WireRequest {
  const parameters = Object.fromEntries(Object.entries(body).filter(([key]) => !READ_HERE.has(key)))
  const format = body['encoding_format'] === 'base64' ? 'base64' : 'float'
  const request = {
    dialect: 'openai',
    model,
    stream: false,
    messages: [],
    body,
    embedding: { inputs: inputsOf(body['input']), dimensions, format, parameters },
    neutral: (): EmbeddingRequest => request,
  } satisfies EmbeddingRequest & WireRequest
  return request
}

/** The schema has let pass: a text, tokens, or a list of either. */
function inputsOf(input: unknown): EmbeddingTask['inputs'] {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input]
  return list.every((item) => typeof item === 'number') ? inputOf(list) : list.flatMap(inputOf)
}

function inputOf(item: unknown): EmbeddingTask['inputs'] {
  if (typeof item === 'string') return [item]
  return Array.isArray(item) ? [item.filter((token) => typeof token === 'number')] : []
}
