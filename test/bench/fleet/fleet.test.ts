// Processes that share a store, under load: a pin, a revert, and a change while the store comes back from a crash. Short, but for `--full`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { startSimulator } from '@understudy/simulator'
import t from 'tap'
import type { Test } from 'tap'
import { eventually } from '../../kit/eventually.js'
import { columnsOf, showLines } from '../../kit/show-table.js'
import type { Load } from './load.js'
import { startLoad } from './load.js'
import type { Member } from './member.js'
import { startMember } from './member.js'
import type { Store } from './stores.js'
import { stores } from './stores.js'

const full = process.argv.includes('--full')
const MEMBERS = full ? 10 : 4
const DOWN_MS = full ? 60_000 : 3_000
const QUIET_MS = full ? 3_000 : 500

/** What is promised, with polling at its default. */
const MOST_MS = 10_000

const ROUTES = {
  chat: { presets: { normal: ['first/large-1', 'second/small-1'], second_first: ['second/small-1', 'first/large-1'] } },
}

interface Figure {
  readonly step: string
  /** When each process first served from the new head, after the change. */
  readonly servedMs: readonly number[]
}

t.setTimeout(600_000)
const rows: (readonly (string | number)[])[] = []

for (const store of stores) {
  const server = await store.start()
  t.test(`${MEMBERS} processes on one ${store.name}`, { skip: 'skip' in server && server.skip }, async (t) => {
    if ('skip' in server) return
    t.teardown(() => server.stop())
    await store.prepare(server.port)
    const members = await startFleet(t, store, server.port)
    const load = startLoad(members.map(({ port }) => port))
    t.teardown(() => load.stop())
    const [one, other] = members
    if (one === undefined || other === undefined) throw new Error('too few processes')
    const author = { route: 'chat', actor: 'ann', reason: 'an incident' }
    await eventually('each serves', async () => (members.every((_, index) => served(load, index, 'first', 0) !== undefined) ? true : undefined))
    await sleep(QUIET_MS)

    const figures = [
      await measure(load, members, 'pin', 'second', () => one.change('pin', { ...author, preset: 'second_first' })),
      await measure(load, members, 'revert', 'first', () => other.change('revert', author)),
    ]
    await sleep(QUIET_MS)

    await server.kill()
    const before = load.answers.length
    await sleep(DOWN_MS)
    const whileDown = load.answers.slice(before)
    await server.revive()
    const document = JSON.stringify({ version: 3, routes: { chat: { active: 'second_first' } }, updated_by: 'ann', reason: 'by hand' })
    figures.push(await measure(load, members, 'change by hand, after a crash', 'second', () => store.put(server.port, document)))
    await sleep(QUIET_MS)
    await load.stop()

    for (const { step, servedMs } of figures) {
      const sorted = [...servedMs].sort((first, second) => first - second)
      const last = sorted.at(-1) ?? NaN
      t.ok(last < MOST_MS, `${step}: the last process serves from the new head after ${last.toFixed(0)} ms`)
      rows.push([store.name, step, ...[sorted[0], sorted[Math.floor(sorted.length / 2)], last].map((ms = NaN) => ms.toFixed(0))])
    }
    t.strictSame(members.map(({ applied }) => applied), members.map(() => [1, 2, 3]), 'each applied each version once, in their order')
    t.ok(whileDown.length > MEMBERS && whileDown.every(({ provider }) => provider === 'first'), 'a store that is away changes nothing')
    const lost = load.answers.filter(({ provider }) => provider === undefined).length
    t.equal(lost, 0, 'no request is lost')
    rows.push([store.name, `${load.answers.length} requests, ${whileDown.length} without the store, ${lost} lost; versions applied: 1, 2, 3 by each`])
  })
}

t.test('the figures', async (t) => {
  const head = ['ms from the change until a process serves from the new head', 'first', 'median', 'last']
  const steps = rows.filter(({ length }) => length > 2).map(([store, step, ...ms]) => [`${store}: ${step}`, ...ms])
  showLines(t, [...columnsOf([head, ...steps]), '', ...rows.filter(({ length }) => length === 2).map((row) => row.join(': '))])
})

async function startFleet(t: Test, store: Store, storePort: number): Promise<readonly Member[]> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-fleet-'))
  const simulator = await startSimulator()
  t.teardown(async () => {
    await simulator.close()
    await rm(folder, { recursive: true })
  })
  const provider = { dialect: 'openai', baseURL: simulator.url, apiKey: 'key-of-the-fleet' }
  const members = await Promise.all(Array.from({ length: MEMBERS }, (_, index) => startMember({
    driver: store.drivers[index % store.drivers.length],
    storePort,
    user: store.user,
    routes: ROUTES,
    providers: { first: provider, second: provider },
    lastKnownGood: join(folder, `process-${index}.json`),
  })))
  t.teardown(() => Promise.all(members.map((member) => member.stop())))
  return members
}

async function measure(
  load: Load,
  members: readonly Member[],
  step: string,
  head: string,
  change: () => Promise<unknown>,
): Promise<Figure> {
  const from = performance.now()
  await change()
  const servedMs = await Promise.all(members.map((_, index) =>
    eventually(`${step}: process ${index} serves from the new head`, async () => served(load, index, head, from), 2 * MOST_MS)))
  return { step, servedMs: servedMs.map((at) => at - from) }
}

function served({ answers }: Load, index: number, head: string, from: number): number | undefined {
  return answers.find(({ member, provider, at }) => member === index && provider === head && at >= from)?.at
}
