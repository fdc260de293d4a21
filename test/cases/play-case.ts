import { createFallback, type Fallback } from '@understudy/http'
import { answerChecks, joined, type Round } from './check-answer.js'
import { alwaysChecks, playChecks, type PlayFacts } from './check-play.js'
import type { Case, CaseLeg } from './case.js'
import type { Expectations } from './expectations.js'
import { startFakeLeg, type FakeLeg } from './fake-legs.js'
import { startHost, type Host } from './hosts.js'
import type { Play } from './plays.js'
import { watchProcess } from './process-watch.js'
import { createRunRecord, type RunRecord } from './run-record.js'
import { fallbackInput } from './fallback-input.js'
import { startReloadFile, type ReloadFile } from './reload-file.js'
import { collectGarbage } from '../kit/collect-garbage.js'
import { createRounds } from './rounds.js'
import { createAfterwards } from './afterwards.js'
import { actsOf } from './acts.js'
import { createCast } from './cast.js'

/** Asserted by the player itself, or known to wait for what is not there yet. */
const elsewhere = {
  mount_refused: true,
  host_page: true,
  process_exits_within_ms: true,
  // What comes later is in the acts.
  then_within_ms: true,
} satisfies Partial<Record<keyof Expectations, true>>

/** Plays one case once and says everything that is wrong. */
export async function playCase(play: Play): Promise<readonly string[]> {
  const { of, setUp, key } = play
  refuseUnknownExpectations(of)
  const watch = watchProcess()
  const logs: { level: string, text: string }[] = []
  const record = createRunRecord()
  const legs = await startLegs(of.upstream)
  const reloadFile = await startReloadFile(of)
  let fallback: Fallback | undefined
  let host: Host | undefined
  try {
    const { routes, options } = fallbackInput(of, legs, logs, reloadFile?.path)
    try {
      fallback = createFallback(routes, options)
    } catch (error) {
      return judgeRefusal(error, of.expect)
    }
    if (of.expect.mount_refused !== undefined) return ['the mount was not refused']
    fallback.on(record.listener)
    const { mountPath, maxBodyBytes } = of.config ?? {}
    host = await startHost(setUp, fallback, { mountPath, maxBodyBytes })
    return await playOn({ play, host, fallback, legs, record, complaints: watch.complaints, logs, reloadFile, key })
  } finally {
    await host?.close()
    await fallback?.close()
    await Promise.all(legs.map((leg) => leg.close()))
    await reloadFile?.remove()
    watch.stop()
  }
}

interface Stage {
  readonly play: Play
  readonly host: Host
  readonly fallback: Fallback
  readonly legs: readonly FakeLeg[]
  readonly record: RunRecord
  readonly complaints: readonly string[]
  readonly logs: readonly { readonly level: string, readonly text: string }[]
  readonly reloadFile: ReloadFile | undefined
  readonly key: string
}

async function playOn({ play, host, fallback, legs, record, complaints, logs, reloadFile, key }: Stage): Promise<readonly string[]> {
  const { of, variant } = play
  const { expect, config = {}, client = {}, upstream } = of
  const acts = actsOf(of.id, variant)
  const cast = createCast({ of, host, legs, record, key }, { fallback, logs, reloadFile })
  await acts.before?.(cast)
  const rss = expect.max_rss_growth_mb === undefined ? undefined : watchMemory()
  const cpu = process.cpuUsage()
  const { rounds, totalCalls } = await createRounds({ of, host, legs, record, key })
  const { user, system } = process.cpuUsage(cpu)
  const rssGrowthMb = rss?.stop()

  const problems = rounds.flatMap((round, index) => {
    const found = joined(checkAnswer(expect, round))
    return found === undefined ? [] : [rounds.length === 1 ? found : `round ${index + 1}: ${found}`]
  })
  const { breakerStates } = cast
  problems.push(...sumOfCalls(expect, rounds, totalCalls))
  const facts: PlayFacts = {
    rounds,
    upstream,
    config,
    client,
    expect,
    legs,
    get complaints() {
      return [...complaints, ...host.complaints]
    },
    logs,
    totalCalls,
    breakerStates,
    rssGrowthMb,
    cpuMs: (user + system) / 1_000,
    ...createAfterwards(of, host, legs),
  }
  await acts.after?.(cast, rounds)
  problems.push(...cast.problems)
  for (const [name, check] of Object.entries(playChecks)) {
    const expected: unknown = Reflect.get(expect, name)
    if (expected === undefined) continue
    // The table's own type pairs each name with its value.
    const problem = await (check as (value: unknown, facts: PlayFacts) => Promise<string | undefined>)(expected, facts)
    if (problem !== undefined) problems.push(problem)
  }
  return [...problems, ...alwaysChecks(facts)]
}

function checkAnswer(expect: Expectations, round: Round): readonly (string | undefined)[] {
  return Object.entries(answerChecks).map(([name, check]) => {
    const expected: unknown = Reflect.get(expect, name)
    if (expected === undefined) return undefined
    // The table's own type pairs each name with its value.
    return (check as (value: unknown, round: Round) => string | undefined)(expected, round)
  })
}

/** Where requests overlapped, only the sum of the calls is known. */
function sumOfCalls(
  { calls }: Expectations,
  rounds: readonly Round[],
  total: PlayFacts['totalCalls'],
): readonly string[] {
  if (calls === undefined || rounds[0]?.calls !== undefined) return []
  return Object.entries(calls).flatMap(([leg, count]) => {
    const expected = count * rounds.length
    return total[leg] === expected ? [] : [`${leg} was called ${total[leg]} times in all, not ${expected}`]
  })
}

/** Throws for an expectation that would be passed over in silence. */
export function refuseUnknownExpectations({ id, expect }: Pick<Case, 'id' | 'expect'>): void {
  const unknown = Object.keys(expect).filter(
    (name) => !Object.hasOwn(answerChecks, name) && !Object.hasOwn(playChecks, name) && !Object.hasOwn(elsewhere, name),
  )
  if (unknown.length > 0) throw new Error(`${id}: nobody asserts the expectation ${unknown.join(', ')}`)
}

function judgeRefusal(error: unknown, { mount_refused: texts }: Expectations): readonly string[] {
  const message = error instanceof Error ? error.message : String(error)
  if (texts === undefined) return [`the mount was refused: ${message}`]
  return texts.filter((text) => !message.includes(text)).map((text) => `the refusal does not say ${text}: ${message}`)
}

/** Each leg once: a case may name the same one several times, for several models. */
async function startLegs(upstream: readonly CaseLeg[]): Promise<readonly FakeLeg[]> {
  const first = upstream.filter(({ leg }, index) => upstream.findIndex((other) => other.leg === leg) === index)
  return Promise.all(first.map((leg) => startFakeLeg(leg)))
}

function watchMemory() {
  collectGarbage()
  const before = process.memoryUsage.rss()
  let most = before
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 20)
  return {
    stop: () => {
      clearInterval(timer)
      look()
      return (most - before) / 1_048_576
    },
  }
}
