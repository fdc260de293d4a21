import type { FallbackEvent, RunHost } from '@understudy/core'
import { createRunJournal } from '@understudy/core'

/** What a run is told to tell of itself. */
type Told = Pick<RunHost, 'journal' | 'onEnd'>

const ROUTE = 'client'

/** Makes what each run tells, by what was asked for; nothing where nobody listens. */
export function createRunTeller(on: ((event: FallbackEvent) => void) | undefined): (requested: string | undefined) => Told {
  if (on === undefined) return () => ({})
  const tell = (event: FallbackEvent): void => {
    // A listener that fails, now or later, must not take a call down with it.
    try {
      const listener: (event: FallbackEvent) => unknown = on
      const result = listener(event)
      if (result instanceof Promise) result.catch(() => undefined)
    } catch {
      return
    }
  }
  let calls = 0

  return (requested) => {
    calls += 1
    const requestId = `${ROUTE}-${calls}`
    const startedAt = performance.now()
    return {
      journal: createRunJournal({ requestId, route: ROUTE, epoch: Date.now }, tell),
      onEnd({ failure, verdict, usage }, leg) {
        tell({
          type: 'run-end',
          requestId,
          route: ROUTE,
          at: Date.now(),
          lane: 'standard',
          requested,
          provider: leg?.provider,
          model: leg?.model,
          usage,
          errorCode: failure?.kind,
          verdict,
          latencyMs: performance.now() - startedAt,
        })
      },
    }
  }
}
