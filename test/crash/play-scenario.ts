import { createFallback } from '@understudy/http'
import { HEALTHY_TEXT, startSimulator, type Step } from '@understudy/simulator'
import { startHost, type SetUp } from '../cases/hosts.js'
import { sendRaw, type RawRequest } from '../cases/raw-client.js'
import { field, readAnswer, type ReadAnswer } from '../cases/read-answer.js'
import type { Facts, Outcome } from './facts.js'
import type { Scenario } from './scenarios.js'
import { score, worst, type Score } from './score.js'

/** What the fast profile divides the times of slow scenarios by: their faults, limits and bounds. */
const fastDivisor = 10
const healthyWithinMs = 10_000
/** Beyond its bound a hang is a hang; this lets it be told from a late end. */
const patienceMs = 5_000

/** How the suite is run. */
export interface Profile {
  readonly setUp: SetUp
  readonly commit: 'first_content' | 'complete'
  /** Full times, or the fast profile. */
  readonly full: boolean
}

/** One scenario, played. */
export interface PlayedScenario {
  readonly scenario: Scenario
  readonly facts: Facts
  readonly score: Score
}

/** Plays every form of a scenario and gives back the worst. */
export async function playScenario(scenario: Scenario, profile: Profile): Promise<PlayedScenario> {
  const divisor = scenario.slow === true && !profile.full ? fastDivisor : 1
  const divide = (ms: number) => ms / divisor
  const plays = await Promise.all(scenario.forms(divide).map(async (steps) => {
    const facts = await playForm(scenario, steps, profile, divide)
    return { scenario, facts, score: score(scenario, facts) }
  }))
  const last = worst(plays)
  if (last === undefined) throw new Error(`${scenario.id} has no form`)
  return last
}

async function playForm(
  scenario: Scenario,
  steps: readonly Step[],
  { setUp, commit }: Profile,
  divide: Facts['divide'],
): Promise<Facts> {
  const first = await startSimulator({ script: { models: { 'first-model': steps } } })
  const other = await startSimulator({ script: { models: { 'other-model': [scenario.other ?? {}] } } })
  const fallback = createFallback({ chat: ['first/first-model', 'other/other-model'] }, {
    providers: {
      first: { dialect: 'openai', baseURL: first.url, apiKey: 'key' },
      other: { dialect: 'openai', baseURL: other.url, apiKey: 'key' },
    },
    ...(scenario.recoveryMs === undefined ? {} : { breaker: { recoveryMs: divide(scenario.recoveryMs) } }),
    retries: 2,
    timeoutMs: divide(30_000),
    idleTimeoutMs: divide(30_000),
    // A default of 10 s, which a divided scenario has to divide too.
    ...(divide(1) === 1 ? {} : { firstContentTimeoutMs: divide(10_000) }),
    ...(commit === 'first_content' ? {} : { commit }),
    proxy: false,
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  })
  const host = await startHost(setUp, fallback)
  try {
    const sentAt = Date.now()
    const boundMs = divide(scenario.withinMs)
    const judged = async () => {
      const answer = readAnswer(await sendRaw(host.port, { ...request, deadlineMs: boundMs + patienceMs }))
      const tookMs = answer.endedAt - answer.sentAt
      const isWhole = fold(answer.text) === fold(HEALTHY_TEXT)
      return { answer, tookMs, isWhole, outcome: outcomeOf(answer, isWhole, tookMs > boundMs) }
    }
    const { count, everyMs } = scenario.requests ?? { count: 1, everyMs: 0 }
    // Each at its time, whether or not the one before it is answered.
    const [own, ...others] = await Promise.all(Array.from({ length: count }, async (_, index) => {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, index * divide(everyMs)))
      const at = Date.now() - sentAt
      return { at, ...await judged() }
    }))
    if (own === undefined) throw new Error(`${scenario.id} sends nothing`)
    const { answer, isWhole, tookMs, outcome } = own
    const facts = {
      answer,
      isWhole,
      tookMs,
      outcome,
      later: others.map(({ at, outcome }) => ({ at, outcome })),
      calls: first.calls.map(({ at }) => at - sentAt),
      otherCalls: other.calls.length,
      models: [...new Set(answer.events.flatMap(({ json }) => modelOf(json)))],
      divide,
    }
    first.setScript({ models: { 'first-model': [{}] } })
    other.setScript({ models: { 'other-model': [{}] } })
    const healthy = readAnswer(await sendRaw(host.port, { ...request, deadlineMs: healthyWithinMs }))
    const works = fold(healthy.text) === fold(HEALTHY_TEXT) && healthy.doneCount === 1
    return { ...facts, healthyMs: works ? healthy.endedAt - healthy.sentAt : undefined }
  } finally {
    await host.close()
    await fallback.close()
    await Promise.all([first.close(), other.close()])
  }
}

const request: RawRequest = {
  method: 'POST',
  path: '/v1/chat/completions',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({
    model: 'chat',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'hi' }],
  })),
}

function outcomeOf(answer: ReadAnswer, isWhole: boolean, isLate: boolean): Outcome {
  if (isLate || answer.endedBy === 'deadline') return 'hang'
  const isRefused = (answer.status ?? 0) >= 400 && field(answer.json, 'error') !== undefined
  const isBroken = answer.isStream && answer.errorEvents.length === 1 && answer.doneCount === 0
  if (answer.complete && (isRefused || isBroken)) return 'error'
  const isClean = answer.status === 200 && answer.complete && answer.errorEvents.length === 0 && answer.doneCount === 1
  return isClean && isWhole ? 'answer' : 'half'
}

function modelOf(chunk: unknown): readonly string[] {
  const model = field(chunk, 'model')
  return typeof model === 'string' ? [model] : []
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
