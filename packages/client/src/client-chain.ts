import type { Clock, CommittedRun, FailedRun, HealthRegistry, Latencies, Leg, LegLimits, RunSettings } from '@understudy/core'
import {
  advanceKinds,
  createHealthRegistry,
  createLatencies,
  LegFailedError,
  run,
} from '@understudy/core'
import { answerResponse, isServing } from './answer-response.js'
import type { Attempt } from './attempt.js'
import { errorOf } from './attempt.js'
import type { AnyEntry, ClientCall } from './client-call.js'
import { ProviderUnavailableError } from './errors.js'
import type { ClientGround } from './ground.js'
import type { WithFallbackOptions } from './options.js'
import { createRunTeller, safely } from './run-teller.js'
import { bedrockRefusal } from './bedrock-refusal.js'
import { createSdkLeg } from './sdk-leg.js'
import { abortError, vendorError } from './vendor-error.js'

const WINDOW_MS = 30_000
const HOP_TIMEOUT_MS = 600_000

/** The entries of one wrapped client, and what is remembered of them from call to call. */
export interface ClientChain {
  /**
   * Asks the entries until one answers. Resolves at the headers of the answer, for a stream at its first content; rejects with
   * what the last provider's SDK threw. `signal` ends a stream whose reader has gone.
   */
  readonly ask: (call: ClientCall, signal: AbortSignal) => Promise<Response>
  /** The same for calls that are no requests of a dialect: `legOf` makes the leg of an entry. */
  readonly walk: (
    call: Pick<ClientCall, 'isUnrepeatable' | 'params' | 'request' | 'signal'>,
    legOf: (entry: AnyEntry, parts: LegParts) => Leg,
  ) => Promise<{ readonly run: CommittedRun; readonly attempt: Attempt }>
}

/** What all legs of a call have in common, whatever they send. */
export interface LegParts {
  /** Told of each attempt as it starts. */
  readonly onAttempt: (attempt: Attempt) => void
  readonly hopTimeoutMs: number
  readonly limits: LegLimits
  /** Its timers hold no process. */
  readonly clock: Clock
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
}

/** Makes the chain. Throws a `TypeError` for an option of the core that is none. */
export function createClientChain(entries: readonly AnyEntry[], options: WithFallbackOptions, ground: ClientGround): ClientChain {
  const { hopTimeoutMs = HOP_TIMEOUT_MS, idleTimeoutMs, idempotency = 'safe' } = options
  const { clock, hopClock, random, wallClock } = ground
  const settings = settingsOf(options)
  const latencies: Latencies = createLatencies()
  const tell = options.on && safely(options.on)
  const health = healthOf(options, ground, tell)
  const tellRun = createRunTeller(tell, ground)
  const [first] = entries
  const asked = idempotency === 'never' ? entries.filter(({ provider }) => provider === first?.provider) : entries
  // Connecting and the first content are the SDK's and the provider's own affair here: an attempt has one limit, the hop's.
  const limits = {
    connectTimeoutMs: hopTimeoutMs,
    firstContentTimeoutMs: hopTimeoutMs,
    timeoutMs: hopTimeoutMs,
    ...(idleTimeoutMs === undefined ? undefined : { idleTimeoutMs }),
    maxStreamMs: false,
  } as const

  return { ask, walk }

  async function ask(call: ClientCall, signal: AbortSignal): Promise<Response> {
    const { run: committed, attempt } = await walk(call, (entry, parts) =>
      (entry.dialect === undefined ? bedrockRefusal(entry, call, parts) : createSdkLeg(entry, { ...parts, call })))
    const { answer } = attempt
    if (answer === undefined || !isServing(attempt)) throw new TypeError('an answer without its attempt')
    return answerResponse(committed, attempt, answer, call, { signal, wallClock })
  }

  async function walk(...[call, legOf]: Parameters<ClientChain['walk']>): ReturnType<ClientChain['walk']> {
    let attempt: Attempt | undefined
    const onAttempt = (next: Attempt): void => void (attempt = next)
    const legs = asked.map((entry) => legOf(entry, { onAttempt, hopTimeoutMs, limits, clock: hopClock, wallClock }))
    const told = tellRun(call.request.model ?? legs[0]?.model)
    const prices = pricesOf(call, options)
    const host = { clock, random, health: health?.forRun(), latencies, prices, ...told }
    const outcome = await run(legs, call.request, settingsFor(call, settings), host, call.signal)
    if (outcome.type === 'failed') throw await finalError(outcome, attempt, legs, first)
    if (attempt === undefined) throw new TypeError('an answer without its attempt')
    return { run: outcome, attempt }
  }
}

/** A call can make the policy stricter, never laxer. */
function settingsFor({ isUnrepeatable }: Pick<ClientCall, 'isUnrepeatable'>, settings: RunSettings): RunSettings {
  return isUnrepeatable ? { ...settings, idempotency: 'safe' } : settings
}

function pricesOf({ params }: Pick<ClientCall, 'params'>, { priceHints }: WithFallbackOptions): Readonly<Record<string, number>> | undefined {
  try {
    // Copied: what a member throws when it is read is thrown here.
    return { ...priceHints?.(params) }
  } catch {
    // Without prices the order is by health, which is no reason to fail a call.
    return undefined
  }
}

function settingsOf(options: WithFallbackOptions): RunSettings {
  const { advanceOn = 'triggers', order = 'health', windowMs = WINDOW_MS, retries = 0, idempotency = 'safe' } = options
  return {
    advance: advanceKinds(advanceOn),
    commit: 'first_content',
    // The provider says how long; the window says how long is too long.
    retry: { retries, retryOn: new Set(['rate_limit']), maxRetryAfterMs: undefined },
    limits: { deadlineMs: false, windowMs },
    // With `never` there is no other provider to go to.
    idempotency: idempotency === 'safe' ? 'safe' : 'always',
    plan: { order, whenOpen: 'next', whenAllOpen: 'skip' },
  }
}

function healthOf(
  { breaker = {}, cooldown = false }: WithFallbackOptions,
  { clock, random, wallClock }: ClientGround,
  on: WithFallbackOptions['on'],
): HealthRegistry | undefined {
  if (breaker === false && !cooldown) return undefined
  // A caller's own mistakes say nothing about a provider, and a throttled one is as good as down.
  const rule = breaker === false ? false : { counts: 'sdk' as const, ...breaker }
  return createHealthRegistry({ clock, random, epoch: wallClock, breaker: rule, cooldown, on })
}

async function finalError(
  { cause, failure, noLeg, trail }: FailedRun,
  attempt: Attempt | undefined,
  legs: readonly Leg[],
  first: AnyEntry | undefined,
): Promise<unknown> {
  if (cause === 'aborted') return vendorError(first?.client, 'APIUserAbortError') ?? abortError()
  if (attempt !== undefined && failure !== undefined && trail.some(({ outcome }) => outcome === 'failed')) {
    return errorOf(attempt, failure).catch(() => new LegFailedError(failure))
  }
  const names = [...new Set(legs.map(({ provider }) => provider))]
  return new ProviderUnavailableError(names, noLeg === undefined ? undefined : noLeg.retryAfterSeconds * 1_000)
}
