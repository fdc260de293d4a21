import t from 'tap'
import { startAdminServer } from '../admin-server.js'
import { callCli } from '../call-cli.js'

const NOW = Date.parse('2030-01-31T02:00:00Z')
const MINUTE = 60_000
const document = (routes: object, version: number) => ({ version, routes, updated_by: 'ann', reason: 'r' })
const FIRST = document({ chat: { active: 'local_only' } }, 7)
const SECOND = document({ chat: { active: 'normal' }, support: { chain: ['openai/gpt-4o', { provider: 'groq', model: 'llama' }] } }, 8)

const ENTRIES = [
  { version: 9, outcome: 'rejected', actor: 'bob', reason: 'oops', at: NOW - MINUTE, issues: ['document.routes.chta: no route is called so', 'x: y'], document: {} },
  { version: 8, outcome: 'applied', actor: 'ann', reason: 'well again', at: NOW - 2 * MINUTE, issues: [], document: SECOND, previous: FIRST },
  { version: 7, outcome: 'reverted', actor: 'ann', reason: 'answers got worse', at: NOW - 60 * MINUTE, issues: [], document: FIRST },
  { outcome: 'rejected', at: NOW - 61 * MINUTE, issues: ['document: is no JSON'] },
]

t.test('shows who changed what and why, newest first', async (t) => {
  const admin = await startAdminServer(t, { 'GET /history': [200, { entries: ENTRIES }] })
  admin.at = NOW
  const { code, out, err } = await callCli(['history'], { url: admin.url })
  t.strictSame([code, err], [0, ''])
  t.equal(out, `\
VERSION  WHEN       WHAT      BY   REASON             CHANGE
      9  1m ago     rejected  bob  oops               document.routes.chta: no route is called so; x: y
      8  2m ago     applied   ann  well again         chat: preset local_only -> preset normal; support: as in code -> openai/gpt-4o, groq/llama
      7  1h ago     reverted  ann  answers got worse  chat: as in code -> preset local_only
      -  1h 1m ago  rejected  -    -                  document: is no JSON
`)
  t.equal(admin.received[0]?.path, '/history?limit=20')
})

t.test('of one route it shows that route alone', async (t) => {
  const admin = await startAdminServer(t, { 'GET /history': [200, { entries: ENTRIES.slice(1, 2) }] })
  const { out } = await callCli(['history', 'chat', '--limit', '3'], { url: admin.url })
  t.match(out, /well again {2}preset local_only -> preset normal\n$/)
  t.equal(admin.received[0]?.path, '/history?route=chat&limit=3')
  t.strictSame(JSON.parse((await callCli(['history', 'chat', '--json'], { url: admin.url })).out), { entries: JSON.parse(JSON.stringify(ENTRIES.slice(1, 2))) })
})

t.test('the time that a change of another route stamped on a pin is no change of the pin', async (t) => {
  const previous = { ...document({ chat: { active: 'local_only' } }, 8), updated_at: '2030-01-31T01:00:00Z' }
  const stamped = document({ chat: { active: 'local_only', expires_at: '2030-01-31T05:00:00.000Z' }, support: { active: 'small' } }, 9)
  const entry = { version: 9, outcome: 'applied', actor: 'ann', reason: 'less load', at: NOW, issues: [], document: stamped, previous }
  const admin = await startAdminServer(t, { 'GET /history': [200, { entries: [entry] }] })
  t.match((await callCli(['history'], { url: admin.url })).out, /less load {2}support: as in code -> preset small\n$/)
})

t.test('where there is no history it says so, and finds a route that is misspelt', async (t) => {
  const admin = await startAdminServer(t, {
    'GET /history': [200, { entries: [] }],
    'GET /status': [200, { routes: [{ name: 'chat', chain: {} }] }],
  })
  const { url } = admin
  t.strictSame(await callCli(['history'], { url }), { code: 0, out: 'nothing was changed yet\n', err: '' })
  t.strictSame(await callCli(['history', 'chat'], { url }), { code: 0, out: 'no change of chat is known\n', err: '' })
  t.strictSame(await callCli(['history', 'caht'], { url }), { code: 1, out: '', err: "understudy: no route is called 'caht'; did you mean 'chat'?\n" })
})

t.test('--json says what was written, and nothing that a terminal would obey', async (t) => {
  const entry = { ...ENTRIES[1], actor: 'ann\u009b31m\u202e', reason: 'a\u2028b\u001b[2J\u{e0041} \u00e9 \u{1f600}' }
  const admin = await startAdminServer(t, { 'GET /history': [200, { entries: [entry] }] })
  const { out } = await callCli(['history', '--json'], { url: admin.url })
  t.strictSame(JSON.parse(out), { entries: [JSON.parse(JSON.stringify(entry))] })
  t.notMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  t.match(out, /a\\u2028b\\u001b\[2J\\udb40\\udc41 \u00e9 \u{1f600}/u)
})
