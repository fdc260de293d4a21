import { join } from 'node:path'

import type { FallbackOptions } from '@understudy/config'
import t from 'tap'

import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { chat, contentOf, EPOCH, fails, fallbackOf, heard, iteratorOf, jsonOf, listen, post, says, stream, textOf } from '../kit.js'
import { memorySource } from './memory-source.js'

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const ANN = { actor: 'ann', reason: 'an incident' }
const ROUTES = {
  chat: {
    presets: {
      normal: [says('one', 'o', 'ne')],
      local_only: { legs: [says('own', 'own')], marking: 'answers may be worse, 100 % local' },
      broken: { legs: [fails('broken', new Error('x'))], marking: 'degraded' },
    },
    deadlineMs: 5_000,
  },
  plain: [says('p', 'p')],
}

t.test('the next request runs the new chain, and a run on its way keeps the one it began with', async (t) => {
  const fallback = fallbackOf(t, ROUTES, { chains: { source: memorySource() } })
  const reader = iteratorOf(await fallback.handle(stream()))
  const first = await reader.next()
  await fallback.chains.pin({ ...ANN, route: 'chat', preset: 'local_only' })
  const after = await fallback.handle(stream())
  t.equal(after.headers['understudy-served'], 'own/own')
  t.equal(contentOf(await textOf(after)), 'own')
  let text = Buffer.from(first.value as Uint8Array).toString()
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) text += Buffer.from(next.value).toString()
  t.equal(contentOf(text), 'one')
})

t.test('every response of a marked preset says so: JSON, streams, errors, streams that began early; others do not', async (t) => {
  const clock = createFakeClock()
  const slow = { name: 'slow', async *open() {
    await new Promise<void>((resolve) => void clock.schedule(500, resolve))
    yield 'slow'
  } }
  const routes = { ...ROUTES, late: { presets: { normal: [says('a', 'a')], slow: { legs: [slow], marking: 'degraded' } }, waitingComment: { afterMs: 100 } } }
  const fallback = fallbackOf(t, routes, { chains: { source: memorySource() }, exposeTrail: false }, { clock })
  const marking = async (request: Parameters<typeof fallback.handle>[0]) => (await fallback.handle(request)).headers['understudy-degraded']
  t.equal(await marking(chat()), undefined)
  await fallback.chains.pin({ ...ANN, route: 'chat', preset: 'local_only' })
  const shown = 'answers may be worse, 100 %25 local'
  t.strictSame([await marking(chat()), await marking(stream()), await marking(chat({ model: 'plain' }))], [shown, shown, undefined])
  t.equal(await marking(post({ model: 'chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }, { path: '/messages' })), shown)
  t.equal(await marking(chat({ models: ['plain', 'chat'] })), shown, 'a chain that the caller made of it')
  t.equal(await marking(chat({ models: ['plain'] })), undefined)
  await fallback.chains.pin({ ...ANN, route: 'chat', preset: 'broken' })
  const failed = await fallback.handle(chat())
  t.strictSame([failed.status, failed.headers['understudy-degraded']], [502, 'degraded'])
  t.equal((await fallback.handle(stream())).headers['understudy-degraded'], 'degraded')
  await fallback.chains.pin({ ...ANN, route: 'late', preset: 'slow' })
  const waiting = fallback.handle(stream({ model: 'late' }))
  await clock.advance(100)
  const early = await waiting
  t.strictSame([early.status, early.headers['understudy-degraded'], early.headers['understudy-served']], [200, 'degraded', undefined])
  const rest = textOf(early)
  await clock.advance(500)
  await rest
})

t.test('a policy check names the preset that the route runs', async (t) => {
  const fallback = fallbackOf(t, ROUTES, { chains: { source: memorySource() } })
  const check = async (model = 'chat') => (await jsonOf(await fallback.handle(chat({ model }, { path: '/policy-check' }))))['checks']
  t.match(await check(), [{ check: 'chain', passed: true, preset: 'normal' }, {}])
  await fallback.chains.pin({ ...ANN, route: 'chat', preset: 'local_only' })
  t.match(await check(), [{ check: 'chain', passed: true, preset: 'local_only', marking: 'answers may be worse, 100 % local' }, {}])
  t.strictSame((await check('plain') as object[])[0], { check: 'chain', passed: true })
})

t.test('a caller may still name a leg of the code that a pin has taken out of its route', async (t) => {
  const fallback = fallbackOf(t, ROUTES, { chains: { source: memorySource() } })
  await fallback.chains.pin({ ...ANN, route: 'chat', preset: 'local_only' })
  const response = await fallback.handle(chat({ models: ['one/one'] }))
  t.strictSame([response.status, response.headers['understudy-served']], [200, 'one/one'])
  t.equal((await fallback.handle(chat({ models: ['nobody/one'] }))).status, 400)
})

t.test('listeners and the log hear of changes, refusals and pins, and see no secret', async (t) => {
  const clock = createFakeClock()
  const lines: string[] = []
  const line = (level: string) => (fields: object, message: string) => void lines.push(`${level} ${JSON.stringify(fields)} ${message}`)
  const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const source = memorySource()
  const fallback = fallbackOf(t, ROUTES, { chains: { source }, logger }, { clock, wallClock: () => EPOCH + clock.now() })
  const events = listen(fallback)
  await fallback.chains.refresh()
  await fallback.chains.pin({ ...ANN, route: 'chat', preset: 'local_only', forMs: 2 * 3_600_000 })
  source.held = { version: 2, updated_by: 'bob', reason: 'a try', routes: { chat: { chain: ['sk-live-0123456789abcdefghijklmnop/x'] } } }
  await fallback.chains.refresh()
  await clock.advance(2 * 3_600_000 + 1_000)
  await heard()
  t.strictSame(events.map(({ type }) => type), ['chain-applied', 'chain-rejected', 'pin-active-long', 'pin-expiring', 'pin-expired', 'chain-reverted'])
  t.match(events[0], { version: 1, by: 'ann', reason: 'an incident', changes: [{ route: 'chat', from: ['one/one'], to: ['own/own'], preset: 'local_only' }] })
  t.match(events[1], { version: 2, by: 'bob', reason: 'a try' })
  t.match(lines.map((text) => text.slice(0, text.indexOf(' '))), ['warn', 'error', 'warn', 'warn', 'warn'])
  t.match(lines[0], /"code":"UNDERSTUDY_CHAIN_APPLIED","version":1,"by":"ann","reason":"an incident","changes":\[\{"route":"chat","from":\["one\/one"\],"to":\["own\/own"\]/)
  t.notMatch(JSON.stringify([events, lines, fallback.snapshot()]), 'sk-live')
})

t.test('a leg that cannot be made is refused with its path, in a preset that nobody has selected too, over a restart too', async (t) => {
  const path = join(t.testdir(), 'kept.json')
  const about = { version: 1, updated_by: 'bob', reason: 'a try' }
  const start = async (dialect: 'openai' | 'gemini', routes: object) => {
    const providers = { g: { dialect, baseURL: 'http://127.0.0.1:9', apiKey: 'k' } }
    const fallback = fallbackOf(t, ROUTES, { providers, chains: { source: memorySource({ ...about, routes }), lastKnownGood: path }, logger: QUIET })
    await fallback.chains.refresh()
    return fallback
  }
  const message = "provider 'g': the model '..' cannot stand in a path"
  const active = await start('gemini', { plain: { chain: ['g/..'] } })
  t.strictSame(active.snapshot().live?.lastRejection?.issues, [`document.routes.plain.chain[0]: ${message}`])
  const inactive = await start('gemini', { chat: { presets: { normal: ['g/..'], other: ['custom/one'] }, active: 'other' } })
  t.strictSame(inactive.snapshot().live?.lastRejection?.issues, [`document.routes.chat.presets.normal[0]: ${message}`])

  const works = await start('openai', { plain: { chain: ['g/..'] } })
  t.match(works.snapshot().routes[1]?.legs, [{ provider: 'g', model: '..' }])
  await works.close()
  const restarted = await start('gemini', {})
  t.match(restarted.snapshot().live, { rejected: 1, version: 1, layer: 'live' })
  t.match(restarted.snapshot().routes[1]?.legs, [{ provider: 'p' }])
  await Promise.all([active, inactive, restarted].map((fallback) => fallback.close()))
})

t.test('without a logger, a refused document is a warning of the process', async (t) => {
  const warned = new Promise((resolve) => process.once('warning', resolve))
  const fallback = fallbackOf(t, ROUTES, { chains: { source: memorySource({ legs: [] }) } })
  await fallback.chains.refresh()
  t.match(await warned, { code: 'UNDERSTUDY_CHAIN_REJECTED' })
})

t.test('close ends polls, watch and timers, and closes the source', async (t) => {
  const clock = createFakeClock()
  const source = memorySource({ version: 1, updated_by: 'ann', reason: 'x', routes: { chat: { active: 'local_only' } } })
  const fallback = fallbackOf(t, ROUTES, { chains: { source } }, { clock })
  await fallback.chains.refresh()
  t.ok(clock.pending > 0)
  await fallback.close()
  t.strictSame([clock.pending, source.closes()], [0, 1])
})

t.test('chains of the code may hold presets without any live document', async (t) => {
  const routes = { chat: { ...ROUTES.chat, active: 'local_only' } }
  const fallback = fallbackOf(t, routes)
  const response = await fallback.handle(chat())
  t.strictSame([response.headers['understudy-served'], response.headers['understudy-degraded']], ['own/own', 'answers may be worse, 100 %25 local'])
  t.match(fallback.snapshot().routes[0]?.chain, { layer: 'code', version: 0, preset: 'local_only', presets: ['normal', 'local_only', 'broken'] })
})

t.test('options of live chains that are wrong stop the mount, and say what would be right', async (t) => {
  const wrong = (options: unknown): string => {
    try {
      fallbackOf(t, ROUTES, options as FallbackOptions)
    } catch (error) {
      return String(error).split('\n').slice(1).map((line) => line.trim()).join('; ')
    }
    return 'right'
  }
  const source = memorySource()
  t.strictSame([
    { chains: {} },
    { chains: { source: 'redis://user:password@host' } },
    { chains: { source: { read: () => undefined } } },
    { chains: 'chains.json' },
    { chains: { source, pollMs: 0, jitter: 2, readTimeoutMs: -1, lastKnownGood: '', pollms: 1 } },
    { liveChanges: 'none' },
  ].map(wrong), [
    'options.chains.source: is missing; it must be a source, such as fileSource({ path })',
    'options.chains.source: is a string that does not fit; it must be a source, such as fileSource({ path })',
    'options.chains.source: is an object that does not fit; it must be a source, such as fileSource({ path })',
    "options.chains: is 'chains.json'; it must be { source, pollMs?, lastKnownGood? }",
    'options.chains.pollMs: is 0; it must be a whole number of milliseconds above 0 (at most 2147483647); '
    + 'options.chains.jitter: is 2; it must be a share from 0 to 1; '
    + 'options.chains.readTimeoutMs: is -1; it must be a whole number of milliseconds above 0 (at most 2147483647); '
    + 'options.chains.lastKnownGood: is empty; it must be the path of a file; '
    + "options.chains.pollms: is not known; did you mean 'pollMs'?",
    "options.liveChanges: is 'none'; it must be one of any, presets",
  ])
})
