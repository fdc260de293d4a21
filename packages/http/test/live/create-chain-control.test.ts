import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { fileSource, VersionConflictError } from '@understudy/config'
import type { ChainSource, FallbackOptions } from '@understudy/config'
import t from 'tap'
import type { Test } from 'tap'

import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import type { MountableFallback } from '../../src/create-fallback.js'
import { isChainControlError } from '../../src/index.js'
import { chat, EPOCH, fallbackOf, fails, hangs, providersOn, says, simulate } from '../kit.js'
import { memorySource } from './memory-source.js'

const HOUR = 3_600_000
const ROUTES = {
  chat: {
    presets: {
      normal: [says('one', '1'), says('two', '2')],
      second: [says('two', '2'), says('one', '1')],
      local_only: { legs: [says('own', 'own')], marking: 'degraded' },
    },
  },
  plain: [says('p', 'p')],
}
const ANN = { actor: 'ann', reason: 'an incident' }

async function start(t: Test, source: ChainSource, options: FallbackOptions = {}) {
  const clock = createFakeClock()
  const fallback = fallbackOf(t, ROUTES, { chains: { source }, ...options }, { clock, wallClock: () => EPOCH + clock.now() })
  await fallback.chains.refresh()
  return { fallback, clock, chains: fallback.chains }
}

function running(fallback: MountableFallback, name = 'chat'): string {
  const route = fallback.snapshot().routes.find((each) => each.name === name)
  return `${route?.chain.version} ${route?.chain.layer} ${route?.chain.preset ?? ''}: ${route?.legs.map(({ provider }) => provider).join(' ')}`
}

async function refusal(change: Promise<unknown>): Promise<string> {
  try {
    await change
  } catch (error) {
    if (isChainControlError(error)) return `${error.code}: ${error.message}`
    return error instanceof VersionConflictError ? `${error.code} ${error.expectedVersion} ${error.actualVersion}` : String(error)
  }
  return 'done'
}

t.test('a pin is stamped, written, and runs here at once; unpin selects normal again', async (t) => {
  const source = memorySource()
  const { fallback, chains } = await start(t, source)
  t.equal(running(fallback), '0 code normal: one two')
  t.strictSame(await chains.pin({ ...ANN, route: 'chat', preset: 'local_only', forMs: 45 * 60_000 }), { version: 1, previousVersion: 0 })
  t.strictSame(source.held, {
    version: 1,
    routes: { chat: { active: 'local_only', expires_at: new Date(EPOCH + 45 * 60_000).toISOString() } },
    updated_by: 'ann',
    reason: 'an incident',
    updated_at: new Date(EPOCH).toISOString(),
  })
  t.strictSame(fallback.snapshot().routes[0]?.chain, {
    layer: 'live', version: 1, since: EPOCH, by: 'ann', reason: 'an incident', preset: 'local_only',
    presets: ['normal', 'second', 'local_only'], expiresAt: EPOCH + 45 * 60_000, marking: 'degraded',
  })
  t.equal(running(fallback, 'plain'), '0 code : p', 'the other route is as it was')
  t.strictSame(await chains.unpin({ ...ANN, route: 'chat' }), { version: 2, previousVersion: 1 })
  t.strictSame([running(fallback), source.held?.['routes']], ['2 live normal: one two', { chat: { active: 'normal' } }])
  t.strictSame(await chains.unpin({ ...ANN, route: 'chat' }), { version: 2, previousVersion: 2 }, 'nothing is pinned, nothing is written')
})

t.test('a pin without a time lasts four hours', async (t) => {
  const { fallback, chains, clock } = await start(t, memorySource())
  await chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  await clock.advance(4 * HOUR - 2_000)
  t.equal(running(fallback), '1 live second: two one')
  await clock.advance(3_000)
  t.equal(running(fallback), '1 live normal: one two')
})

t.test('revert brings back what the route was before its last change, whatever else has changed since', async (t) => {
  const source = memorySource()
  const { fallback, chains } = await start(t, source)
  await chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  await chains.pin({ ...ANN, route: 'chat', preset: 'local_only' })
  source.held = { ...source.held, version: 9, routes: { ...Object(source.held?.['routes']), plain: { chain: ['custom/one'] } } }
  await chains.refresh()
  t.strictSame([running(fallback), running(fallback, 'plain')], ['9 live local_only: own', '9 live : one'])
  t.strictSame(await chains.revert({ ...ANN, route: 'chat' }), { version: 10, previousVersion: 9 })
  t.strictSame([running(fallback), running(fallback, 'plain')], ['10 live second: two one', '10 live : one'])
  await chains.revert({ ...ANN, route: 'chat' })
  t.equal(running(fallback), '11 live local_only: own', 'a revert is a change, and can be reverted')
  await chains.revert({ ...ANN, route: 'plain' })
  t.equal(running(fallback, 'plain'), '0 code : p')
})

t.test('a pin that a person wrote without a time is reverted, before and behind a change of another route, and keeps its time', async (t) => {
  for (const about of [{}, { updated_at: new Date(EPOCH).toISOString() }]) {
    const byHand = { version: 1, updated_by: 'bob', reason: 'by hand', routes: { chat: { active: 'second' } }, ...about }
    const first = await start(t, memorySource(byHand))
    await first.chains.revert({ ...ANN, route: 'chat' })
    t.equal(running(first.fallback), '0 code normal: one two')

    const source = memorySource(byHand)
    const { fallback, chains, clock } = await start(t, source)
    await clock.advance(HOUR)
    source.held = { ...byHand, version: 2, routes: { ...byHand.routes, plain: { chain: ['custom/two'] } } }
    await chains.refresh()
    await chains.pin({ ...ANN, route: 'chat', preset: 'local_only' })
    await chains.revert({ ...ANN, route: 'chat' })
    // Without a time of its own each version that a person writes begins the four hours.
    const expiresAt = EPOCH + ('updated_at' in about ? 4 : 5) * HOUR
    t.strictSame([running(fallback), fallback.snapshot().routes[0]?.chain.expiresAt], ['4 live second: two one', expiresAt])
    await chains.revert({ ...ANN, route: 'plain' })
    t.strictSame((await chains.history({ route: 'plain' })).map(({ version }) => version), [5, 2], 'changes of chat are none of plain')
    await chains.revert({ ...ANN, route: 'chat' })
    t.equal(running(fallback), '6 live local_only: own', 'the revert is what was reverted')
  }
})

t.test('the time that a change of another route stamps on a pin is no change of its route', async (t) => {
  const source = memorySource({ version: 1, updated_by: 'bob', reason: 'by hand', routes: { chat: { active: 'second' } } })
  const { fallback, chains } = await start(t, source)
  source.held = { version: 2, updated_by: 'ann', reason: 'both', routes: {
    chat: { active: 'second', expires_at: new Date(EPOCH + HOUR).toISOString() }, plain: { chain: ['custom/two'] },
  } }
  await chains.refresh()
  t.strictSame((await chains.history({ route: 'chat' })).map(({ version }) => version), [1])
  await chains.revert({ ...ANN, route: 'chat' })
  t.equal(running(fallback), '0 code normal: one two')
  t.strictSame(await chains.history({ route: '__proto__' }), [])
})

t.test('revert goes by the log of this process where the store keeps none, and says so where there is none', async (t) => {
  const { fallback, chains } = await start(t, memorySource(undefined, { history: false }))
  t.match(await refusal(chains.revert({ ...ANN, route: 'chat' })), /^nothing_to_revert: no change of route 'chat' is known/)
  await chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  await chains.revert({ ...ANN, route: 'chat' })
  t.equal(running(fallback), '0 code normal: one two')
})

t.test('what a revert would come to is said before it is made', async (t) => {
  const { fallback, chains } = await start(t, memorySource())
  t.match(await refusal(chains.revertPreview('chat')), /^nothing_to_revert: no change of route 'chat' is known/)
  t.match(await refusal(chains.revertPreview('chta')), /^unknown_route/)
  await chains.pin({ ...ANN, route: 'chat', preset: 'local_only' })
  t.strictSame(await chains.revertPreview('chat'), {
    undoes: { version: 1, actor: 'ann', reason: 'an incident', at: EPOCH },
    to: { legs: ['one/one', 'two/two'], preset: 'normal' },
  })
  t.equal(running(fallback), '1 live local_only: own', 'nothing is changed')
  await chains.revert({ ...ANN, route: 'chat' })
  t.match((await chains.revertPreview('chat')).to, { legs: ['own/own'], preset: 'local_only', marking: 'degraded' }, 'the second undoes the first')
})

t.test('a pin whose time is over is nothing to revert; a chain that ran before it is', async (t) => {
  const source = memorySource()
  const { fallback, chains, clock } = await start(t, source)
  await chains.pin({ ...ANN, route: 'chat', preset: 'second', forMs: HOUR })
  await clock.advance(1.1 * HOUR)
  const over = "nothing_to_revert: the last change of route 'chat' was a pin whose time is over: it runs what it ran before"
  t.strictSame([await refusal(chains.revertPreview('chat')), await refusal(chains.revert({ ...ANN, route: 'chat' }))], [over, over])
  t.equal(source.held?.['version'], 1, 'nothing was written')
  await chains.pin({ ...ANN, route: 'chat', preset: 'second', forMs: 3 * HOUR })
  await chains.pin({ ...ANN, route: 'chat', preset: 'local_only', forMs: HOUR })
  await clock.advance(1.1 * HOUR)
  t.equal(running(fallback), '3 live normal: one two')
  await chains.revert({ ...ANN, route: 'chat' })
  t.equal(running(fallback), '4 live second: two one', 'the longer pin before it has time left')
})

t.test('restore makes an earlier document live under a new version', async (t) => {
  const { fallback, chains } = await start(t, memorySource())
  await chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  await chains.unpin({ ...ANN, route: 'chat' })
  t.strictSame(await chains.restore({ ...ANN, version: 1 }), { version: 3, previousVersion: 2 })
  t.equal(running(fallback), '3 live second: two one')
  t.match(await refusal(chains.restore({ ...ANN, version: 7 })), /^unknown_version: no version 7/)
})

t.test('what a person has composed stays: a pin keeps the chain as the preset normal, and stamps other pins', async (t) => {
  const source = memorySource({
    version: 4, updated_by: 'bob', reason: 'composed', updated_at: new Date(EPOCH).toISOString(),
    routes: { chat: { chain: ['custom/two'] }, plain: { presets: { normal: ['custom/p'], b: ['custom/one'] }, active: 'b' } },
  })
  const { fallback, chains, clock } = await start(t, source)
  await clock.advance(HOUR)
  await chains.pin({ ...ANN, route: 'chat', preset: 'local_only', forMs: HOUR })
  t.equal(running(fallback), '5 live local_only: own')
  await clock.advance(1.1 * HOUR)
  t.equal(running(fallback), '5 live normal: two')
  t.equal(running(fallback, 'plain'), '5 live b: one')
  await clock.advance(2 * HOUR)
  t.equal(running(fallback, 'plain'), '5 live normal: p', 'four hours behind its own change, not behind ours')
})

t.test('changes are compare-and-set: of two at once both count, and what a person saw has to hold', async (t) => {
  const source = memorySource()
  const { fallback, chains } = await start(t, source)
  const both = await Promise.all([
    chains.pin({ ...ANN, route: 'chat', preset: 'second' }),
    chains.pin({ ...ANN, route: 'chat', preset: 'local_only' }),
  ])
  t.strictSame(both.map(({ version }) => version), [1, 2])
  const bob = () => {
    source.held = { version: 8, updated_by: 'bob', reason: 'quicker', routes: { plain: { chain: ['custom/two'] } } }
  }
  t.equal(await refusal(chains.unpin({ ...ANN, route: 'chat', expectedVersion: 1 })), 'version_conflict 1 2')
  source.beforeWrite = bob
  t.equal(await refusal(chains.unpin({ ...ANN, route: 'chat', expectedVersion: 2 })), 'version_conflict 2 8')
  source.held = { ...source.held, version: 9 }
  source.beforeWrite = () => {
    source.held = { ...source.held, version: 11 }
  }
  t.strictSame(await chains.pin({ ...ANN, route: 'chat', preset: 'second' }), { version: 12, previousVersion: 2 })
  t.strictSame([running(fallback), running(fallback, 'plain')], ['12 live second: two one', '12 live : two'], 'made again on what the other wrote')
})

t.test('a conflict that a source of another copy of the package tells of is one too', async (t) => {
  const source = memorySource()
  const { chains } = await start(t, source)
  const { write } = source
  let conflicts = 1
  const foreign = Object.assign(new Error('somebody was quicker'), { [Symbol.for('understudy.VersionConflictError')]: true })
  source.write = (document, options) => {
    conflicts -= 1
    return conflicts >= 0 ? Promise.reject(foreign) : (write?.(document, options) ?? Promise.resolve())
  }
  t.strictSame(await chains.pin({ ...ANN, route: 'chat', preset: 'second' }), { version: 1, previousVersion: 0 }, 'made again')
  conflicts = 1
  await t.rejects(chains.unpin({ ...ANN, route: 'chat', expectedVersion: 1 }), foreign)
})

t.test('a store that is broken is mended by a change, on what runs', async (t) => {
  const source = memorySource()
  const { fallback, chains } = await start(t, source)
  await chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  source.held = { version: 5, legs: [] }
  await chains.refresh()
  t.match(fallback.snapshot().live, { source: 'memory', version: 1, layer: 'live', rejected: 1, lastRejection: { version: 5 } })
  t.strictSame(await chains.pin({ ...ANN, route: 'chat', preset: 'local_only' }), { version: 6, previousVersion: 1 })
  t.equal(running(fallback), '6 live local_only: own')
})

t.test('a version that is too high to be followed, and times that are none, block no later change', async (t) => {
  const source = memorySource({ version: Number.MAX_SAFE_INTEGER, updated_by: 'bob', reason: 'a slip', routes: { chat: { active: 'second' } } })
  const { fallback, chains } = await start(t, source)
  t.match(fallback.snapshot().live, { rejected: 1, version: 0 })
  t.strictSame(await chains.pin({ ...ANN, route: 'chat', preset: 'local_only' }), { version: 1, previousVersion: 0 })
  t.equal(running(fallback), '1 live local_only: own')

  const ahead = await start(t, memorySource({ version: 1, updated_by: 'bob', reason: 'a slip', updated_at: '2099-12-31T00:00:00Z', routes: { chat: { active: 'second' } } }))
  t.match(ahead.fallback.snapshot().routes[0]?.chain, { preset: 'second', expiresAt: EPOCH + 4 * HOUR })
  await ahead.chains.revert({ ...ANN, route: 'chat' })
  t.equal(running(ahead.fallback), '0 code normal: one two')
})

t.test('no actor and no reason forges a line of the log', async (t) => {
  const lines: string[] = []
  const hear = (_fields: unknown, message: string): void => void lines.push(message)
  const logger = { debug: hear, info: hear, warn: hear, error: hear }
  const { chains } = await start(t, memorySource(), { logger })
  const reason = 'why\r\nroute forged\u001b[31m\u202eright to left\u2028\u009b\ud800'
  await chains.pin({ actor: 'ann\nbob', reason, route: 'chat', preset: 'second' })
  t.match(lines, [/^version 1 of the chains by ann\\nbob \(why\\r\\nroute forged\\u001b\[31m\\u202eright to left\\u2028\\u009b\\ud800\): route 'chat'/])
  t.strictSame(lines.filter((line) => !/^[\x20-\x7e]*$/.test(line)), [])
})

t.test('what cannot be done is refused, and says what would be right', async (t) => {
  const { chains, fallback } = await start(t, memorySource())
  const pin = { ...ANN, route: 'chat', preset: 'second' }
  t.strictSame(await Promise.all([
    chains.pin({ ...pin, route: 'chta' }),
    chains.pin({ ...pin, preset: 'third' }),
    chains.pin({ ...pin, route: 'plain', preset: 'normal' }),
    chains.pin({ ...pin, actor: '' }),
    chains.pin({ ...pin, reason: ' ' }),
    chains.pin({ ...pin, forMs: 0 }),
    chains.pin({ ...ANN, route: 'chat', presett: 'second' } as never),
    chains.pin({ ...ANN, route: 'chat' } as never),
    chains.revert(undefined as never),
    chains.restore({ ...ANN } as never),
    chains.pin({ ...pin, reason: 'x'.repeat(2_000) }),
  ].map(refusal)), [
    "unknown_route: no route is called 'chta'; there is chat, plain",
    "unknown_preset: route 'chat' has no preset 'third'; it has normal, second, local_only",
    "unknown_preset: route 'plain' has no preset 'normal'; it has none",
    'invalid_request: actor is missing: say who',
    'invalid_request: reason is missing: say why',
    'invalid_request: forMs is 0; it must be a whole number of ms, at most 604800000 (7 days)',
    "invalid_request: 'presett' is no member of what pin takes; did you mean 'preset'?",
    'invalid_request: preset is missing: pin needs route and preset',
    'invalid_request: revert was given no request; write revert({ route, actor, reason })',
    'invalid_request: version is missing: restore needs version',
    `invalid_change: nothing was changed: document.reason: is '${'x'.repeat(60)}...'; it must be why it is changed, at most 1000 characters`,
  ])
  t.equal(fallback.snapshot().live?.version, 0)
  await fallback.close()
  t.match(await refusal(chains.pin(pin)), /^closed/)
})

t.test('without a source that can be written, a change is refused and says which can', async (t) => {
  const pin = { ...ANN, route: 'chat', preset: 'second' }
  const { chains } = await start(t, memorySource(undefined, { write: false }))
  t.match(await refusal(chains.pin(pin)), /^no_writable_source: the source 'memory' can only be read; sources that can be written: fileSource\(\{ path, write: true \}\)/)
  const without = fallbackOf(t, ROUTES)
  t.match(await refusal(without.chains.pin(pin)), /^no_writable_source: there is no source of live chains/)
  t.strictSame([await without.chains.history(), await without.chains.refresh(), without.snapshot().live], [[], undefined, undefined])
})

t.test('a store that does not answer fails the change in time, and what runs keeps running', async (t) => {
  const source = memorySource()
  const pin = { ...ANN, route: 'chat', preset: 'second' }
  const hanging = await start(t, { ...source, write: () => new Promise(() => undefined) })
  const change = refusal(hanging.chains.pin(pin))
  await hanging.clock.advance(10_000)
  t.match(await change, /^source_unavailable: the source did not take the change \(the source did not answer in time\); it may/)
  const away = await start(t, { ...source, read: () => Promise.reject(new Error('away')) })
  t.match(await refusal(away.chains.pin(pin)), /^source_unavailable: the source cannot be read now \(away\), so nothing was changed/)
  t.strictSame([hanging, away].map(({ fallback }) => running(fallback)), ['0 code normal: one two', '0 code normal: one two'])
})

t.test('a write that cannot have reached the file is said to have changed nothing', async (t) => {
  const path = join(t.testdir({ 'no-folder': '' }), 'no-folder', 'chains.json')
  const { chains } = await start(t, fileSource({ path, write: true }))
  t.match(await refusal(chains.pin({ ...ANN, route: 'chat', preset: 'second' })),
    /^source_unavailable: the source did not take the change \((?:ENOTDIR|EEXIST)\), so nothing was changed$/)
})

t.test('a plain chain of the document runs under no preset, and those of the code can be pinned', async (t) => {
  const source = memorySource({ version: 1, routes: { chat: { chain: ['custom/two'] } }, updated_by: 'bob', reason: 'by hand' })
  const { fallback, chains } = await start(t, source)
  t.equal(running(fallback), '1 live : two')
  t.strictSame(fallback.snapshot().routes[0]?.chain.presets, ['normal', 'second', 'local_only'])
  await chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  t.equal(running(fallback), '2 live second: two one')
})

t.test('the history is that of the store, by route, newest first', async (t) => {
  const source = memorySource()
  const { chains } = await start(t, source)
  await chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  source.held = { version: 2, updated_by: 'bob', reason: 'wrong', routes: { plain: { chain: ['nobody/x'] } } }
  await chains.refresh()
  source.held = { version: 3, updated_by: 'bob', reason: 'right', routes: { ...Object(source.entries[1]?.document?.['routes']), plain: { chain: ['custom/two'] } } }
  await chains.refresh()
  const outline = async (query?: Parameters<typeof chains.history>[0]) =>
    (await chains.history(query)).map(({ version, outcome, actor }) => `${version} ${outcome} ${actor}`)
  t.strictSame(await outline(), ['3 applied bob', '2 rejected bob', '1 applied ann'])
  t.strictSame(await outline({ route: 'plain' }), ['3 applied bob', '2 rejected bob'])
  t.strictSame(await outline({ route: 'chat', limit: 1 }), ['1 applied ann'])
})

t.test('a file is written where that was asked for, and what a person had in it stays', async (t) => {
  const path = join(t.testdir(), 'chains.json')
  await writeFile(path, JSON.stringify({ $schema: './x.json', version: 1, updated_by: 'bob', reason: 'by hand', routes: { plain: { chain: ['custom/two'] } } }))
  const fallback = fallbackOf(t, ROUTES, { chains: { source: fileSource({ path, write: true }) } })
  await fallback.chains.refresh()
  await fallback.chains.pin({ ...ANN, route: 'chat', preset: 'second' })
  t.match(JSON.parse(await readFile(path, 'utf8')), { $schema: './x.json', version: 2, routes: { plain: { chain: ['custom/two'] }, chat: { active: 'second' } } })
  t.equal(running(fallback), '2 live second: two one')
  await fallback.chains.revert({ ...ANN, route: 'chat' })
  t.equal(running(fallback), '0 code normal: one two')
  const readOnly = fallbackOf(t, ROUTES, { chains: { source: fileSource(path) } })
  t.match(await refusal(readOnly.chains.pin({ ...ANN, route: 'chat', preset: 'second' })), /^no_writable_source: the source 'file' can only be read/)
  await Promise.all([fallback.close(), readOnly.close()])
})

t.test('a trial asks each leg of the running chain alone, past its breaker, and proves it', async (t) => {
  const simulator = await simulate(t, { models: { 'm-1': [{ status: 404 }], 'm-2': [{}] } })
  const routes = { chat: ['a/m-1', 'b/m-2', says('own', 'O', 'K'), fails('broken', new TypeError('x')), 'c/*'] }
  const shown: string[] = []
  const fallback = fallbackOf(t, routes, {
    providers: providersOn(simulator),
    authorize: ({ leg, dryRun, trial, caller, bytes }) => void shown.push(`${leg.provider} ${dryRun} ${trial} ${caller} ${Buffer.from(bytes).includes('Say OK')}`),
  })
  const trials = []
  for await (const trial of fallback.chains.trial('chat')) trials.push(trial)
  t.match(trials, [
    { provider: 'a', model: 'm-1', ok: false, kind: 'not_found', status: 404 },
    { provider: 'b', model: 'm-2', ok: true, answer: /./, firstContentMs: Number, totalMs: Number },
    { provider: 'own', model: 'own', ok: true, answer: 'OK' },
    { provider: 'broken', model: 'broken', ok: false, kind: 'server_error' },
    { provider: 'c', model: '*', ok: false, kind: 'no_model', totalMs: 0 },
  ])
  t.strictSame(shown.slice(0, 2), ['a false true undefined true', 'b false true undefined true'])
  const { routes: [route], breakers, openRuns } = fallback.snapshot()
  t.strictSame(route?.legs.map(({ lastServedAt }) => lastServedAt !== undefined), [false, true, true, false, false])
  t.strictSame([breakers, openRuns], [[], 0], 'nobody is charged')
  t.throws(() => fallback.chains.trial('chta'), { code: 'unknown_route' })
  shown.length = 0
  await fallback.handle(chat())
  t.match(shown[0], /^a false false /, 'a request of a client is no trial')
})

t.test('a preset is tried before it is selected, and what served is proven there too', async (t) => {
  const { fallback } = await start(t, memorySource())
  const presets = () => fallback.snapshot().routes[0]?.presets?.map(({ name, marking, legs }) =>
    `${name} ${marking ?? ''}: ${legs.map(({ provider, lastServedAt }) => `${provider} ${lastServedAt === undefined ? 'unproven' : 'proven'}`).join(', ')}`)
  t.strictSame(presets(), ['normal : one unproven, two unproven', 'second : two unproven, one unproven', 'local_only degraded: own unproven'])
  const tried: string[] = []
  for await (const { provider, ok } of fallback.chains.trial('chat', { preset: 'local_only' })) tried.push(`${provider} ${ok}`)
  t.strictSame(tried, ['own true'])
  t.equal(presets()?.[2], 'local_only degraded: own proven')
  t.equal(running(fallback), '0 code normal: one two')
  t.throws(() => fallback.chains.trial('chat', { preset: 'third' }), { code: 'unknown_preset' })
})

t.test('presets of a document are those that can be selected, however few they are', async (t) => {
  const source = memorySource({ version: 1, updated_by: 'bob', reason: 'x', routes: { chat: { presets: { normal: ['custom/two'] }, active: 'normal' } } })
  const { chains } = await start(t, source)
  t.match(await refusal(chains.pin({ ...ANN, route: 'chat', preset: 'second' })), /^unknown_preset: route 'chat' has no preset 'second'; it has normal$/)
})

t.test('a trial ends with its signal, and with the close', async (t) => {
  const fallback = fallbackOf(t, { chat: [hangs('slow'), says('own', 'OK')] })
  const controller = new AbortController()
  const trial = fallback.chains.trial('chat', { signal: controller.signal })[Symbol.asyncIterator]()
  const first = trial.next()
  controller.abort()
  t.match((await first).value, { provider: 'slow', ok: false, kind: 'aborted' })
  t.equal((await trial.next()).done, true)
  const other = fallback.chains.trial('chat')[Symbol.asyncIterator]()
  const asked = other.next()
  await new Promise((resolve) => setImmediate(resolve))
  await fallback.close()
  t.match((await asked).value, { provider: 'slow', ok: false, kind: 'aborted' })
  t.equal((await other.next()).done, true)
})
