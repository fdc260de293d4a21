import t from 'tap'
import { startAdminServer } from '../admin-server.js'
import { callCli } from '../call-cli.js'

const MADE = { version: 9, previous_version: 8 }
const SAME = { version: 8, previous_version: 8 }

t.test('each change sends what was written, with who and why, and says what it came to', async (t) => {
  const mark = { actor: 'ann', reason: 'why' }
  const rows: [string[], string, object, string][] = [
    [['pin', 'chat', 'local_only', '--for', '45m'], '/pin', { route: 'chat', preset: 'local_only', for_ms: 2_700_000 },
      "chat runs preset 'local_only' for 45m (version 9, before it 8)\n"],
    [['pin', 'chat', 'local_only'], '/pin', { route: 'chat', preset: 'local_only' },
      "chat runs preset 'local_only' for the 4h that are the default (version 9, before it 8)\n"],
    [['unpin', 'chat'], '/unpin', { route: 'chat' }, "chat runs preset 'normal' again (version 9, before it 8)\n"],
    [['revert', 'chat', '--expect', '8'], '/revert', { route: 'chat', expected_version: 8 }, 'chat is as it was before its last change (version 9, before it 8)\n'],
    [['revert', 'chat', '--expect=0'], '/revert', { route: 'chat', expected_version: 0 }, 'chat is as it was before its last change (version 9, before it 8)\n'],
    [['restore', '7'], '/restore', { version: 7 }, 'the document of version 7 is live again (version 9, before it 8)\n'],
  ]
  const answers = Object.fromEntries(rows.map(([, path]) => [`POST ${path}`, [200, MADE] as const]))
  const admin = await startAdminServer(t, answers)
  for (const [args, path, body, said] of rows) {
    t.strictSame(await callCli([...args, '--reason', 'why'], { url: admin.url }), { code: 0, out: said, err: '' })
    const post = admin.received.findLast(({ method }) => method === 'POST')
    t.match(post, { path, headers: { 'content-type': 'application/json' } })
    t.strictSame(post?.body, { ...body, ...mark })
  }
  t.strictSame(JSON.parse((await callCli(['unpin', 'chat', '--reason', 'why', '--json'], { url: admin.url })).out), MADE)
})

t.test('a revert says what runs now, where the server that answers has heard of it', async (t) => {
  const leg = (model: string) => ({ provider: 'openai', model })
  const statusOf = (version: number, chain: object) => [200, {
    routes: [{ name: 'other', chain: { layer: 'code', version: 0 }, legs: [] }, { name: 'chat', chain: { layer: 'live', version, ...chain }, legs: [leg('a'), leg('b')] }],
    live: { source: 'file', version },
  }] as const
  const admin = await startAdminServer(t, {})
  const said = async (status: readonly [number, unknown], made: object = MADE, ...more: string[]) => {
    admin.answers = { 'POST /revert': [200, made], 'GET /status': status }
    return (await callCli(['revert', 'chat', '--reason', 'why', ...more], { url: admin.url })).out
  }
  const done = 'chat is as it was before its last change (version 9, before it 8)\n'
  t.equal(await said(statusOf(9, { preset: 'normal' })), `${done}chat runs preset 'normal' now: openai/a, openai/b\n`)
  t.equal(await said(statusOf(9, {})), `${done}chat runs the chain now: openai/a, openai/b\n`)
  t.equal(await said(statusOf(8, { preset: 'local_only' })), done, 'another process, that does not run it yet')
  t.equal(await said([500, {}]), done)
  t.equal(await said(statusOf(8, {}), SAME), 'chat is so already; nothing was changed (version 8)\n')
  t.strictSame(JSON.parse(await said(statusOf(9, {}), MADE, '--json')), MADE)
})

t.test('who it is can be said, and a route or a reason may begin with a dash', async (t) => {
  const admin = await startAdminServer(t, { 'POST /unpin': [200, MADE] })
  await callCli(['unpin', '--actor', 'bob', '--reason=-1 % of answers', '--', '-odd'], { url: admin.url, user: '' })
  t.strictSame(admin.received[0]?.body, { route: '-odd', actor: 'bob', reason: '-1 % of answers' })
})

t.test('where there was nothing to change, that is said', async (t) => {
  const admin = await startAdminServer(t, { 'POST /unpin': [200, SAME], 'POST /pin': [200, SAME] })
  t.equal((await callCli(['unpin', 'chat', '--reason', 'r'], { url: admin.url })).out, 'chat was pinned to nothing; nothing was changed (version 8)\n')
})

t.test('a misspelt route or preset is answered with the nearest one that there is', async (t) => {
  const refusal = (code: string, message: string) => [404, { error: { code, message } }] as const
  const admin = await startAdminServer(t, {
    'POST /unpin': refusal('unknown_route', "no route is called 'caht'"),
    'POST /pin': refusal('unknown_preset', "route 'chat' has no preset 'localonly'"),
    'GET /status': [200, { routes: [{ name: 'chat', chain: { presets: ['normal', 'local_only'] } }, { name: 'support', chain: {} }] }],
  })
  const { url } = admin
  t.strictSame(await callCli(['unpin', 'caht', '--reason', 'r'], { url }),
    { code: 1, out: '', err: "understudy: no route is called 'caht' (did you mean 'chat'?)\n" })
  t.strictSame(await callCli(['pin', 'chat', 'localonly', '--reason', 'r'], { url }),
    { code: 1, out: '', err: "understudy: route 'chat' has no preset 'localonly' (did you mean 'local_only'?)\n" })
  t.strictSame(await callCli(['unpin', 'nothing-like-it', '--reason', 'r'], { url }),
    { code: 1, out: '', err: "understudy: no route is called 'caht'\n" }, 'what is near nothing is left alone')

  admin.answers = {
    'POST /pin': refusal('unknown_route', "'chatt' is a route of embeddings"),
    'GET /status': [200, { routes: [{ name: 'chat', chain: {} }, { name: 'chatt', chain: {} }] }],
  }
  t.strictSame(await callCli(['pin', 'chatt', 'x', '--reason', 'r'], { url }),
    { code: 1, out: '', err: "understudy: 'chatt' is a route of embeddings\n" }, 'a name that is there was not misspelt')

  admin.answers = { 'POST /unpin': refusal('unknown_route', "no route is called 'caht'"), 'GET /status': [500, {}] }
  t.match(await callCli(['unpin', 'caht', '--reason', 'r'], { url }), { code: 1, err: "understudy: no route is called 'caht'\n" }, 'the first error is the one that counts')
})
