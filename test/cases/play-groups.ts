import t from 'tap'
import { showLines } from '../kit/show-table.js'
import { groupOf, loadCases } from './case.js'
import { watchFairPlay } from './fair-play.js'
import { leftOut, playedGroups, waiting } from './left-out.js'
import { playCase, refuseUnknownExpectations } from './play-case.js'
import { playsOf } from './plays.js'
import { playExit } from './play-exit.js'
import { createTable } from './table.js'

/** Plays of one case that run at once; more would measure this machine. */
const width = 6
/** How often a play is repeated that was not fair. */
const replays = 4
/** What is measured for the whole process, and what keeps it busy, is played alone. */
const aloneFields = ['max_cpu_ms', 'max_rss_growth_mb'] as const
const manyAtOnce = 100

/** Plays every case of these groups, one test a case, and prints a table at the end. */
export function playGroups(groups: readonly string[]): void {
  const cases = loadCases()
  const table = createTable(cases.filter((given) => groups.includes(groupOf(given))))
  const plays = playsOf(cases, groups)
  const only = process.env.CASE_ID?.split(',')
  const played = cases.filter(({ id }) => plays.some(({ of }) => of.id === id) && only?.includes(id) !== false)

  // A busy machine takes its time.
  t.setTimeout(300_000)

  t.test('every case is played or left out with its reason', (t) => {
    const nowhere = cases.filter((given) => !playedGroups.includes(groupOf(given)) && leftOut[given.id] === undefined)
    t.strictSame(nowhere.map(({ id }) => id), [])
    t.end()
  })

  t.test('an expectation that nobody asserts stops the player', async (t) => {
    const unheardOf = { status: 200, unheard_of: 1 }
    t.throws(() => refuseUnknownExpectations({ id: 'B000', expect: unheardOf }), /B000: nobody asserts .* unheard_of/)
    for (const given of cases) refuseUnknownExpectations(given)
  })

  for (const given of played) {
    t.test(`${given.id} ${given.title}`, async (t) => {
      const mine = plays.filter(({ of }) => of.id === given.id)
      const alone = mine.some(({ of: { expect, parallel = 1 } }) =>
        parallel >= manyAtOnce || aloneFields.some((name) => expect[name] !== undefined))
      await inPool(mine, alone ? 1 : width, async (play) => {
        const { problems, again } = await playFairly(() => playCase(play))
        table.add(play, problems, again)
        t.strictSame(problems, [], `${play.setUp}${play.variant === '' ? '' : `: ${play.variant}`}`)
      })
      const { process_exits_within_ms: withinMs } = given.expect
      if (withinMs === undefined) return
      const { problems, again } = await playFairly(() => playExit(given, withinMs))
      for (const { setUp } of mine) table.add({ of: given, variant: 'in a process of its own', setUp }, problems, again)
      t.strictSame(problems, [], 'in a process of its own')
    })
  }

  t.test('the table', async (t) => {
    showLines(t, table.lines(leftOut, waiting))
  })
}

interface FairResult {
  readonly problems: readonly string[]
  /** How often it was repeated. */
  readonly again: number
}

/**
 * A play that fails while the machine had no time for this process is played again: its limits are a few hundred ms,
 * and it would measure the neighbours. A play that fails on a machine that had time has failed.
 */
async function playFairly(play: () => Promise<readonly string[]>): Promise<FairResult> {
  for (let again = 0; ; again += 1) {
    const fair = watchFairPlay()
    const problems = await safely(play)
    const unfair = fair.stop()
    if (problems.length === 0 || unfair === undefined) return { problems, again }
    if (again === replays) return { problems: [...problems, `played ${again + 1} times; ${unfair}`], again }
  }
}

async function safely(work: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await work()
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  }
}

async function inPool<Item>(items: readonly Item[], size: number, work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: size }, next))
}

