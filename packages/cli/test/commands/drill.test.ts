import t from 'tap'
import { startAdminServer } from '../admin-server.js'
import { callCli } from '../call-cli.js'

const REASON = ['--reason', 'game day']

const NOW = Date.parse('2030-01-31T02:00:00Z')
const DRILL = {
  id: 'drill-1', route: 'chat', fault: 'cut', share: 0.05, started_at: 0, expires_at: NOW + 900_000, drilled: 0, max_requests: 200, by: 'ann', reason: 'game day',
}
const BOUNDS = ['--for', '15m', '--max', '200']

t.test('starts a drill that is bounded in time and in number, and says how to end it', async (t) => {
  const admin = await startAdminServer(t, { 'POST /drills': [201, { ...DRILL, leg: 'openai/gpt-4o' }] })
  const { url } = admin
  admin.at = NOW
  t.strictSame(await callCli(['drill', 'chat', '--fault', 'cut', '--share', '5%', ...BOUNDS, ...REASON], { url }), {
    code: 0,
    out: `drill-1: cut for 5 % of the requests to openai/gpt-4o of chat, 0 of at most 200 failed, 15m left, by ann: game day
end it before its time: understudy drill end drill-1 --reason '...'
`,
    err: '',
  })
  admin.answers = { 'POST /drills': [201, { ...DRILL, share: undefined, signed: true, header: 'drill-1.abc', secret: 'def' }] }
  const stall = ['drill', 'chat', '--fault', 'stall', '--signed', '--leg', 'openai/gpt-4o', ...BOUNDS, ...REASON]
  t.match((await callCli(stall, { url })).out, /^drill-1: cut for signed requests[^\n]*\nit fails requests with this header: understudy-drill: drill-1\.abc\nend it /)
  t.match(JSON.parse((await callCli([...stall, '--json'], { url })).out), { id: 'drill-1', header: 'drill-1.abc', secret: 'def' })
  const body = { route: 'chat', for_ms: 900_000, max_requests: 200, actor: 'ann', reason: 'game day' }
  const sent = { ...body, fault: 'stall', signed: true, leg: 'openai/gpt-4o' }
  t.strictSame(admin.received.map((request) => request.body), [{ ...body, fault: 'cut', share: 0.05 }, sent, sent])
})

t.test('what is out of bounds is said in the words of the command, before anything is asked', async (t) => {
  const admin = await startAdminServer(t, {})
  const first = async (...bounds: readonly string[]) =>
    (await callCli(['drill', 'chat', '--fault', 'cut', '--share', '5%', ...bounds, ...REASON], { url: admin.url })).err.split('\n')[0]
  t.strictSame(
    [await first('--for', '5h', '--max', '20'), await first('--for', '5m', '--max', '20000')],
    ['understudy: --for: a drill lasts at most 1h', 'understudy: --max: a drill fails at most 10000 requests'],
  )
  t.strictSame(admin.received, [])
})

t.test('lists what is on and what was, and ends it', async (t) => {
  const list = { drills: [DRILL, { ...DRILL, id: 'drill-0', leg: 'a/b', drilled: 3, ended_at: NOW - 120_000, end_cause: 'expired' }] }
  const admin = await startAdminServer(t, { 'GET /drills': [200, list], 'POST /drills/end': [200, { ...DRILL, ended_at: NOW, end_cause: 'ended' }] })
  const { url } = admin
  admin.at = NOW
  t.match((await callCli(['drill', 'list'], { url })).out, `\
drill-1: cut for 5 % of the requests to the first leg of chat, 0 of at most 200 failed, 15m left, by ann: game day
drill-0: cut for 5 % of the requests to a/b of chat, 3 of at most 200 failed, over 2m ago (expired), by ann: game day
`)
  t.strictSame(JSON.parse((await callCli(['drill', 'list', '--json'], { url })).out), list)
  t.strictSame(await callCli(['drill', 'end', 'drill-1', '--reason', 'seen enough'], { url }), { code: 0, out: 'drill-1 is over\n', err: '' })
  t.strictSame(admin.received.at(-1)?.body, { id: 'drill-1', actor: 'ann', reason: 'seen enough' })
  admin.answers = { 'GET /drills': [200, { drills: [] }] }
  t.equal((await callCli(['drill', 'list'], { url })).out, 'no drill is on\n')
})
