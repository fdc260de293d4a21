import type { FakeLeg } from './fake-legs.js'
import { differs, joined, pick, unparsable, type Round } from './check-answer.js'
import type { CaseClient, CaseConfig, CaseLeg } from './case.js'
import type { Expectations } from './expectations.js'
import { defaultFirstTokenMs, defaultIdleMs } from './fallback-input.js'
import { within } from '../kit/within.js'

/** Everything that is known when a play is over. */
export interface PlayFacts {
  readonly rounds: readonly Round[]
  readonly upstream: readonly CaseLeg[]
  readonly config: CaseConfig
  readonly client: CaseClient
  readonly expect: Expectations
  /** By name, each once. */
  readonly legs: readonly FakeLeg[]
  /** stderr, warnings, and what the framework complained about. */
  readonly complaints: readonly string[]
  readonly logs: readonly { readonly level: string, readonly text: string }[]
  /** Calls of all rounds. */
  readonly totalCalls: Readonly<Record<string, number>>
  /** By leg; undefined for one that nothing is remembered of. */
  readonly breakerStates: Readonly<Record<string, string | undefined>>
  readonly rssGrowthMb: number | undefined
  readonly cpuMs: number
  /** One more request, with every leg healthy; undefined if it was answered well. */
  sendHealthy(): Promise<string | undefined>
  /** Two requests on one connection; undefined if the second was answered well. */
  sendTwice(): Promise<string | undefined>
  /** Listeners on a kept connection after the first and after the last of twenty requests. */
  countListeners(): Promise<readonly [number, number]>
}

type Problem = string | undefined
type Check<Value> = (expected: Value, facts: PlayFacts) => Problem | Promise<Problem>

type PlayField =
  | 'must_not' | 'process_alive' | 'upstream_closed_within_ms' | 'max_rss_growth_mb' | 'calls_at_most'
  | 'connection_usable' | 'log_at_most' | 'max_cpu_ms' | 'sockets_closed' | 'listeners_steady'
  | 'total_calls' | 'breaker_state' | 'breaker_state_after'

/** What some `must_not` stand for; the others are texts that may not occur. */
const conditions: Readonly<Record<string, (facts: PlayFacts) => boolean>> = {
  'TLS verification disabled for later legs': ({ legs }) =>
    process.env.NODE_TLS_REJECT_UNAUTHORIZED !== undefined
    || legs.some((leg) => !leg.reachable && leg.received.length > 0),
  'empty event dispatched': ({ rounds }) => rounds.some(({ answer }) => answer.events.some(({ data }) => data === '')),
}

/** The checks of what is about all rounds together, in the order they are made. */
export const playChecks = {
  must_not: (forbidden, facts) => {
    const texts = [
      ...facts.rounds.map(({ answer }) => answer.wire.toString('utf8')),
      ...facts.complaints,
      ...facts.logs.map(({ text }) => text),
    ]
    return joined(forbidden.map((item) => {
      const condition = conditions[item]
      const holds = condition === undefined ? texts.some((text) => text.includes(item)) : condition(facts)
      return holds ? `must not: ${item}` : undefined
    }))
  },
  upstream_closed_within_ms: async (ms, { rounds, upstream, client, config, legs, expect }) => {
    const first = legs[0]
    if (first === undefined || first.received.length === 0) return 'the first leg was not called, so nothing was closed'
    const leftAfterMs = Math.max(...rounds.map(({ answer }) => answer.endedAt - answer.sentAt))
    // The limit that ends the leg: idle once it has spoken, else first content.
    const { firstTokenMs = defaultFirstTokenMs, idleMs = defaultIdleMs } = config
    const limitMs = expect.leg === upstream[0]?.leg ? idleMs : firstTokenMs
    return joined(await Promise.all(first.received.map(async (call) => {
      const end = await within(3_000, 'the end of the call', call.closed).catch(() => undefined)
      if (end === undefined) return 'the connection to the leg stayed open'
      if (end.by !== 'client') return 'the leg ended its answer by itself'
      const dueMs = client.abort_after_ms === undefined ? limitMs : leftAfterMs
      const lateMs = end.at - call.at - dueMs
      return lateMs <= ms ? undefined : `the connection to the leg was closed ${Math.round(lateMs)} ms late`
    })))
  },
  max_rss_growth_mb: (mb, { rssGrowthMb = 0 }) =>
    (rssGrowthMb <= mb ? undefined : `memory grew by ${rssGrowthMb.toFixed(1)} MB, more than ${mb}`),
  max_cpu_ms: (ms, { cpuMs }) => (cpuMs <= ms ? undefined : `took ${Math.round(cpuMs)} ms of CPU, more than ${ms}`),
  calls_at_most: (most, { totalCalls, rounds }) => joined(Object.entries(most).map(([leg, count]) =>
    ((totalCalls[leg] ?? 0) <= count * rounds.length ? undefined : `${leg} was called ${totalCalls[leg]} times`))),
  total_calls: (expected, { totalCalls }) => differs('calls in all', pick(totalCalls, expected), expected),
  breaker_state: (expected, { breakerStates }) =>
    differs('breakers', pick(breakerStates, expected), expected),
  breaker_state_after: (expected, { breakerStates }) =>
    differs('breakers', pick(breakerStates, expected), expected),
  log_at_most: (_, { logs }) => joined(logs
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ level, text }) => `logged as ${level}: ${text}`)),
  sockets_closed: async (_, { legs }) => joined(await Promise.all(legs.map(async (leg) => {
    await leg.waitForNoSockets().catch(() => undefined)
    return leg.openSockets === 0 ? undefined : `${leg.openSockets} connections to ${leg.name} stayed open`
  }))),
  // From here on the legs are healed, and their record starts anew.
  process_alive: (_, facts) => facts.sendHealthy(),
  connection_usable: (_, facts) => facts.sendTwice(),
  listeners_steady: async (_, facts) => {
    const [before, after] = await facts.countListeners()
    return before === after ? undefined : `${after} listeners on a kept connection, ${before} at the start`
  },
} satisfies { [Field in PlayField]-?: Check<NonNullable<Expectations[Field]>> }

/** What holds for every play, whatever its data says. */
export function alwaysChecks({ rounds, complaints, expect }: PlayFacts): readonly string[] {
  const problems = rounds.flatMap((round, index) => {
    const found = alwaysOf(round, expect)
    return found === undefined ? [] : [rounds.length === 1 ? found : `round ${index + 1}: ${found}`]
  })
  if ('polluted' in {}) problems.push('the prototype of every object was written to')
  return [...problems, ...complaints.map((text) => `complained: ${text.slice(0, 500)}`)]
}

function alwaysOf({ answer, aborted, legs }: Round, expect: Expectations): Problem {
  if (aborted) return undefined
  const error = field200(answer.status) ? undefined : errorShape(answer.json)
  const { bodyText: text } = answer
  // Where any leg may serve, it is the one that the answer names.
  const served = answer.header('understudy-served')
  const servedBy = Object.keys(legs).find((leg) => served?.startsWith(`${legs[leg]?.provider}/`))
  const strangers = Object.keys(legs).filter((leg) => leg !== (expect.leg === undefined ? servedBy : expect.leg))
  return joined([
    answer.endedBy === 'deadline' ? 'hangs' : undefined,
    answer.complete || answer.endedBy === 'deadline' ? undefined : 'the answer was cut off',
    unparsable(answer),
    answer.events.findIndex(({ data }) => data === '[DONE]') < answer.events.length - 1 && answer.doneCount > 0
      ? 'something follows [DONE]'
      : undefined,
    expect.host_page === true || error === undefined || text === '' ? undefined : error,
    ...strangers.map((leg) =>
      (text.includes(`"cc-${leg}"`) || text.includes(`"msg-${leg}"`) ? `bytes of ${leg} reached the client` : undefined)),
    expect.leg !== null && answer.status === 200 && (expect.error_events ?? 0) === 0 && text.includes('synthetic')
      ? "a leg's error reached the client"
      : undefined,
    ...(answer.isStream ? streamHeaders(answer, expect) : []),
  ])
}

function field200(status: number | null): boolean {
  return status === null || status < 400
}

function errorShape(body: unknown): Problem {
  const error: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined
  if (typeof error !== 'object' || error === null) return 'an error without an error object'
  const missing = ['type', 'code', 'message'].filter((key) => !Reflect.has(error, key))
  return missing.length === 0 ? undefined : `an error without ${missing.join(', ')}`
}

function streamHeaders({ header }: Round['answer'], { response_headers: expected = {} }: Expectations): readonly Problem[] {
  const [cacheControl, buffering] = [header('cache-control'), header('x-accel-buffering')]
  return [
    cacheControl === (expected['cache-control'] ?? 'no-cache, no-transform') ? undefined : `cache-control: ${cacheControl}`,
    buffering === 'no' ? undefined : `x-accel-buffering: ${buffering}`,
  ]
}
