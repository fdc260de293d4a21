import type { FallbackEvent, Leg, TailEnd } from '@understudy/core'

/** What a run is known by in its last event. */
export interface RunEndIdentity {
  readonly requestId: string
  readonly route: string
  readonly requested: string | undefined
  readonly callerKeyId?: string | undefined
  /** Which class of request it is. Default `standard`. */
  readonly lane?: Lane | undefined
}

/** A class of request with its own eligible legs and advance rule. */
export type Lane = 'standard' | 'native' | 'embeddings'

/** Puts the last event of a run together: the core knows how the legs ended, the HTTP side what the client was told. */
export interface RunEnd {
  readonly ended: (end: TailEnd, leg: Leg | undefined) => void
  /** What the client was told; the last word before the end counts. */
  readonly answered: (status: number | undefined, errorCode: string | undefined) => void
}

/** What a `RunEnd` is made with. */
export interface RunEndOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since the epoch. */
  readonly epoch: () => number
  readonly emit: (event: FallbackEvent) => void
  /** The code for an answer that broke after its commit. */
  readonly codeOfBroken: (end: TailEnd) => string | undefined
}

/** Emits `run-end`, once, as soon as both sides are known. */
export function createRunEnd(identity: RunEndIdentity, { now, epoch, emit, codeOfBroken }: RunEndOptions): RunEnd {
  const startedAt = now()
  let core: { readonly end: TailEnd; readonly leg: Leg | undefined } | undefined
  let client: { readonly status: number | undefined; readonly errorCode: string | undefined } | undefined
  let isTold = false

  return {
    ended(end, leg) {
      core = { end, leg }
      settle()
    },
    answered(status, errorCode) {
      client = { status, errorCode }
      settle()
    },
  }

  function settle(): void {
    if (core === undefined || client === undefined || isTold) return
    isTold = true
    const { end, leg } = core
    const { requestId, route, requested, callerKeyId } = identity
    emit({
      type: 'run-end',
      requestId,
      route,
      requested,
      callerKeyId,
      at: epoch(),
      lane: identity.lane ?? 'standard',
      provider: leg?.provider,
      model: leg?.model,
      usage: end.usage,
      status: client.status,
      errorCode: client.errorCode ?? codeOfBroken(end),
      verdict: end.verdict,
      latencyMs: now() - startedAt,
    })
  }
}
