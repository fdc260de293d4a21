import type { FallbackEvent, Leg, TailEnd } from '@understudy/core'

/** What a run is known by in its last event. */
export interface RunEndIdentity {
  readonly requestId: string
  readonly route: string
  readonly requested: string | undefined
}

/** Puts the last event of a run together: the core knows how the legs ended, the HTTP side what the client was told. */
export interface RunEnd {
  readonly ended: (end: TailEnd, leg: Leg | undefined) => void
  readonly answered: (status: number | undefined, errorCode: string | undefined) => void
}

/** Emits `run-end` once both sides are known. */
export function createRunEnd(
  identity: RunEndIdentity,
  now: () => number,
  emit: (event: FallbackEvent) => void,
  codeOfBroken: (end: TailEnd) => string | undefined,
): RunEnd {
  const startedAt = now()
  let core: { readonly end: TailEnd; readonly leg: Leg | undefined } | undefined
  let client: { readonly status: number | undefined; readonly errorCode: string | undefined } | undefined

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
    if (core === undefined || client === undefined) return
    const { end, leg } = core
    emit({
      type: 'run-end',
      ...identity,
      at: Date.now(),
      lane: 'standard',
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
