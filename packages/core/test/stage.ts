import type { AdvanceSet, Arrival, ChatRequest, CommitPoint, FailureKind, Leg, RetryPolicy, RunHost } from '@understudy/core'
import type { ChainLimits, FallbackEvent, Latencies, Part, PlanSettings, RunHealth, RunOutcome } from '@understudy/core'
import { advanceKinds, createRunJournal, DEFAULT_RETRY_ON, run } from '@understudy/core'
import { createFakeClock, type FakeClock } from '../../../test/kit/fake-clock.js'
import { scriptedLeg, type Script } from './scripted-leg.js'

export interface Play {
  readonly commit?: CommitPoint
  readonly advanceOn?: AdvanceSet | readonly FailureKind[]
  readonly limits?: ChainLimits
  readonly retry?: Partial<RetryPolicy>
  readonly request?: Partial<ChatRequest>
  readonly signal?: AbortSignal
  readonly random?: () => number
  readonly onEvent?: (event: FallbackEvent) => void
  readonly onStart?: RunHost['onStart']
  readonly gate?: RunHost['gate']
  readonly idempotency?: 'always' | 'safe'
  readonly untranslatable?: 'skip' | 'refuse'
  readonly plan?: Partial<PlanSettings>
  /** For each run. */
  readonly health?: () => RunHealth
  readonly latencies?: Latencies
}

/** Runs scripted legs on a clock that stands still, and writes down everything that can be seen, with its time. */
export interface Stage {
  readonly clock: FakeClock
  readonly log: string[]
  readonly say: (line: string) => void
  /** Runs a chain; its outcome goes into the log too. */
  readonly play: (legs: readonly (Script | Leg)[], options?: Play) => Promise<RunOutcome>
  /** The same, and reads the answer to its end. */
  readonly playOut: (legs: readonly (Script | Leg)[], options?: Play) => Promise<RunOutcome>
}

export function createStage(): Stage {
  const clock = createFakeClock()
  const log: string[] = []
  const say = (line: string): void => void log.push(`${clock.now()} ${line}`)

  async function play(legs: readonly (Script | Leg)[], options: Play = {}): Promise<RunOutcome> {
    const { commit = 'first_content', advanceOn, limits = {}, retry, request, signal, random = () => 0.5, onEvent, onStart, gate, idempotency } = options
    const { plan, health, latencies, untranslatable } = options
    const settings = {
      advance: advanceKinds(advanceOn),
      commit,
      retry: { retries: 0, retryOn: new Set(DEFAULT_RETRY_ON), maxRetryAfterMs: 5_000, ...retry },
      limits,
      idempotency,
      untranslatable,
      plan: plan && { order: 'configured' as const, whenOpen: 'next' as const, whenAllOpen: 'skip' as const, ...plan },
    }
    const identity = { requestId: 'r1', route: 'chat', epoch: () => clock.now() }
    const host: RunHost = {
      clock,
      random,
      onStart,
      gate,
      health: health?.(),
      latencies,
      journal: onEvent && createRunJournal(identity, onEvent),
      onEnd: ({ failure, verdict }, leg) => say(`over ${leg?.provider ?? '-'} ${verdict} ${failure === undefined ? '' : nameOf(failure)}`.trim()),
    }
    const ready = legs.map((leg) => ('open' in leg && typeof leg.open === 'function' ? leg : scriptedLeg(clock, say, leg as Script)))
    const outcome = await run(ready as readonly Leg[], chat(request), settings, host, signal)
    say(outcome.type === 'committed' ? `committed ${outcome.leg.provider}` : `failed ${outcome.cause} ${outcome.failure === undefined ? '-' : nameOf(outcome.failure)}`)
    return outcome
  }

  return {
    clock,
    log,
    say,
    play,
    async playOut(legs, options) {
      const outcome = await play(legs, options)
      if (outcome.type === 'committed') {
        for await (const arrival of outcome.arrivals) say(`read ${contentOf(arrival)}`)
        const failure = outcome.end()?.failure
        say(failure === undefined ? 'whole' : `broken ${nameOf(failure)}`)
      }
      return outcome
    },
  }
}

export function chat(request: Partial<ChatRequest> = {}): ChatRequest {
  return { stream: true, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], ...request }
}

export function nameOf({ kind, phase }: { readonly kind: string; readonly phase?: string | undefined }): string {
  return phase === undefined ? kind : `${kind}:${phase}`
}

/** What an arrival says, short: text as it is, anything else by its type. */
export function contentOf({ parts }: Arrival): string {
  return parts.map((part: Part) => (part.type === 'text' ? part.text : part.type)).join(',')
}

/** The rows of a trail, short. */
export function rowsOf(outcome: RunOutcome): string[] {
  return outcome.trail.map((row) => {
    if (row.outcome === 'served') return `served ${row.provider} ${row.latencyMs}`
    if (row.outcome === 'skipped') return `skipped ${row.provider} ${row.reason}`
    return `failed ${row.provider} ${nameOf(row.failure)} ${row.health} ${row.latencyMs}`
  })
}
