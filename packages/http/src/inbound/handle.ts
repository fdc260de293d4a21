import type { ResolvedMount } from '@understudy/config'
import type { Failure } from '@understudy/core'
import { run } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'

import type { OpenRun } from '../open-runs.js'
import { logFault } from '../run-log.js'
import { watchRun } from '../run-watch.js'
import { answerOrWait, answerRun } from './answer-run.js'
import { identifyCaller } from './callers.js'
import type { ChatHost } from './chat-run.js'
import { ChatRun, ChatRunHost } from './chat-run.js'
import type { ChosenChain } from './choose-chain.js'
import { chooseChain } from './choose-chain.js'
import type { Client } from './client.js'
import { clientOf, signalOf } from './client.js'
import { CLOSED_REJECTION, FAULT_REJECTION, GONE_REJECTION } from './client-errors.js'
import type { ContentPath } from './content-path.js'
import { decodeBody, rejectContentType } from './decode-body.js'
import type { Gate } from './gate.js'
import { createGate } from './gate.js'
import { nativeAsk, nativeRoute } from './native-lane.js'
import { policyCheck, unusableChain } from './policy-check.js'
import type { Rejection } from './rejection.js'
import { jsonResponse, rejectionResponse } from './rejection.js'
import type { InboundRequest } from './request.js'
import type { OutboundResponse } from './response.js'
import { ERROR_HEADERS } from './response-headers.js'
import type { BodyShape } from './schemas.js'
import { whileWanted } from './while-wanted.js'
import { createWireRequest } from './wire-request.js'

/** What a request for a completion is known by. */
export interface ChatAsk {
  readonly requestId: string
  /** What its body has to be. */
  readonly shape: BodyShape
  /** What the path says, where others have a field of their body. */
  readonly said?: ContentPath | undefined
  /** Whether it is only to be said what would become of it. */
  readonly dryRun: boolean
}

/** Answers a chat completion: reads and judges the body, picks the chain, runs it, tells the client. */
export async function handleChat(
  host: ChatHost,
  mount: ResolvedMount,
  codec: DialectCodec,
  inbound: InboundRequest,
  { requestId, shape, said, dryRun }: ChatAsk,
): Promise<OutboundResponse> {
  const { identify, authorize } = host.choice.callers
  const refused = rejectContentType(inbound.headers)
  if (refused !== undefined) return rejectionResponse(codec, refused, requestId)
  const identified = identifyCaller(identify, inbound)
  const known = identified instanceof Promise ? await whileWanted(identified, inbound, host.openRuns) : identified
  if (known === undefined) return rejectionResponse(codec, host.openRuns.closed() ? CLOSED_REJECTION : GONE_REJECTION, requestId)
  if ('trouble' in known) {
    host.onIdentifyFault({ requestId, trouble: known.trouble })
    return rejectionResponse(codec, FAULT_REJECTION, requestId)
  }
  const decoded = decodeBody(await inbound.readBody(mount.maxBodyBytes), shape, inbound.headers)
  if ('rejection' in decoded) return rejectionResponse(codec, decoded.rejection, requestId)
  // A body may take longer to come than it takes to close.
  if (host.openRuns.closed()) return rejectionResponse(codec, CLOSED_REJECTION, requestId)

  const { value, raw } = decoded
  const body = said === undefined ? value : { ...value, ...said }
  const outline = codec.outlineRequest(body)
  const native = nativeAsk(codec.name, body)
  const found = chooseChain(host.choice, { body, model: outline.model, known })
  const chosen = native === undefined || 'rejection' in found ? found : narrowed(found, native)
  if ('rejection' in chosen && !dryRun) return rejectionResponse(codec, chosen.rejection, requestId)

  const members = native !== undefined && 'members' in native ? native.members : undefined
  const request = createWireRequest({ codec, outline, body, raw, headers: inbound.headers, native: members })
  const { clock, random, order, latencies } = host
  const health = host.health.forRun()
  const { caller, keyId } = known
  const gateOf = (route: string, isDry = dryRun): Gate | undefined =>
    authorize && createGate({
      authorize, route, requestId, caller, request, dryRun: isDry, clock, signal: signalOf(inbound), onClose: host.openRuns.onClose,
      onFault: host.onAuthorizeFault, onInternalFault: (error) => logFault(host.logger, requestId, error),
    })
  if (dryRun || 'rejection' in chosen) {
    const checked = 'rejection' in chosen ? unusableChain(chosen.rejection) : await policyCheck(chosen.route, {
      request, health, random, latencies, prices: order.pricesOf(request, chosen.route.order), gate: gateOf(chosen.route.name),
    })
    if (host.openRuns.closed()) return rejectionResponse(codec, CLOSED_REJECTION, requestId)
    return jsonResponse(200, { ...ERROR_HEADERS, 'x-request-id': requestId }, checked)
  }

  const { requested } = chosen
  const route = host.drills.isActive
    ? host.drills.drilled(chosen.route, { request, headers: inbound.headers, health, gate: gateOf(chosen.route.name, true) })
    : chosen.route
  const watch = watchRun(host, { requestId, route: route.name, requested, callerKeyId: keyId, lane: route.lane })
  const client = clientOf(inbound)
  const chat = new ChatRun(host, mount, codec, route, request, outline.includeUsage, requestId, watch)
  const prices = order.pricesOf(request, route.order)
  const runHost = new ChatRunHost(host, health, prices, gateOf(route.name), watch, stopsWith(watch.open, client))
  // A signal is made for whoever asks for it, and costs more than this.
  const outcome = run(route.legs, request, route.settings, runHost, client === undefined ? signalOf(inbound) : undefined)
  if (!outline.stream || route.waitingCommentMs === undefined) return answerRun(chat, await outcome)
  return answerOrWait(chat, outcome, route.waitingCommentMs)
}

function narrowed(
  chosen: Exclude<ChosenChain, { readonly rejection: Rejection }>,
  native: NonNullable<ReturnType<typeof nativeAsk>>,
): ChosenChain {
  if ('rejection' in native) return native
  const route = nativeRoute(chosen.route)
  return 'rejection' in route ? route : { ...chosen, route }
}

/** What lets the client's leaving stop a run. Out here, so that a run that lasts does not hold on to the request that began it. */
export function stopsWith(open: OpenRun, client: Client | undefined): (stop: (failure: Failure) => void) => void {
  return (stop) => {
    open.onStart(stop)
    client?.onGone(open.abandon)
  }
}
