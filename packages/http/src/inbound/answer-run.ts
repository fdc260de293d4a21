import type { Arrival, AttemptRecord, CommittedRun, Failure, FailedRun, RunOutcome, Verdict } from '@understudy/core'
import { healthOf } from '@understudy/core'
import type { ClientError } from '@understudy/dialects'

import type { RunWatch } from '../run-watch.js'
import { bufferedAnswer } from './buffered-answer.js'
import { brokenAnswer, chainFailure } from './chain-failure.js'
import type { ChatRun } from './chat-run.js'
import { answerWriting, atOnceTexts } from './chat-run.js'
import { errorType, FAULT_MESSAGE } from './client-errors.js'
import { failureItems } from './failure-items.js'
import { jsonResponse } from './rejection.js'
import { legFailures, reportAttempts } from './report.js'
import type { OutboundResponse } from './response.js'
import { DEGRADED, ERROR_HEADERS, failedHeaders, servedHeaders, STREAM_HEADERS } from './response-headers.js'
import type { StreamWatch } from './stream-answer.js'
import { streamAnswer } from './stream-answer.js'
import { headerText } from './trail.js'
import { unlessSlow, waitingAnswer } from './waiting-answer.js'

/**
 * In seconds. An SDK sleeps all of a Retry-After before it tells its caller anything, and a request that sleeps for longer than this
 * looks hung; it is also what a leg of ours is waited for.
 */
const LONG_RETRY_AFTER = 5

const DOCUMENT_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const

/** Tells the client how its run came out. No promise where the whole answer is there: each takes a turn of its own. */
export function answerRun(chat: ChatRun, outcome: RunOutcome): OutboundResponse | Promise<OutboundResponse> {
  chat.watch.cameOut(outcome)
  if (outcome.type === 'committed') {
    if (chat.request.stream) return streamed(chat, outcome)
    if (outcome.whole === undefined) return collected(chat, outcome)
  }
  try {
    return outcome.type === 'failed' ? failed(chat, outcome) : buffered(chat, outcome, outcome.whole ?? [])
  } finally {
    chat.watch.open.end()
  }
}

/** The headers go out before the run is bound to a leg, if that takes long: they then say no more than the route. */
export async function answerOrWait(
  chat: ChatRun,
  outcome: Promise<RunOutcome>,
  afterMs: number,
): Promise<OutboundResponse> {
  const { headers, host, watch } = chat
  const early = await unlessSlow(outcome, host.clock, afterMs)
  if (early !== undefined) return answerRun(chat, early)
  const told: Record<string, string> = { ...STREAM_HEADERS, 'x-request-id': headers.requestId }
  if (headers.degraded !== undefined) told[DEGRADED] = headerText(headers.degraded)
  if (headers.exposeTrail) told['understudy-route'] = headerText(headers.route)
  const rest = outcome.then((late) => lateStream(chat, late))
  return {
    status: 200,
    headers: told,
    body: waitingAnswer({ rest, clock: host.clock, everyMs: afterMs, abandon: watch.open.abandon }),
  }
}

function lateStream(chat: ChatRun, outcome: RunOutcome): AsyncIterableIterator<Uint8Array> {
  const { codec, watch } = chat
  watch.cameOut(outcome)
  if (outcome.type === 'committed') return stream(chat, outcome)
  const { code, error } = failureOfChain(chat, outcome)
  watch.answered(200, code)
  watch.open.end()
  return code === 'aborted' ? nothing() : failureItems(codec, error)
}

function failed(chat: ChatRun, outcome: FailedRun): OutboundResponse {
  const { status, code, retryAfter, error } = failureOfChain(chat, outcome)
  chat.watch.answered(code === 'aborted' ? undefined : status, code)
  return errorResponse(chat, error, outcome.trail, retryAfter)
}

function failureOfChain({ route, request, headers, mount }: ChatRun, outcome: FailedRun) {
  const { name, chosenBy, lane, defaultNames } = route
  const isDefault = (feature: string): boolean => {
    // A feature may be a part of a member: `output_config.effort`.
    const [member = ''] = feature.split('.', 1)
    return defaultNames?.has(member) === true && !Object.hasOwn(request.body ?? {}, member)
  }
  return chainFailure(outcome, { route: name, chosenBy, lane, requestId: headers.requestId, isDefault, mount })
}

function streamed(chat: ChatRun, outcome: CommittedRun): OutboundResponse {
  const headers = servedHeaders(STREAM_HEADERS, chat.headers, outcome, atOnceTexts(chat.route, outcome))
  return { status: 200, headers, body: stream(chat, outcome) }
}

function stream(chat: ChatRun, outcome: CommittedRun): AsyncIterableIterator<Uint8Array> {
  const { watch, includeUsage } = chat
  watch.answered(200)
  return streamAnswer(outcome, answerWriting(chat, outcome), new ChatStream(watch, includeUsage))
}

/** A class: one is made for every stream, and lives as long. */
class ChatStream implements StreamWatch {
  readonly includeUsage: boolean
  readonly #watch: RunWatch

  constructor(watch: RunWatch, includeUsage: boolean) {
    this.#watch = watch
    this.includeUsage = includeUsage
  }

  onFault(error: unknown): void {
    this.#watch.answered(200, 'internal_error')
    this.#watch.faulted(error)
  }

  onOver(): void {
    this.#watch.open.end()
  }
}

/** Committed before its end: the rest is read first. */
async function collected(chat: ChatRun, outcome: CommittedRun): Promise<OutboundResponse> {
  const arrivals: Arrival[] = []
  try {
    for await (const arrival of outcome.arrivals) arrivals.push(arrival)
    return buffered(chat, outcome, arrivals)
  } finally {
    chat.watch.open.end()
  }
}

function buffered(chat: ChatRun, outcome: CommittedRun, arrivals: readonly Arrival[]): OutboundResponse {
  const { watch, headers } = chat
  const { failure: broken, verdict } = outcome.end() ?? {}
  if (broken !== undefined) return brokenOff(chat, outcome, broken, verdict ?? healthOf(broken))
  let body: Uint8Array
  try {
    body = bufferedAnswer(outcome, arrivals, answerWriting(chat, outcome))
  } catch (error) {
    // Whatever goes wrong while it is written, nothing stays open.
    watch.faulted(error)
    return fault(chat, outcome)
  }
  watch.answered(200)
  const told = servedHeaders(DOCUMENT_HEADERS, headers, outcome, atOnceTexts(chat.route, outcome))
  told['content-length'] = String(body.length)
  return { status: 200, headers: told, body }
}

/** Committed at its headers, the leg broke on the way: too late for another one, early enough for an honest status. */
function brokenOff(chat: ChatRun, outcome: CommittedRun, failure: Failure, verdict: Verdict): OutboundResponse {
  if (failure.kind === 'aborted') return failed(chat, { type: 'failed', cause: 'aborted', failure, trail: outcome.trail })
  const trail = withLastFailed(outcome.trail, failure, verdict)
  const error: ClientError = {
    ...brokenAnswer(failure, chat.headers.requestId),
    code: 'upstream_error',
    failures: legFailures(trail, chat.mount.exposeProviderMessages),
    attempts: reportAttempts(trail),
  }
  chat.watch.answered(502, error.code)
  return errorResponse(chat, error, trail)
}

/** The client is told of an attempt that it got nothing of as of any other that failed. */
function withLastFailed(
  trail: readonly AttemptRecord[],
  failure: Failure,
  health: Verdict,
): readonly AttemptRecord[] {
  return trail.map((record) =>
    record.outcome === 'served' ? { ...record, outcome: 'failed', failure, health } : record,
  )
}

function fault(chat: ChatRun, { trail }: CommittedRun): OutboundResponse {
  const { requestId } = chat.headers
  chat.watch.answered(500, 'internal_error')
  const error = { status: 500, type: errorType(500), code: 'internal_error', message: FAULT_MESSAGE, requestId }
  return errorResponse(chat, error, trail)
}

function errorResponse(
  chat: ChatRun,
  error: ClientError,
  trail: readonly AttemptRecord[],
  retryAfter?: number,
): OutboundResponse {
  const { codec, headers, mount } = chat
  const { status } = error
  const told = failedHeaders(ERROR_HEADERS, headers, trail)
  if (retryAfter !== undefined) told['retry-after'] = String(retryAfter)
  const isLong = (status === 503 || status === 429) && (retryAfter ?? 0) > LONG_RETRY_AFTER
  const isFinal = status === 502 || status === 504 || error.code === 'refused' || error.code === 'internal_error' || isLong
  if (!mount.clientRetries && isFinal) told['x-should-retry'] = 'false'
  return jsonResponse(status, told, codec.encodeFailure(error).body)
}

async function* nothing(): AsyncGenerator<never, undefined> {}
