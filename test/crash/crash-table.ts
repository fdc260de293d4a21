import { frameworkOf } from '../cases/hosts.js'
import { columnsOf } from '../kit/show-table.js'
import type { PlayedScenario, Profile } from './play-scenario.js'
import type { CrashVerdict } from './score.js'

/** One run of the suite. */
export interface CrashRun {
  readonly profile: Profile
  readonly plays: readonly PlayedScenario[]
}

/** How many of each verdict. */
export function countVerdicts(plays: readonly PlayedScenario[]): Readonly<Record<CrashVerdict, number>> {
  const count = (verdict: CrashVerdict) => plays.filter(({ score }) => score.verdict === verdict).length
  return { pass: count('pass'), partial: count('partial'), safe: count('safe'), fail: count('fail') }
}

/** A row a scenario: verdict, calls to both legs and time, for each way of committing on one framework. */
export function linesOfRuns(runs: readonly CrashRun[]): readonly string[] {
  const [first] = runs
  const head = ['id', 'fault', ...runs.flatMap(({ profile }) => [`commit: ${profile.commit}`, 'calls', 'ms'])]
  const rows = (first?.plays ?? []).map(({ scenario }, index) => [
    scenario.id,
    scenario.fault,
    ...runs.flatMap(({ plays }) => {
      const play = plays[index]
      if (play === undefined) return ['', '', '']
      const { score: { verdict, broken }, facts } = play
      const note = broken.length === 0 ? '' : ` (${broken.join('; ')})`
      return [`${verdict}${note}`, `${facts.calls.length}+${facts.otherCalls}`, String(Math.round(facts.tookMs))]
    }),
  ])
  return columnsOf([head, ...rows])
}

/** One line a run. */
export function linesOfTotals(runs: readonly CrashRun[]): readonly string[] {
  return columnsOf([
    ['framework', 'commit', 'pass', 'partial', 'safe', 'fail'],
    ...runs.map(({ profile, plays }) => {
      const { pass, partial, safe, fail } = countVerdicts(plays)
      return [frameworkOf(profile.setUp), profile.commit, pass, partial, safe, fail]
    }),
  ])
}
