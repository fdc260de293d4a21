import { untilAborted } from '@understudy/config'
import type { Authorize, AuthorizeResult, Caller } from '@understudy/config'
import type { ChatRequest, Clock, GateRefusal, Leg } from '@understudy/core'
import { failureOf, legName } from '@understudy/core'
import { isUntranslatableRequestError } from '@understudy/dialects'

import type { AuthorizeFault } from '../authorize-faults.js'
import { internalFault } from '../internal-fault.js'
import type { OpenRuns } from '../open-runs.js'
import type { WritableLeg } from '../outbound/http-leg.js'

/** What `authorize` is told of a run beside the attempt. */
export interface GateContext {
  readonly authorize: Authorize
  readonly route: string
  readonly requestId: string
  readonly caller: Caller | undefined
  readonly request: ChatRequest
  readonly dryRun: boolean
  /** Default false. */
  readonly trial?: boolean | undefined
  readonly clock: Clock
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  readonly onClose: OpenRuns['onClose']
  /** Told when the host's code gave no verdict. */
  readonly onFault: (fault: AuthorizeFault) => void
  /** Told what was thrown when our own code could not make the bytes to be shown. */
  readonly onInternalFault: (error: unknown) => void
}

const MAX_REASON = 2_000
const DEFAULT_STATUS = 403

/** What the host says of one attempt; nothing = go. Never rejects. */
export type Gate = (leg: Leg, leftMs: number) => Promise<GateRefusal | undefined>

/**
 * Asks the host before each attempt. Whatever goes wrong, in its code or in ours, is a stop: a block that failed must not let through,
 * and nothing is sent that the host was not shown.
 */
export function createGate(context: GateContext): Gate {
  const { authorize, request, clock, signal, onClose, onFault, onInternalFault, trial = false, ...about } = context
  return async (leg, leftMs) => {
    let bytes: Uint8Array
    try {
      bytes = bytesOf(leg, request)
    } catch (error) {
      if (isUntranslatableRequestError(error)) return { untranslatable: error.feature }
      onInternalFault(error)
      return internalFault(error)
    }
    const over = new AbortController()
    const onLeft = (): void => over.abort()
    signal.addEventListener('abort', onLeft)
    if (signal.aborted) onLeft()
    const stopListening = onClose(onLeft)
    const refuse = (trouble: AuthorizeFault['trouble']): GateRefusal => {
      onFault({ requestId: about.requestId, route: about.route, leg: legName(leg), trouble })
      return stopOf({})
    }
    const cancel = Number.isFinite(leftMs) ? clock.schedule(Math.max(0, leftMs), onLeft) : undefined
    try {
      over.signal.throwIfAborted()
      const { provider, model, region } = leg
      const attempt = { leg: { provider, model, region }, ...about, trial, bytes, signal: over.signal }
      const value: AuthorizeResult = await untilAborted(Promise.resolve(authorize(attempt)), over.signal)
      if (value === undefined || value === null) return undefined
      if (value.refuse === 'skip') return 'skip'
      return value.refuse === 'stop' ? stopOf(value) : refuse({ type: 'gave', value })
    } catch (error) {
      // The run sees by itself that its client has left, or that it was stopped.
      return over.signal.aborted ? failureOf('timeout', { phase: 'chain', processed: 'no' }) : refuse({ type: 'threw', error })
    } finally {
      cancel?.()
      stopListening()
      signal.removeEventListener('abort', onLeft)
    }
  }
}

function stopOf(result: { readonly status?: unknown; readonly reason?: unknown }): GateRefusal {
  const { status, reason } = result
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
  return failureOf('refused', {
    status: isStatus ? status : DEFAULT_STATUS,
    // For the client that asked, and nobody else.
    providerMessage: typeof reason === 'string' && reason !== '' ? reason.slice(0, MAX_REASON) : undefined,
  })
}

function bytesOf(leg: Leg | WritableLeg, request: ChatRequest): Uint8Array {
  if ('bytesOf' in leg) return leg.bytesOf(request)
  throw new TypeError('a leg that cannot say what it would send')
}
