import t from 'tap'
import type { ChainDocumentJson, ChainSource, HistoryEntry } from '@understudy/config'
import { VersionConflictError } from '@understudy/config'
import { deferred } from './deferred.js'
import { eventually } from './eventually.js'
import { within } from './within.js'

/** One store, empty at first. */
export interface SourceHarness {
  /** A source as one more process has it: with a client of its own, that this harness closes. */
  readonly open: () => Promise<ChainSource>
  /** Takes the store away, as a crash would. */
  readonly kill: () => Promise<void>
  /** Brings it back with what it held. */
  readonly revive: () => Promise<void>
  /** Loses the connections there are without a word to their clients. Absent = it has none. */
  readonly silence?: () => void
  readonly close: () => Promise<void>
}

export interface SourceUnderTest {
  /** As the test report shows it. */
  readonly name: string
  /** Why it cannot be tested here. */
  readonly skip?: string | undefined
  /** The histories of its sources keep so many entries. */
  readonly maxHistory: number
  /** Whether `watch` tells once when it begins to hear: what came before that is not pushed. */
  readonly tellsWhenListening: boolean
  readonly makeHarness: () => Promise<SourceHarness>
}

/** What a document needs here; the rest of it is no business of a source. */
function documentOf(version: number, reason = 'a test'): ChainDocumentJson {
  return { version, routes: { chat: { chain: ['one/large', 'two/small'] } }, updated_by: 'ann', reason }
}

function entryOf(document: ChainDocumentJson, outcome: HistoryEntry['outcome'], more: Partial<HistoryEntry> = {}): HistoryEntry {
  const version = Number(document['version'])
  return { version, outcome, actor: 'ann', reason: 'a test', document, previous: undefined, issues: [], at: 1_700_000_000_000, ...more }
}

const soon = (ms = 5_000): AbortSignal => AbortSignal.timeout(ms)

async function held(source: ChainSource, withinMs?: number): Promise<unknown> {
  const reading = await source.read({ signal: soon(withinMs) })
  if (reading.type !== 'document') return reading.type
  return typeof reading.document === 'string' ? JSON.parse(reading.document) : reading.document
}

async function write(source: ChainSource, document: ChainDocumentJson, expectedVersion: number, signal = soon()): Promise<void> {
  if (source.write === undefined) throw new Error('it cannot be written')
  await source.write(document, { expectedVersion, signal })
}

async function record(source: ChainSource, entry: HistoryEntry): Promise<void> {
  if (source.record === undefined) throw new Error('it keeps no history')
  await source.record(entry, soon())
}

async function history(source: ChainSource, limit = 100, version?: number): Promise<readonly HistoryEntry[]> {
  if (source.history === undefined) throw new Error('it keeps no history')
  return source.history({ limit, version, signal: soon() })
}

/** What every source of live documents that can be written promises. */
export function chainSourceContract({ name, skip, maxHistory, tellsWhenListening, makeHarness }: SourceUnderTest): void {
  t.test(name, { skip: skip ?? false }, async (t) => {
    type Test = typeof t

    async function start(t: Test): Promise<SourceHarness> {
      const harness = await makeHarness()
      t.teardown(() => harness.close())
      return harness
    }

    async function pair(t: Test): Promise<readonly [here: ChainSource, there: ChainSource]> {
      const harness = await start(t)
      return [await harness.open(), await harness.open()]
    }

    t.test('an empty store has no document and no history', async (t) => {
      const [here] = await pair(t)
      t.equal(await held(here), 'none')
      t.strictSame(await history(here), [])
    })

    t.test('what one writes all read, and is unchanged to who has read it', async (t) => {
      const [here, there] = await pair(t)
      await write(here, documentOf(1), 0)
      t.strictSame(await held(there), documentOf(1))
      const first = await there.read({ signal: soon() })
      if (first.type !== 'document') throw new Error(first.type)
      t.strictSame(await there.read({ etag: first.etag, signal: soon() }), { type: 'unchanged' })
      t.strictSame(await here.read({ etag: first.etag, signal: soon() }), { type: 'unchanged' }, 'an etag is that of the store')
      await write(there, documentOf(2), 1)
      const second = await here.read({ etag: first.etag, signal: soon() })
      t.match(second, { type: 'document' })
      t.strictSame(await held(here), documentOf(2))
    })

    t.test('who expects another version than the store holds changes nothing, and hears which it is', async (t) => {
      const [here, there] = await pair(t)
      await t.rejects(write(here, documentOf(3), 2), { code: 'version_conflict', expectedVersion: 2, actualVersion: 0 })
      t.equal(await held(here), 'none')
      await write(here, documentOf(5), 0)
      for (const expected of [0, 4, 6]) {
        const conflict = { code: 'version_conflict', expectedVersion: expected, actualVersion: 5 }
        await t.rejects(write(there, documentOf(7), expected), conflict)
      }
      t.strictSame(await held(there), documentOf(5))
      t.equal((await history(there)).length, 1)
    })

    t.test('of twenty who write at once one wins, for each version', async (t) => {
      const harness = await start(t)
      const sources = await Promise.all(Array.from({ length: 4 }, () => harness.open()))
      for (const version of [1, 2, 3]) {
        const attempts = Array.from({ length: 20 }, async (_, index) => {
          const source = sources[index % sources.length]
          if (source === undefined) throw new Error('no source')
          await write(source, documentOf(version, `writer ${index}`), version - 1, soon(20_000))
          return `writer ${index}`
        })
        const settled = await Promise.allSettled(attempts)
        const won = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
        const lost = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
        t.equal(won.length, 1, `one of them wrote version ${version}`)
        t.strictSame(lost.filter((error) => !(error instanceof VersionConflictError)), [])
        for (const source of sources) t.match(await held(source), { version, reason: won[0] })
      }
      t.strictSame((await history(sources[0] ?? (await harness.open()))).map(({ version }) => version), [3, 2, 1])
    })

    t.test('of those who write as fast as they can each stands in the history in its turn', async (t) => {
      const harness = await start(t)
      const sources = await Promise.all(Array.from({ length: 3 }, () => harness.open()))
      const last = 10
      await Promise.all(sources.map(async (source) => {
        for (let version = 0; version < last;) {
          await write(source, documentOf(version + 1), version, soon(20_000)).then(() => (version += 1), (error: unknown) => {
            if (!(error instanceof VersionConflictError)) throw error
            version = error.actualVersion ?? version + 1
          })
        }
      }))
      const versions = (await history(sources[0] ?? (await harness.open()))).map(({ version }) => version)
      t.strictSame(versions, Array.from({ length: last }, (_each, index) => last - index))
    })

    t.test('who watches is told of what another writes, and of nothing after it stopped', async (t) => {
      const [here, there] = await pair(t)
      let told = 0
      let next = deferred()
      const stop = here.watch?.(() => {
        told += 1
        next.resolve()
      })
      t.ok(stop)
      if (tellsWhenListening) await within(10_000, 'it hears', next.promise)
      for (const version of [1, 2, 3]) {
        next = deferred()
        await write(there, documentOf(version), version - 1)
        await within(5_000, `told of version ${version}`, next.promise)
      }
      stop?.()
      const before = told
      await write(there, documentOf(4), 3)
      await eventually('it is written', async () => ((await held(here)) === 'none' ? undefined : true))
      t.equal(told, before)
    })

    t.test('the history has each change with its author and what it replaced, newest first', async (t) => {
      const [here, there] = await pair(t)
      await write(here, documentOf(1, 'first'), 0)
      await write(there, documentOf(2, 'second'), 1)
      const [second, first, ...others] = await history(here)
      t.match(second, { version: 2, outcome: 'applied', actor: 'ann', reason: 'second', document: documentOf(2, 'second') })
      t.strictSame(second?.previous, documentOf(1, 'first'))
      t.match(first, { version: 1, outcome: 'applied', reason: 'first', issues: [] })
      t.equal(first?.previous, undefined)
      t.ok(Math.abs(Date.now() - (second?.at ?? 0)) < 60_000, 'it says when')
      t.strictSame(others, [])
      t.strictSame((await history(there, 1)).map(({ version }) => version), [2])
      t.strictSame((await history(there, 10, 1)).map(({ version }) => version), [1])
      t.strictSame(await history(there, 10, 3), [])
    })

    t.test('an entry of who judged a document stands where its writer noted it, whatever was written since', async (t) => {
      const [here] = await pair(t)
      await write(here, documentOf(1), 0)
      await write(here, documentOf(2), 1)
      await write(here, documentOf(3), 2)
      await record(here, entryOf(documentOf(2), 'applied', { previous: documentOf(1) }))
      await record(here, entryOf(documentOf(1), 'applied'))
      t.strictSame((await history(here)).map(({ version }) => version), [3, 2, 1])
      t.strictSame((await history(here, 2)).map(({ version }) => version), [3, 2])
      await record(here, entryOf(documentOf(1), 'reverted'))
      t.strictSame((await history(here)).map(({ version, outcome }) => `${version} ${outcome}`), ['1 reverted', '3 applied', '2 applied', '1 applied'])
    })

    t.test('the same entry from many processes is one, and takes the place of what the writer noted', async (t) => {
      const harness = await start(t)
      const sources = await Promise.all(Array.from({ length: 5 }, () => harness.open()))
      const [here = await harness.open()] = sources
      await write(here, documentOf(1), 0)
      const applied = entryOf(documentOf(1), 'reverted', { previous: documentOf(7), reason: 'back' })
      await Promise.all(sources.map((source, index) => record(source, { ...applied, at: applied.at + index })))
      const broken: ChainDocumentJson = { version: 9, routes: {} }
      const rejected = entryOf(broken, 'rejected', { issues: ['routes: is empty'], actor: undefined, reason: undefined })
      await Promise.all(sources.map((source) => record(source, rejected)))
      await record(here, entryOf(broken, 'applied'))
      const unreadable = entryOf({}, 'rejected', { version: undefined, document: undefined, issues: ['is no JSON'] })
      await Promise.all(sources.map((source) => record(source, unreadable)))
      const [fourth, third, second, first, ...others] = await history(here)
      t.strictSame(fourth, unreadable)
      t.match(third, { version: 9, outcome: 'applied' })
      t.strictSame(second, rejected)
      t.strictSame({ ...first, at: applied.at }, applied)
      t.strictSame(others, [])
    })

    t.test(`the history keeps the newest ${maxHistory}`, async (t) => {
      const [here] = await pair(t)
      for (let version = 1; version <= maxHistory + 3; version += 1) await record(here, entryOf(documentOf(version), 'applied'))
      const versions = (await history(here)).map(({ version }) => version)
      t.strictSame(versions, Array.from({ length: maxHistory }, (_, index) => maxHistory + 3 - index))
      await write(here, documentOf(1), 0)
      t.equal((await history(here)).length, maxHistory)
    })

    t.test('a document that is too large is not written', async (t) => {
      const [here] = await pair(t)
      await t.rejects(write(here, documentOf(1, 'x'.repeat(1_048_576)), 0), /larger than 1048576 bytes/)
      t.equal(await held(here), 'none')
    })

    t.test('a store that is away rejects in time, is written by nobody later, and is read again when it is back', async (t) => {
      const harness = await start(t)
      const here = await harness.open()
      await write(here, documentOf(1), 0)
      const stop = here.watch?.(() => undefined)
      await harness.kill()
      const began = performance.now()
      await t.rejects(here.read({ signal: soon(1_000) }))
      await t.rejects(write(here, documentOf(2), 1, soon(1_000)))
      await t.rejects(here.history?.({ limit: 1, signal: soon(1_000) }) ?? Promise.reject(new Error('none')))
      t.ok(performance.now() - began < 5_000, `${performance.now() - began} ms`)
      await harness.revive()
      t.strictSame(await eventually('it is read again', async () => held(here)), documentOf(1))
      const other = await harness.open()
      t.strictSame(await held(other), documentOf(1))
      await eventually('it is written again', async () => {
        await write(here, documentOf(2), 1)
        return true
      })
      stop?.()
    })

    t.test('a watch hears again when its store is back', async (t) => {
      const harness = await start(t)
      const here = await harness.open()
      await write(here, documentOf(1), 0)
      let told = 0
      here.watch?.(() => {
        told += 1
      })
      if (tellsWhenListening) await eventually('it hears', async () => (told > 0 ? true : undefined))
      await harness.kill()
      await harness.revive()
      const there = await harness.open()
      await writeUntilTold(there, 1, () => told)
      t.ok(told > 0)
    })

    t.test('connections that are lost without a word are replaced', async (t) => {
      const harness = await start(t)
      if (harness.silence === undefined) return
      const here = await harness.open()
      await write(here, documentOf(1), 0)
      let told = 0
      here.watch?.(() => {
        told += 1
      })
      await eventually('it hears', async () => (told > 0 ? true : undefined))
      // A pool has more than one then.
      await Promise.all([held(here), held(here)])
      harness.silence()
      await t.rejects(here.read({ signal: soon(200) }))
      t.strictSame(await eventually('it is read', async () => held(here, 500)), documentOf(1))
      const there = await harness.open()
      const version = await writeUntilTold(there, 1, () => told)
      await eventually('it is written', async () => {
        await write(here, documentOf(version + 1), version, soon(500))
        return true
      })
    })

    t.test('an aborted call rejects at once', async (t) => {
      const [here] = await pair(t)
      await t.rejects(here.read({ signal: AbortSignal.abort() }))
      await t.rejects(write(here, documentOf(1), 0, AbortSignal.abort()))
      t.equal(await held(here), 'none')
    })

    t.test('close lets go of what it opened, a second time too, and of nothing that was passed in', async (t) => {
      const harness = await start(t)
      const [here, there] = [await harness.open(), await harness.open()]
      await held(here)
      await held(there)
      const before = handles()
      const next = deferred()
      here.watch?.(next.resolve)
      here.watch?.(() => undefined)
      if (tellsWhenListening) await within(10_000, 'it hears', next.promise)
      await here.close?.()
      await here.close?.()
      await eventually('its handles are closed', async () => (handles() <= before ? true : undefined))
      t.equal(await held(there), 'none')
      t.equal(await held(here), 'none', 'what was passed in still works')
    })
  })
}

/** Writes one version after the other until a watch is told of one; gives the last. */
async function writeUntilTold(there: ChainSource, from: number, told: () => number): Promise<number> {
  let version = from
  await eventually('it is told', async () => {
    const before = told()
    await write(there, documentOf(version + 1), version)
    version += 1
    return eventually('once', async () => (told() > before ? true : undefined), 500)
  })
  return version
}

/** Sockets that are open. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCP|Pipe|FSEvent/.test(kind)).length
}
