import t from 'tap'
import { watchFairPlay } from '../cases/fair-play.js'
import { plainSetUps } from '../cases/hosts.js'
import { showLines } from '../kit/show-table.js'
import { countVerdicts, linesOfRuns, linesOfTotals, type CrashRun } from './crash-table.js'
import { playScenario, type PlayedScenario, type Profile } from './play-scenario.js'
import { scenarios, type Scenario } from './scenarios.js'

/** They mostly wait. */
const atOnce = 12
/** How often a scenario is repeated that the machine had no time for. */
const replays = 3
const allScenarios = 16
const fewestPasses = 13

t.setTimeout(600_000)

const full = process.argv.includes('--full')
const profiles = plainSetUps.flatMap((setUp) =>
  (['first_content', 'complete'] as const).map((commit): Profile => ({ setUp, commit, full })))
const runs = await playAll(profiles)

t.test('all 16 are played', async (t) => {
  t.equal(new Set(scenarios.map(({ id }) => id)).size, allScenarios)
})

for (const { profile: { setUp, commit }, plays } of runs) {
  const describe = ({ scenario, score: { verdict, broken } }: PlayedScenario) =>
    `${scenario.id} ${[verdict, ...broken].join(': ')}`
  const counts = countVerdicts(plays)

  if (commit === 'complete') {
    t.test(`${setUp}: with commit: 'complete' every fault is a pass`, async (t) => {
      t.strictSame(plays.filter(({ score }) => score.verdict !== 'pass').map(describe), [])
    })
    continue
  }
  t.test(`${setUp}: no fault is a fail, and what does not pass is safe`, async (t) => {
    t.strictSame(plays.filter(({ score }) => score.verdict === 'fail' || score.verdict === 'partial').map(describe), [])
    t.ok(counts.pass >= fewestPasses, `${counts.pass} of ${plays.length} pass`)
    t.equal(counts.pass + counts.safe, scenarios.length)
  })
}

t.test('the table', async (t) => {
  const express = runs.filter(({ profile }) => profile.setUp === 'express')
  showLines(t, [...linesOfRuns(express), '', ...linesOfTotals(runs)])
})

async function playAll(wanted: readonly Profile[]): Promise<readonly CrashRun[]> {
  // What is compiled at the first request is no part of a fault.
  const [warmUp] = scenarios
  if (warmUp !== undefined) await Promise.all(wanted.map((profile) => playScenario(warmUp, profile)))
  const jobs = wanted.flatMap((profile) => scenarios.map((scenario) => ({ profile, scenario })))
  const played = new Map<(typeof jobs)[number], PlayedScenario>()
  const left = [...jobs]
  const next = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      played.set(job, await playFairly(job.scenario, job.profile))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return wanted.map((profile) => ({
    profile,
    plays: jobs.filter((job) => job.profile === profile).flatMap((job) => played.get(job) ?? []),
  }))
}

/** A bound that is missed while the machine had no time for this process says nothing about the scenario. */
async function playFairly(scenario: Scenario, profile: Profile): Promise<PlayedScenario> {
  for (let again = 0; ; again += 1) {
    const fair = watchFairPlay()
    const played = await playScenario(scenario, profile)
    const unfair = fair.stop()
    const { verdict } = played.score
    if (verdict === 'pass' || verdict === 'safe' || unfair === undefined || again === replays) return played
  }
}
