import type { Acts } from './acts.js'
import type { Cast } from './cast.js'
import type { WayToWrite } from './reload-file.js'

const A = 'A/m-A'
const B = 'B/m-B'
const withinMs = 2_000
/** A broken file that stays is one to refuse; for a second it may be one that is being written. */
const refusedWithinMs = 5_000

/** Writes a chain, and sees it run in time, with the next request. */
async function changes(cast: Cast, way: WayToWrite, leg: 'A' | 'B', ms: number): Promise<void> {
  const version = await cast.reloadFile.change(way, [leg === 'A' ? A : B])
  await cast.until(`version ${version} (${way})`, ms, () => cast.live().version === version)
  await cast.request(`behind version ${version} (${way})`, { leg, calls: leg === 'A' ? { A: 1, B: 0 } : { A: 0, B: 1 } })
}

/** Writes what must be refused, and sees that it is, with the path of what is wrong. */
async function refuses(cast: Cast, text: string, path: string): Promise<void> {
  const { rejected, version } = cast.live()
  await cast.reloadFile.write(text)
  await cast.until(`the refusal of ${text}`, refusedWithinMs, () => cast.live().rejected > rejected)
  const { lastRejection } = cast.live()
  cast.expect(`${text} is refused for ${path}, not for ${lastRejection?.issues.join()}`, lastRejection?.issues.some((issue) => issue.startsWith(`${path}:`)) === true)
  cast.expect(`${text} changes nothing`, cast.live().version === version)
  await cast.request(`behind the refusal of ${text}`, { leg: 'A', calls: { A: 1 } })
}

const chain = 'document.routes.chat.chain'

export const reloadActs: Readonly<Record<string, Acts>> = {
  'B157': {
    before: (cast) => refuses(cast, '{"legs":[', 'document'),
    after: async (cast) => {
      const errors = cast.logs.filter(({ level }) => level === 'error')
      cast.expect('one clear error', errors.length === 1 && errors[0]?.text.includes('document: is no JSON') === true)
      cast.expect('the status tells what runs and what was refused', cast.live().version === 0 && cast.live().lastRejection !== undefined)
      await changes(cast, 'in_place', 'B', withinMs)
    },
  },
  'B158': {
    before: async (cast) => {
      await changes(cast, 'rename', 'B', 1_000)
      await changes(cast, 'symlink_swap', 'A', 1_000)
      await changes(cast, 'in_place', 'B', 1_000)
    },
    after: async (cast) => {
      await changes(cast, 'rename', 'A', 1_000)
      await changes(cast, 'symlink_swap', 'B', 1_000)
      await changes(cast, 'in_place', 'A', 1_000)
    },
  },
  'B161': {
    before: async (cast) => {
      await cast.open('A')
      const version = await cast.reloadFile.change('in_place', [A, { provider: 'B', model: 'm-B', timeout_ms: 4_000 }])
      await cast.until(`version ${version}`, withinMs, () => cast.live().version === version)
    },
    after: async (cast) => {
      cast.expectState('behind the reload', { A: 'open' })
      await cast.waitUntilDue('A')
      cast.leg('A').heal()
      await cast.request('the probe, when it is due', { leg: 'A', calls: { A: 1, B: 0 } })
    },
  },
  'B163': {
    before: async (cast) => {
      const refused = (legs: readonly unknown[], path: string) => refuses(cast, cast.reloadFile.document(legs), path)
      await refuses(cast, '{"legs":[]}', 'document.version')
      await refuses(cast, '{"legs":[{"name":"A","firstTokenMs":-1}]}', 'document.legs')
      await refused([], chain)
      await refused([A, { provider: 'A', model: 'm-A' }], `${chain}[1]`)
      for (const timeout of [-1, NaN, '5s']) {
        await refused([A, { provider: 'B', model: 'm-B', timeout_ms: timeout }], `${chain}[1].timeout_ms`)
      }
      await refused([A, { provider: 'B', model: 'm-B', dialect: 'klingon' }], `${chain}[1].dialect`)
      await refused([A, { provider: 'B', model: 'm-B', colour: 'red' }], `${chain}[1].colour`)
    },
  },
  'B164': {
    before: async (cast) => {
      for (const leg of ['B', 'A', 'B', 'A'] as const) await changes(cast, 'recreate_dir', leg, withinMs)
      // An edit while the watch is being set up again.
      await cast.reloadFile.change('recreate_dir', [A])
      await changes(cast, 'in_place', 'B', withinMs)
    },
  },
}
