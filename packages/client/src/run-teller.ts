import type { FallbackEvent, RunHost } from '@understudy/core'
import { createRunJournal, runHostCode, toldName } from '@understudy/core'
import type { ClientGround } from './ground.js'

/** What a run is told to tell of itself. */
type Told = Pick<RunHost, 'journal' | 'onEnd'>

const ROUTE = 'client'

/** Hears events. */
type Listener = (event: FallbackEvent) => void

/** A listener that can fail, now or later, without taking a call down with it. */
export function safely(on: Listener): Listener {
  return (event) => runHostCode(() => on(event), () => undefined)
}

/** Makes what each run tells; nothing where nobody listens. `tell` never throws. */
export function createRunTeller(
  tell: Listener | undefined,
  { clock, wallClock }: Pick<ClientGround, 'clock' | 'wallClock'>,
): (requested: string | undefined) => Told {
  if (tell === undefined) return () => ({})
  let calls = 0

  return (requested) => {
    calls += 1
    const requestId = `${ROUTE}-${calls}`
    const startedAt = clock.now()
    return {
      journal: createRunJournal({ requestId, route: ROUTE, epoch: wallClock }, tell),
      onEnd({ failure, verdict, usage }, leg) {
        tell({
          type: 'run-end',
          requestId,
          route: ROUTE,
          at: wallClock(),
          lane: 'standard',
          requested: requested === undefined ? undefined : toldName(requested),
          provider: leg?.provider,
          model: leg?.model,
          usage,
          errorCode: failure?.kind,
          verdict,
          latencyMs: clock.now() - startedAt,
        })
      },
    }
  }
}
