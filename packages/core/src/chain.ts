import type { BreakerOptions } from './breaker/breaker-settings.js'
import type { HealthOptions } from './breaker/health-options.js'
import type { HealthRegistry } from './breaker/registry.js'
import { createHealthRegistry } from './breaker/registry.js'
import { chainParts } from './chain-parts.js'
import { checkChain } from './check-chain.js'
import type { Clock } from './clock.js'
import { createSystemClock } from './clock.js'
import type { CommitPoint } from './commit.js'
import { legOf } from './custom-leg.js'
import { ChainFailedError } from './errors.js'
import type { FallbackEvent } from './events.js'
import type { FailureKind } from './failure/failure.js'
import type { AdvanceSet } from './failure/verdict.js'
import { advanceKinds } from './failure/verdict.js'
import { runHostCode } from './host-code.js'
import type { CustomLeg, Leg } from './leg.js'
import type { ChainLimits } from './limits.js'
import type { Part } from './part.js'
import { createLatencies } from './policy/latencies.js'
import type { Order } from './policy/order.js'
import { DEFAULT_MAX_RETRY_AFTER_MS, DEFAULT_RETRY_ON } from './policy/retry.js'
import type { AttemptRecord } from './report.js'
import type { ChatRequestInput } from './request.js'
import { chatRequestOf } from './request.js'
import type { FailedRun, RunSettings } from './run.js'
import { run } from './run.js'
import { createRunJournal } from './run-journal.js'
import type { TailEnd } from './tail.js'
import { toldName } from './told-name.js'

/** A chain without HTTP. */
export interface ChainOptions extends ChainLimits {
  /** Asked in this order. At least one. */
  readonly legs: readonly (Leg | CustomLeg)[]
  /** The failures that move on to the next leg. Default `leg_faults`. */
  readonly advanceOn?: AdvanceSet | readonly FailureKind[] | undefined
  /** When a run is bound to a leg. Default `first_content`. */
  readonly commit?: CommitPoint | undefined
  /** How often a leg is asked again before the next one is. Default 0. */
  readonly retries?: number | undefined
  /** Default `rate_limit`, `connection_error`, `server_error`, `overloaded`. */
  readonly retryOn?: readonly FailureKind[] | undefined
  /** A longer `Retry-After` is not waited for, in ms. `false` = no cap. Default 5 000. */
  readonly maxRetryAfterMs?: number | false | undefined
  /** In which order the legs are asked. Default `configured`. */
  readonly order?: Order | undefined
  /**
   * Remembers failures from run to run: a provider that keeps failing is left out for a while. `{}` = with every default.
   * Default `false`: each run asks every leg.
   */
  readonly breaker?: false | BreakerOptions | undefined
  /** Whether a 429 rests its leg. Default `true` with a `breaker`, else `false`. */
  readonly cooldown?: boolean | undefined
  /** How the chain is called in events. Default `chain`. */
  readonly name?: string | undefined
  /** Hears what happens. What it throws goes no further. */
  readonly on?: ((event: FallbackEvent) => void) | undefined
  /** Default the system's, whose timers hold the process while a run is on. */
  readonly clock?: Clock | undefined
  /** Milliseconds since the epoch, for events. Default `Date.now`. */
  readonly epoch?: (() => number) | undefined
  /** In [0, 1), for the jitter of retries and breakers, and the order `weighted`. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

/** A run that a leg serves. */
export interface ChainRun {
  /** The leg that serves. */
  readonly leg: { readonly provider: string; readonly model: string }
  /** The attempts before it, in order. */
  readonly failures: readonly AttemptRecord[]
  /**
   * The answer, part by part. Throws a `LegFailedError` where the answer breaks off, so that half an answer cannot be taken for
   * a whole one. One reader. Must be read to its end or closed with `return`, as leaving a `for await` does: until then the
   * leg's connection is held.
   */
  readonly parts: AsyncIterable<Part>
}

/** A chain that runs requests. */
export interface Chain {
  /** Resolves at the commit; rejects with a `ChainFailedError` when no leg serves. */
  readonly run: (request: ChatRequestInput, options?: { readonly signal?: AbortSignal | undefined }) => Promise<ChainRun>
}

/** Makes a chain of legs. Throws a `TypeError` if there are none, or for an option that is none. */
export function createChain(options: ChainOptions): Chain {
  checkChain(options)
  const { name = 'chain', clock = createSystemClock(), random = Math.random, epoch = Date.now, on } = options
  const legs = options.legs.map(legOf)
  const settings = settingsOf(options)
  const health = healthOf(options, { clock, random, epoch })
  const latencies = createLatencies()
  let runs = 0

  return {
    async run(input, { signal } = {}) {
      runs += 1
      const requestId = `${name}-${runs}`
      const startedAt = clock.now()
      const journal = on && createRunJournal({ requestId, route: name, epoch }, (event) => tell(on, event))
      const onEnd = ({ failure, verdict, usage }: TailEnd, leg: Leg | undefined): void => {
        if (on === undefined) return
        tell(on, {
          type: 'run-end',
          requestId,
          route: name,
          at: epoch(),
          lane: 'standard',
          requested: input.model === undefined ? undefined : toldName(input.model),
          provider: leg?.provider,
          model: leg?.model,
          usage,
          errorCode: failure?.kind,
          verdict,
          latencyMs: clock.now() - startedAt,
        })
      }
      const host = { clock, random, health: health?.forRun(), latencies, journal, onEnd }
      const outcome = await run(legs, chatRequestOf(input), settings, host, signal)
      if (outcome.type === 'failed') throw chainFailed(name, outcome)
      const { provider, model } = outcome.leg
      return { leg: { provider, model }, failures: outcome.trail.slice(0, -1), parts: chainParts(outcome) }
    },
  }
}

function healthOf(options: ChainOptions, ground: Pick<HealthOptions, 'clock' | 'random' | 'epoch'>): HealthRegistry | undefined {
  const { breaker = false, cooldown = breaker !== false, on } = options
  if (breaker === false && !cooldown) return undefined
  return createHealthRegistry({ ...ground, breaker, cooldown, on: on && ((event) => tell(on, event)) })
}

function settingsOf(options: ChainOptions): RunSettings {
  const { advanceOn, commit = 'first_content', retries = 0, retryOn = DEFAULT_RETRY_ON } = options
  const { maxRetryAfterMs = DEFAULT_MAX_RETRY_AFTER_MS, deadlineMs, windowMs, minAttemptMs } = options
  const { order = 'configured' } = options
  return {
    advance: advanceKinds(advanceOn),
    commit,
    retry: {
      retries,
      retryOn: new Set(retryOn),
      maxRetryAfterMs: maxRetryAfterMs === false ? undefined : maxRetryAfterMs,
    },
    limits: { deadlineMs, windowMs, minAttemptMs },
    plan: { order, whenOpen: 'next', whenAllOpen: 'skip' },
  }
}

function chainFailed(name: string, { cause, failure, trail }: FailedRun): ChainFailedError {
  const attempts = trail.filter((record) => record.outcome === 'failed').length
  const reason = failure === undefined ? cause : failure.kind
  return new ChainFailedError(`chain '${name}' failed (${cause}): ${attempts} attempt(s), last ${reason}`, failure, trail)
}

function tell(listener: (event: FallbackEvent) => unknown, event: FallbackEvent): void {
  // A listener that fails, now or later, must not take a request down with it.
  runHostCode(() => listener(event), () => undefined)
}
