import type { AttemptRecord, FailedRun, Failure, Lane } from '@understudy/core'
import { legKey, legName, reasonOf } from '@understudy/core'
import type { ResolvedMount } from '@understudy/config'
import { providerMessageOf } from '@understudy/dialects'
import type { ClientError } from '@understudy/dialects'

import { isClosing } from '../open-runs.js'
import type { ErrorCode } from './client-errors.js'
import { CLOSED_MESSAGE, errorType, FAULT_MESSAGE, REASON_MESSAGES } from './client-errors.js'
import { isNativeFault } from './native-lane.js'
import { legFailures, reportAttempts } from './report.js'

/** How a run that no leg served is told to its client. */
export interface ChainFailure {
  readonly status: number
  readonly code: string
  /** Seconds, for a client that may come back. */
  readonly retryAfter?: number | undefined
  readonly error: ClientError
}

/** What is said of a chain as a whole. */
export interface FailedChain {
  readonly route: string
  readonly requestId: string
  /** Who named the chain, where no route did. */
  readonly chosenBy?: 'caller' | 'key' | undefined
  /** Default `standard`. */
  readonly lane?: Lane | undefined
  /** Whether it was filled in and not sent by the client: what legs have no words for, by its structural name. Default never. */
  readonly isDefault?: ((feature: string) => boolean) | undefined
  readonly mount: Pick<ResolvedMount, 'exposeProviderMessages' | 'exhaustedStatus'>
}

interface Verdict {
  readonly status: number
  /** One of ours, or the provider's own where the request is at fault. */
  readonly code: string
  readonly message: string
  readonly param?: string | undefined
}

/** Status, code and body of a run that no leg served. */
export function chainFailure(run: FailedRun, chain: FailedChain): ChainFailure {
  const { status, code, message, param } = verdictOf(run, chain)
  return {
    status,
    code,
    // A deliberate block is not over by waiting.
    retryAfter: code !== 'refused' && (status === 429 || (status === 503 && run.cause !== 'aborted')) ? retryAfterOf(run) : undefined,
    error: {
      status,
      type: errorType(status),
      code,
      message,
      param,
      failures: legFailures(run.trail, chain.mount.exposeProviderMessages),
      attempts: reportAttempts(run.trail),
      requestId: chain.requestId,
    },
  }
}

/** No provider was asked, so none is to blame. */
const INTERNAL: Verdict = { status: 500, code: 'internal_error', message: FAULT_MESSAGE }

function verdictOf(run: FailedRun, chain: FailedChain): Verdict {
  const { cause, failure } = run
  if (cause === 'aborted') {
    return failure !== undefined && isClosing(failure)
      ? { status: 503, code: 'no_leg_available', message: CLOSED_MESSAGE }
      : { status: 499, code: 'aborted', message: REASON_MESSAGES.aborted }
  }
  if (cause === 'stopped' && failure?.internal === true) return INTERNAL
  const native = chain.lane === 'native' ? nativeVerdict(run) : undefined
  if (native !== undefined) return native
  const fault = cause === 'stopped' && failure !== undefined ? requestFault(failure) : undefined
  return fault ?? exhausted(run, chain)
}

/** Of legs of one dialect, the last one's own words: what it refuses, the others would, and what it fails of is all there is to say. */
function nativeVerdict({ cause, failure }: FailedRun): Verdict | undefined {
  if (failure === undefined || failure.kind === 'refused' || (cause !== 'stopped' && cause !== 'exhausted')) return undefined
  const message = wordsOf(failure)
  if (cause === 'exhausted' || !isNativeFault(failure)) return { status: 502, code: 'upstream_error', message }
  return { status: 400, code: requestFault(failure)?.code ?? failure.code ?? 'invalid_request_error', message, param: failure.param }
}

/**
 * A fault of the request itself: no leg would answer it better, so its client gets the provider's status class and words.
 */
function requestFault(failure: Failure): Verdict | undefined {
  const { kind, status, code, param } = failure
  switch (kind) {
    case 'refused':
      return { status: status ?? 403, code: 'refused', message: wordsOf(failure) }
    case 'invalid_request': {
      const own = status === 413 || status === 422 ? status : 400
      return { status: own, code: code ?? 'invalid_request_error', message: wordsOf(failure), param }
    }
    case 'content_filter':
      return { status: 400, code: 'content_filter', message: wordsOf(failure) }
    case 'context_length':
      return { status: 400, code: 'context_length_exceeded', message: wordsOf(failure), param }
    default:
      return undefined
  }
}

/** The provider's own, if it said any: masked and bounded here too, since a leg in code has them from anywhere. */
function wordsOf({ kind, providerMessage }: Failure): string {
  return providerMessageOf(providerMessage) ?? REASON_MESSAGES[kind]
}

function exhausted({ cause, noLeg, trail }: FailedRun, chain: FailedChain): Verdict {
  const { route, mount: { exhaustedStatus: by } } = chain
  if (cause === 'untranslatable') {
    return { status: 400, code: 'untranslatable_request', message: unsayable(trail, chain) }
  }
  if (cause === 'circuit_open') {
    return { status: 503, code: 'circuit_open', message: `route '${route}' stops at a provider that has been failing` }
  }
  const failures = trail.filter((record) => record.outcome === 'failed')
  const allFailed = allFailedOf(failures, chain)
  if (trail.length > 0 && trail.every((record) => reasonOf(record) === 'refused')) {
    return { status: 403, code: 'refused', message: REASON_MESSAGES.refused }
  }
  // A leg that was left out might have a larger window.
  const isTooLong = (record: AttemptRecord): boolean =>
    record.outcome === 'failed' && record.failure.kind === 'context_length'
  if (failures.length > 0 && lastOfEach(trail).every(isTooLong)) {
    return { status: 400, code: 'context_length_exceeded', message: REASON_MESSAGES.context_length }
  }
  if (cause !== 'deadline' && failures.length > 0 && failures.every(({ failure }) => failure.internal === true)) return INTERNAL
  if (by !== '502' && failures.length > 0 && failures.every(({ failure }) => failure.kind === 'rate_limit')) {
    return { status: 429, ...allFailed }
  }
  if (noLeg?.status === 429 && by === '429_or_502') return { status: 429, ...allFailed }
  if (by !== 'by_cause') return { status: 502, ...allFailed }
  if (cause === 'deadline') {
    return { status: 504, code: 'deadline_exceeded', message: `route '${route}' found no answer in time` }
  }
  if (failures.length > 0) return { status: 502, ...allFailed }
  return { status: noLeg?.status ?? 503, code: 'no_leg_available', message: `no leg of route '${route}' is available` }
}

function unsayable(trail: readonly AttemptRecord[], { route, isDefault = () => false }: FailedChain): string {
  const features = [...new Set(trail.flatMap((record) => (record.outcome === 'skipped' ? (record.feature ?? []) : [])))]
  const filled = features.filter(isDefault)
  const sent = features.filter((feature) => !filled.includes(feature))
  const parts = [
    ...(sent.length > 0 || filled.length === 0 ? [`for this of the request: ${sent.join(', ')}`] : []),
    ...(filled.length > 0 ? [`for this of the defaults of the route: ${filled.join(', ')}`] : []),
  ]
  const message = `no leg of route '${route}' that was reached has words ${parts.join('; or ')}`
  return features.some((feature) => KNOWN_ELSEWHERE.has(feature)) ? `${message}; ${SAY_IT_WHOLE}` : message
}

/** What only names something that an earlier answer left with its provider. */
const KNOWN_ELSEWHERE: ReadonlySet<string> = new Set(['item_reference', 'previous_response_id'])

const SAY_IT_WHOLE =
  'an id of an earlier answer is known to the provider that gave it and to no other: send the whole conversation each time, with `store: false`'

function allFailedOf(failures: readonly AttemptRecord[], { route, chosenBy }: FailedChain): Omit<Verdict, 'status'> {
  const last = failures.at(-1)
  if (chosenBy === undefined || last === undefined) return { code: 'all_legs_failed', message: `all legs of route '${route}' failed` }
  const message = `All ${failures.length} model attempt(s) failed (last: ${legName(last)} - ${reasonOf(last) ?? ''})`
  return { code: 'all_models_failed', message }
}

/** When the first of the legs may be asked again, in whole seconds; 1 where no leg said. */
function retryAfterOf({ noLeg, trail }: FailedRun): number {
  if (noLeg !== undefined) return noLeg.retryAfterSeconds
  const waits = lastOfEach(trail).flatMap((record) => {
    const waitMs = record.outcome === 'failed' ? record.failure.retryAfterMs : waitOf(record)
    return waitMs === undefined ? [] : [waitMs]
  })
  return waits.length === 0 ? 1 : Math.max(1, Math.ceil(Math.min(...waits) / 1000))
}

function waitOf(record: AttemptRecord): number | undefined {
  return record.outcome === 'skipped' ? record.retryAfterMs : undefined
}

/** Each leg's last row. */
function lastOfEach(trail: readonly AttemptRecord[]): readonly AttemptRecord[] {
  return [...new Map(trail.map((record) => [legKey(record), record])).values()]
}

/** Code and words for an answer that broke after its commit. */
export function brokenAnswer(failure: Failure, requestId: string): ClientError {
  const message = isClosing(failure) ? CLOSED_MESSAGE : brokenMessage(failure)
  return { status: 502, type: errorType(502), code: brokenCode(failure), message, requestId }
}

function brokenMessage({ kind, phase }: Failure): string {
  return phase === 'stream' ? 'the stream was cut after maxStreamMs' : REASON_MESSAGES[kind]
}

/** The code of an answer that broke after its commit. */
export function brokenCode(failure: Failure): ErrorCode {
  const { kind, phase } = failure
  if (phase === 'idle') return 'idle_timeout'
  const isCut = kind === 'truncated' || kind === 'connection_error' || phase === 'stream' || isClosing(failure)
  return isCut ? 'stream_truncated' : 'upstream_error'
}
