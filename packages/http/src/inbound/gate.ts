import type { Authorize, AuthorizeResult, Caller } from '@understudy/config'
import type { ChatRequest, Clock, GateRefusal, Leg } from '@understudy/core'
import { failureOf } from '@understudy/core'

import type { WritableLeg } from '../outbound/http-leg.js'
import { orAborted } from '../outbound/or-aborted.js'

/** What `authorize` is told of a run beside the attempt. */
export interface GateContext {
  readonly authorize: Authorize
  readonly route: string
  readonly requestId: string
  readonly caller: Caller | undefined
  readonly request: ChatRequest
  readonly dryRun: boolean
  readonly clock: Clock
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
}

const MAX_REASON = 2_000
const DEFAULT_STATUS = 403

/** What the host says of one attempt; nothing = go. Never rejects. */
export type Gate = (leg: Leg, leftMs: number) => Promise<GateRefusal | undefined>

/** Asks the host before each attempt. Whatever goes wrong in its code is a stop: a block that failed must not let through. */
export function createGate({ authorize, request, clock, signal, ...about }: GateContext): Gate {
  return async (leg, leftMs) => {
    const bytes = bytesOf(leg, request)
    // What cannot be said in the leg's dialect is not sent: the attempt itself tells why.
    if (bytes === undefined) return undefined
    const over = new AbortController()
    const onLeft = (): void => over.abort()
    signal.addEventListener('abort', onLeft)
    const cancel = Number.isFinite(leftMs) ? clock.schedule(Math.max(0, leftMs), onLeft) : undefined
    try {
      const { provider, model, region } = leg
      const attempt = { leg: { provider, model, region }, ...about, bytes, signal: over.signal }
      return refusalOf(await orAborted(Promise.resolve(authorize(attempt)), over.signal))
    } catch {
      // The run sees by itself that its client has left.
      return over.signal.aborted ? failureOf('timeout', { phase: 'chain', processed: 'no' }) : stopOf({})
    } finally {
      cancel?.()
      signal.removeEventListener('abort', onLeft)
    }
  }
}

function refusalOf(result: AuthorizeResult): GateRefusal | undefined {
  if (result === undefined || result === null) return undefined
  if (typeof result !== 'object') return stopOf({})
  return result.refuse === 'skip' ? 'skip' : stopOf(result)
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

function bytesOf(leg: Leg | WritableLeg, request: ChatRequest): Uint8Array | undefined {
  if (!('bytesOf' in leg)) return undefined
  try {
    return leg.bytesOf(request)
  } catch {
    return undefined
  }
}
