import type { Fallback } from '@understudy/http'
import { within } from '../kit/within.js'

type FallbackEvent = Parameters<Parameters<Fallback['on']>[0]>[0]
type EventOf<Type> = Extract<FallbackEvent, { readonly type: Type }>

/** What an attempt said about its leg's health. */
export type Verdict = EventOf<'attempt-failure'>['verdict']

/** What the events of a fallback say about single runs. */
export interface RunRecord {
  readonly listener: (event: FallbackEvent) => void
  readonly events: readonly FallbackEvent[]
  /** Rejects if the run is not over within two seconds. */
  waitForEnd(requestId: string): Promise<void>
  attemptsOf(requestId: string, provider: string): number
  /** The last verdict about a provider in a run; undefined if it was not called. */
  verdictOf(requestId: string, provider: string): Verdict | undefined
}

export function createRunRecord(): RunRecord {
  const events: FallbackEvent[] = []
  const ended = new Set<string>()
  const waiting = new Map<string, () => void>()
  const of = <Type extends FallbackEvent['type']>(type: Type, requestId: string, provider: string) => events.filter(
    (event): event is EventOf<Type> =>
      event.type === type && 'requestId' in event && event.requestId === requestId && 'provider' in event && event.provider === provider,
  )

  return {
    events,
    listener: (event) => {
      events.push(event)
      if (event.type !== 'run-end') return
      ended.add(event.requestId)
      waiting.get(event.requestId)?.()
    },
    waitForEnd: (requestId) => {
      if (ended.has(requestId)) return Promise.resolve()
      const end = new Promise<void>((resolve) => waiting.set(requestId, resolve))
      return within(2_000, `the run-end of ${requestId}`, end)
    },
    attemptsOf: (requestId, provider) => of('attempt-start', requestId, provider).length,
    verdictOf: (requestId, provider) =>
      of('attempt-failure', requestId, provider).at(-1)?.verdict ?? of('run-end', requestId, provider).at(-1)?.verdict,
  }
}
