import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import t from 'tap'

import { within } from '../../../../test/kit/within.js'
import { active, chain, document, EPOCH, fakeSource, HOUR, stage } from './stage.js'
import type { Answer, Stage } from './stage.js'

const MINUTE = 60_000

/** Lets the source say this, and the next poll read it. */
async function says({ source, clock }: Stage, answer: Answer): Promise<void> {
  source.answer = answer
  await clock.advance(5_000)
}

function eventTypes({ events }: Stage): readonly string[] {
  return events.map(({ type }) => type)
}

/** Until the last-known-good file is on the disk: real time. */
async function stop({ live }: Stage): Promise<void> {
  await within(5_000, 'the close', live.close())
}

t.test('the chains in code run until there is a document, and one is applied with one swap and one warning', async (t) => {
  const s = stage()
  t.strictSame([s.runs(), s.live.running().layer, s.live.running().version], ['a b (normal)', 'code', 0])
  await says(s, chain(3, 'groq/x', 'openai/a'))
  t.strictSame([s.runs(), s.runs('plain'), s.live.running().layer, s.live.running().version], ['x a (normal)', 'p', 'live', 3])
  t.strictSame(s.swaps, ['chat: x a (normal); plain: p'])
  t.strictSame(s.told, [
    "warn UNDERSTUDY_CHAIN_APPLIED: version 3 of the chains by ann (change 3): route 'chat': openai/a, groq/b -> groq/x, openai/a",
    'event chain-applied',
  ])
  t.match(s.events, [{
    type: 'chain-applied', version: 3, by: 'ann', reason: 'change 3', at: EPOCH + 5_000,
    changes: [{ route: 'chat', from: ['openai/a', 'groq/b'], to: ['groq/x', 'openai/a'], preset: undefined }],
  }])
  await says(s, document(4, {}))
  t.equal(s.runs(), 'a b (normal)', 'a route that no document names runs as in code')
  await stop(s)
})

t.test('versions only go up, whatever order replicas answer in', async (t) => {
  const s = stage()
  const runs: string[] = []
  for (const answer of [chain(5, 'groq/new'), chain(4, 'groq/old'), chain(5, 'groq/new'), chain(4, 'groq/old'), chain(6, 'groq/newer'), chain(5, 'groq/new')]) {
    await says(s, answer)
    runs.push(s.runs().slice(0, -9))
  }
  t.strictSame(runs, ['new', 'new', 'new', 'new', 'newer', 'newer'])
  t.equal(s.swaps.length, 2)
  await stop(s)
})

t.test('the version that runs with another content is ignored, and told of once', async (t) => {
  const s = stage()
  await says(s, chain(5, 'groq/new'))
  await says(s, chain(5, 'groq/other'))
  await says(s, chain(5, 'groq/new'))
  await says(s, chain(5, 'groq/other'))
  t.equal(s.runs(), 'new (normal)')
  t.equal(s.told.filter((line) => line.includes('UNDERSTUDY_CHAIN_VERSION')).length, 1)
  await stop(s)
})

t.test('a lower version than the one that runs is ignored, told of once, and in the status for as long as the source holds it', async (t) => {
  const s = stage()
  await says(s, chain(83, 'groq/x'))
  await says(s, chain(1, 'groq/old'))
  const at = s.wall()
  await says(s, chain(1, 'groq/old'))
  t.strictSame([s.runs(), s.told.slice(2)], ['x (normal)', [
    "warn UNDERSTUDY_CHAIN_VERSION: the source 'fake' holds version 1 of the chains, and version 83 has run here: it is ignored; a change needs a higher version",
  ]])
  t.strictSame(s.live.status().ignored, { version: 1, by: 'ann', at })
  await says(s, chain(83, 'groq/x'))
  t.equal(s.live.status().ignored, undefined)
  await says(s, chain(1, 'groq/old'))
  await says(s, { type: 'none' })
  t.equal(s.live.status().ignored, undefined)
  await says(s, chain(1, 'groq/old'))
  t.strictSame(s.live.status().ignored, { version: 1, by: 'ann', at })
  await says(s, chain(83, 'groq/other'))
  t.match(s.live.status().ignored, { version: 83 }, 'the version that runs with another content')
  await says(s, chain(84, 'groq/y'))
  t.strictSame([s.live.status().ignored, s.runs()], [undefined, 'y (normal)'])
  t.equal(s.told.filter((line) => line.includes('holds version 1')).length, 1)
  await stop(s)
})

t.test('a document that goes is told of once, and again when it is back; one that was never there is no news unless the source says why', async (t) => {
  const s = stage()
  await says(s, { type: 'none' })
  t.strictSame(s.told, [])
  await says(s, chain(1, 'groq/x'))
  await says(s, { type: 'none' })
  await says(s, { type: 'none' })
  t.equal(s.live.status().holdsDocument, false)
  await says(s, chain(1, 'groq/x'))
  await says(s, chain(1, 'groq/x'))
  t.strictSame([s.live.status().holdsDocument, s.runs()], [true, 'x (normal)'])
  await says(s, { type: 'none' })
  const gone = "warn UNDERSTUDY_CHAIN_SOURCE: the source 'fake' of the chains holds no document: what runs keeps running"
  t.strictSame(s.told.slice(2), [gone, "info the source 'fake' of the chains holds a document again", gone])
  await stop(s)
  const typo = stage({ source: fakeSource({ type: 'none', why: 'example.com answered 404' }) })
  await typo.clock.advance(60_000)
  t.strictSame(typo.told, ["warn UNDERSTUDY_CHAIN_SOURCE: the source 'fake' of the chains holds no document (example.com answered 404): what runs keeps running"])
  await stop(typo)
})

t.test('a store that lost its data is told of by a process that knows better', async (t) => {
  const path = join(t.testdir(), 'kept.json')
  const first = stage({ lastKnownGood: path })
  await says(first, chain(7, 'groq/x'))
  await stop(first)
  const second = stage({ lastKnownGood: path })
  await second.clock.advance(60_000)
  t.strictSame([second.runs(), second.told.slice(1)], ['x (normal)', [
    "warn UNDERSTUDY_CHAIN_SOURCE: the source 'fake' of the chains holds no document: what runs keeps running",
  ]])
  await stop(second)
})

t.test('until when a preset runs is told with its application, whoever set the time', async (t) => {
  const s = stage()
  await says(s, active(1, 'local_only', {}, { updated_at: new Date(EPOCH).toISOString() }))
  const until = (hours: number) => new Date(EPOCH + hours * HOUR).toISOString()
  t.match(s.told[0], `route 'chat': openai/a, groq/b -> groq/b (preset 'local_only', until ${until(4)})`)
  t.match(s.events[0], { type: 'chain-applied', changes: [{ preset: 'local_only', expiresAt: EPOCH + 4 * HOUR }] })
  await says(s, active(2, 'local_only', { expires_at: until(6) }))
  t.match(s.told[2], `route 'chat' stays on preset 'local_only' until ${until(6)}`)
  await says(s, active(3, 'normal'))
  t.match(s.told[4], /\(preset 'normal'\)$/)
  await stop(s)
})

t.test('beside a chain that a document composes the presets of the code can still be selected', async (t) => {
  const s = stage()
  await says(s, chain(1, 'groq/x'))
  const route = s.live.running().routes.get('chat')
  t.strictSame([s.runs(), [...(route?.presets?.keys() ?? [])]], ['x (normal)', ['normal', 'local_only', 'second']])
  t.match(route?.presets?.get('normal')?.legs, [{ model: 'x' }])
  t.match(route?.presets?.get('local_only'), { legs: [{ model: 'b' }], marking: 'degraded' })
  await stop(s)
})

t.test('a watch that fires twice, and polls beside it, apply once', async (t) => {
  const s = stage()
  await s.clock.advance(100)
  s.source.answer = chain(1, 'groq/x')
  s.source.push()
  s.source.push()
  await s.clock.advance(0)
  s.source.push()
  await s.clock.advance(30_000)
  t.strictSame([s.swaps.length, eventTypes(s)], [1, ['chain-applied']])
  await stop(s)
})

t.test('with the defaults a change runs within ten seconds, at the worst of chance and with a read that hangs on the way', async (t) => {
  const s = stage({ random: () => 0.999_999 })
  await s.clock.advance(0)
  s.source.answer = 'hang'
  await s.clock.advance(5_500)
  t.equal(s.source.reads.length, 2, 'the read that hangs')
  s.source.answer = chain(1, 'groq/x')
  for (let ms = 5_500; s.runs() !== 'x (normal)' && ms < 60_000; ms += 10) await s.clock.advance(10)
  t.ok(s.clock.now() < 10_000, `${s.clock.now()} ms behind the read that just missed it`)
  await stop(s)
})

t.test('a document that is wrong in one place is refused whole, told of and counted once, and the next good one is applied', async (t) => {
  const s = stage()
  await says(s, chain(1, 'groq/x'))
  const bad = document(2, { chat: { chain: ['groq/y'] }, plain: { chain: ['nobody/z'] } })
  for (let poll = 0; poll < 5; poll += 1) await says(s, bad)
  t.equal(s.runs(), 'x (normal)')
  t.strictSame(s.told.slice(2).map((line) => line.slice(0, 150)), [
    "error UNDERSTUDY_CHAIN_REJECTED: a document of the chains is refused, and what runs keeps running: document.routes.plain.chain[0]: provider 'nobody' i",
    'event chain-rejected',
  ])
  t.match(s.live.status(), { rejected: 1, lastRejection: { version: 2, by: 'ann', reason: 'change 2', issues: [/^document\.routes\.plain\.chain\[0\]: provider 'nobody'/] } })
  await says(s, { type: 'document', document: '{"legs":[' })
  t.match(s.live.status(), { rejected: 2, lastRejection: { issues: ['document: is no JSON (line 1, column 10)'] } })
  await says(s, bad)
  t.equal(s.live.status().rejected, 2, 'the same one again')
  t.strictSame([s.told.filter((line) => line.startsWith('error')).length, s.live.status().lastReadError], [2, undefined])
  await says(s, document(2, { chat: { chain: ['groq/y'] } }))
  t.equal(s.runs(), 'y (normal)')
  t.match(s.live.localHistory().map(({ outcome, version }) => `${outcome} ${version}`), ['applied 2', 'rejected undefined', 'rejected 2', 'applied 1'])
  await stop(s)
})

t.test('of two documents that are no JSON the second is told of too, and so is one that comes again behind a good one', async (t) => {
  const s = stage()
  const told = (): readonly number[] => [
    s.live.status().rejected,
    s.told.filter((line) => line.startsWith('error')).length,
    s.events.filter(({ type }) => type === 'chain-rejected').length,
  ]
  const broken = { type: 'document', document: '{"legs":[' } as const
  await says(s, broken)
  await says(s, broken)
  t.strictSame(told(), [1, 1, 1])
  await says(s, { type: 'document', document: '{"version":2,"routes":{' })
  t.strictSame(told(), [2, 2, 2])
  await says(s, chain(1, 'groq/x'))
  await says(s, broken)
  t.strictSame([s.runs(), ...told()], ['x (normal)', 3, 3, 3])
  await stop(s)
})

t.test('a source that is away for a week changes nothing, and is told of once', async (t) => {
  const s = stage({ pollMs: 60_000 })
  await s.clock.advance(1)
  s.source.answer = chain(1, 'groq/x')
  await s.clock.advance(60_000)
  s.source.answer = Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
  await s.clock.advance(24 * HOUR)
  t.equal(s.runs(), 'x (normal)')
  t.match(s.live.status(), { lastReadError: { message: 'ECONNREFUSED' } })
  s.source.answer = { type: 'none' }
  await s.clock.advance(60_000)
  t.strictSame([s.runs(), s.live.status().lastReadError, s.live.status().holdsDocument], ['x (normal)', undefined, false])
  t.strictSame(s.told.slice(2), [
    "warn UNDERSTUDY_CHAIN_SOURCE: the source 'fake' of the chains cannot be read (ECONNREFUSED): what runs keeps running",
    "info the source 'fake' of the chains is read again",
    "warn UNDERSTUDY_CHAIN_SOURCE: the source 'fake' of the chains holds no document: what runs keeps running",
  ])
  await stop(s)
})

t.test('a pin goes back to normal by itself, once, and is told of on the way', async (t) => {
  const s = stage()
  await says(s, active(1, 'local_only', { expires_at: new Date(EPOCH + 2 * HOUR + 30 * MINUTE).toISOString() }))
  t.strictSame([s.runs(), s.live.running().pins.get('chat')?.expiresAt], ['b (local_only) [degraded]', EPOCH + 2.5 * HOUR])
  await s.clock.advance(5 * HOUR)
  t.equal(s.runs(), 'a b (normal)')
  t.strictSame(s.events.map(({ type, at }) => `${Math.floor((at - EPOCH) / MINUTE)} ${type}`), [
    '0 chain-applied', '60 pin-active-long', '120 pin-active-long', '140 pin-expiring', '150 pin-expired', '150 chain-reverted',
  ])
  t.match(s.events.at(-1), { route: 'chat', from: ['groq/b'], to: ['openai/a', 'groq/b'], preset: 'normal', version: 1, by: 'ann' })
  t.strictSame(s.swaps.length, 2)
  t.match(s.live.localHistory().map(({ outcome }) => outcome), ['reverted', 'applied'])
  await stop(s)
})

t.test('extending is a new version', async (t) => {
  const s = stage()
  await says(s, active(1, 'local_only', {}, { updated_at: new Date(EPOCH).toISOString() }))
  await s.clock.advance(3.9 * HOUR)
  await says(s, active(2, 'local_only', {}, { updated_at: new Date(EPOCH + 3.9 * HOUR).toISOString() }))
  await s.clock.advance(HOUR)
  t.equal(s.runs(), 'b (local_only) [degraded]')
  await s.clock.advance(3 * HOUR)
  t.equal(s.runs(), 'a b (normal)')
  t.equal(eventTypes(s).filter((type) => type === 'pin-expired').length, 1)
  await stop(s)
})

t.test('a pin that is over when it comes runs as normal from the first', async (t) => {
  const s = stage()
  await says(s, active(1, 'local_only', { expires_at: new Date(EPOCH).toISOString() }))
  t.strictSame([s.runs(), s.swaps, eventTypes(s)], ['a b (normal)', [], ['chain-applied']])
  t.match(s.told[0], `: the time of preset 'local_only' of route 'chat' was over at ${new Date(EPOCH).toISOString()}, so it runs 'normal'`)
  await stop(s)
})

t.test('the wall clock decides: set back it keeps a pin, set forward it ends it, and what is over stays over', async (t) => {
  const s = stage()
  await says(s, active(1, 'local_only', { expires_at: new Date(EPOCH + HOUR).toISOString() }))
  s.setWall(EPOCH - 3 * HOUR)
  await s.clock.advance(2 * HOUR)
  t.equal(s.runs(), 'b (local_only) [degraded]', 'two hours went by, and it is not yet the time that was said')
  s.setWall(EPOCH + 10 * HOUR)
  await s.clock.advance(1_000)
  t.equal(s.runs(), 'a b (normal)')
  s.setWall(EPOCH)
  await s.clock.advance(HOUR)
  t.equal(s.runs(), 'a b (normal)')
  t.equal(eventTypes(s).filter((type) => type === 'pin-expired').length, 1)
  await stop(s)
})

t.test('a timer runs only while a pin does, and none is left behind the close', async (t) => {
  const s = stage()
  await s.clock.advance(0)
  t.equal(s.clock.pending, 1, 'the next poll')
  await says(s, active(1, 'local_only'))
  t.equal(s.clock.pending, 2)
  await says(s, active(2, 'normal'))
  t.equal(s.clock.pending, 1)
  await says(s, active(3, 'local_only'))
  await stop(s)
  t.strictSame([s.clock.pending, s.source.pushes(), s.source.closes()], [0, 0, 1])
})

t.test('a restart begins with what was live, before anything is read, and with the source away', async (t) => {
  const path = join(t.testdir(), 'kept.json')
  const first = stage({ lastKnownGood: path })
  await says(first, chain(7, 'groq/x'))
  await stop(first)

  const second = stage({ lastKnownGood: path, source: fakeSource('hang') })
  t.strictSame([second.runs(), second.live.running().layer, second.live.running().version, second.source.reads.length], ['x (normal)', 'last-known-good', 7, 1])
  t.strictSame(second.told, ['info version 7 of the chains runs from the last-known-good file'])
  await second.clock.advance(HOUR)
  t.equal(second.runs(), 'x (normal)')
  await says(second, chain(6, 'groq/old'))
  t.strictSame([second.runs(), second.live.running().layer], ['x (normal)', 'last-known-good'], 'the version survives')
  await says(second, chain(7, 'groq/x'))
  t.strictSame([second.live.running().layer, second.swaps, eventTypes(second)], ['live', [], []], 'confirmed, and nothing is applied again')
  t.match(second.live.localHistory(), [{ version: 7, outcome: 'applied' }])
  await stop(second)
})

t.test('a pin without a time is counted from its first application, over restarts too', async (t) => {
  const path = join(t.testdir(), 'kept.json')
  const first = stage({ lastKnownGood: path })
  await says(first, active(1, 'local_only'))
  await stop(first)
  const second = stage({ lastKnownGood: path, wallAt: EPOCH + 3 * HOUR })
  await second.clock.advance(30 * MINUTE)
  t.equal(second.runs(), 'b (local_only) [degraded]')
  await second.clock.advance(31 * MINUTE)
  t.equal(second.runs(), 'a b (normal)')
  await stop(second)
})

t.test('a pin whose time went by while the process was down is over before the first request, and told of once', async (t) => {
  const path = join(t.testdir(), 'kept.json')
  const first = stage({ lastKnownGood: path })
  await says(first, active(1, 'local_only'))
  await stop(first)
  const logs: (readonly string[])[] = []
  for (let restart = 0; restart < 2; restart += 1) {
    const s = stage({ lastKnownGood: path, wallAt: EPOCH + 5 * HOUR, source: fakeSource(active(1, 'local_only')) })
    t.equal(s.runs(), 'a b (normal)', 'before anything is read')
    await s.clock.advance(HOUR)
    t.equal(s.runs(), 'a b (normal)')
    logs.push(eventTypes(s))
    await stop(s)
  }
  t.strictSame(logs, [['pin-expired', 'chain-reverted'], []])
  const back = stage({ lastKnownGood: path, wallAt: EPOCH + HOUR })
  t.equal(back.runs(), 'a b (normal)', 'with the wall clock set back too')
  await stop(back)
})

t.test('a damaged file is put aside, the chains in code run, and the next document is kept again', async (t) => {
  const path = join(t.testdir({ 'kept.json': '{"format":1' }), 'kept.json')
  const s = stage({ lastKnownGood: path })
  t.strictSame([s.runs(), s.told], ['a b (normal)', ['warn UNDERSTUDY_LAST_KNOWN_GOOD: the last-known-good file is damaged and was put aside: the chains in code run until the source answers']])
  await says(s, chain(1, 'groq/x'))
  await stop(s)
  t.ok(existsSync(`${path}.corrupt`))
  t.match(readFileSync(path, 'utf8'), '"version":1')
})

t.test('a file of somebody else stops the mount, and stays as it is', async (t) => {
  const path = join(t.testdir({ 'package.json': '{"name":"x"}' }), 'package.json')
  t.throws(() => stage({ lastKnownGood: path }), {
    code: 'ERR_UNDERSTUDY_CONFIG',
    issues: [{
      path: 'options.chains.lastKnownGood',
      message: `is '${path}', a file that was not written by Understudy and is left as it is; give a path where no file is yet`,
    }],
  })
  t.equal(readFileSync(path, 'utf8'), '{"name":"x"}')
  t.notOk(existsSync(`${path}.corrupt`))
})

t.test('a plain chain of the document is not told of as the preset normal, which is that of the code', async (t) => {
  const s = stage()
  await says(s, chain(1, 'groq/x'))
  await says(s, active(2, 'local_only'))
  t.match(s.events.filter(({ type }) => type === 'chain-applied'), [
    { changes: [{ route: 'chat', to: ['groq/x'], preset: undefined }] }, { changes: [{ route: 'chat', preset: 'local_only' }] },
  ])
  t.notMatch(s.told.join(), "preset 'normal'")
  await stop(s)
})

t.test('what was kept and does not fit the code any more is refused, and no version below it is run', async (t) => {
  const path = join(t.testdir(), 'kept.json')
  const first = stage({ lastKnownGood: path })
  await says(first, chain(7, 'groq/x'))
  await stop(first)
  const s = stage({ lastKnownGood: path, routes: { other: ['openai/a'] } })
  t.match([s.runs('other'), s.live.status().rejected, s.told[0]], ['a', 1, /^error UNDERSTUDY_CHAIN_REJECTED: .*document\.routes\.chat: no route is called so/])
  await says(s, document(6, { other: { chain: ['groq/old'] } }))
  t.equal(s.runs('other'), 'a')
  await says(s, document(7, { other: { chain: ['groq/new'] } }))
  t.equal(s.runs('other'), 'new')
  await stop(s)
})

t.test('a file that cannot be written is told of once, and the change is made all the same', async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'no-folder'), '')
  const s = stage({ lastKnownGood: join(folder, 'no-folder', 'kept.json') })
  await says(s, chain(1, 'groq/x'))
  await s.live.close()
  t.equal(s.runs(), 'x (normal)')
  t.equal(s.told.filter((line) => line.startsWith('warn UNDERSTUDY_LAST_KNOWN_GOOD')).length, 2, 'it could not be read either')
})

t.test('the source keeps the history where it can; its trouble is told of once and changes nothing', async (t) => {
  const source = fakeSource()
  const recorded: string[] = []
  let works = true
  const recording = Object.assign(source, {
    record: (entry: { readonly outcome: string; readonly version: number | undefined }) => {
      if (!works) return Promise.reject(new Error('full'))
      recorded.push(`${entry.outcome} ${entry.version}`)
      return Promise.resolve()
    },
  })
  const s = stage({ source: recording })
  await says(s, chain(1, 'groq/x'))
  await says(s, chain(2, 'nobody/x'))
  works = false
  await says(s, chain(3, 'groq/y'))
  await says(s, chain(4, 'groq/z'))
  t.strictSame(recorded, ['applied 1', 'rejected 2'])
  t.equal(s.told.filter((line) => line.includes("cannot keep the history (full)")).length, 1)
  t.equal(s.runs(), 'z (normal)')
  await stop(s)
})

t.test('the close waits for what is on its way into the history, and not for ever', async (t) => {
  let aborted = false
  const record = (_entry: object, signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', () => (aborted = true))
    return new Promise(() => undefined)
  }
  const s = stage({ source: Object.assign(fakeSource(), { record }) })
  await says(s, chain(1, 'groq/x'))
  const closing = s.live.close()
  await s.clock.advance(999)
  t.equal(aborted, false)
  await s.clock.advance(1)
  await within(1_000, 'the close', closing)
  t.strictSame([aborted, s.clock.pending], [true, 0])
})

t.test('a chain that cannot be made is refused as a document that is wrong, and nothing is changed', async (t) => {
  const s = stage()
  await says(s, chain(1, 'groq/x'))
  const { swaps } = s
  swaps.push = () => {
    throw new Error('no such leg')
  }
  await says(s, chain(2, 'groq/y'))
  t.strictSame([s.runs(), s.live.running().version, s.live.status().lastRejection?.issues], ['x (normal)', 1, ['document: cannot be run in this process: no such leg']])
  await stop(s)
})

t.test('a source whose end never comes keeps nobody from closing', async () => {
  const s = stage()
  Object.assign(s.source, { close: () => new Promise(() => undefined) })
  const closing = s.live.close()
  await s.clock.advance(2_000)
  await within(1_000, 'the close', closing)
})

t.test('since when a route runs its chain is known by route', async (t) => {
  const s = stage()
  await says(s, document(1, { chat: { chain: ['groq/x'] } }))
  await says(s, document(2, { chat: { chain: ['groq/x'] }, plain: { chain: ['groq/y'] } }))
  t.strictSame([...s.live.running().since], [['chat', EPOCH + 5_000], ['plain', EPOCH + 10_000]])
  await stop(s)
})
