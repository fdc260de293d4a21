import t from 'tap'
import { startAdminServer } from '../admin-server.js'
import { callCli } from '../call-cli.js'

const AT = Date.parse('2030-01-31T02:00:00Z')
const MINUTE = 60_000

const leg = (provider: string, model: string, more: object = {}) => ({ provider, model, ...more })

const STATUS = {
  at: AT,
  routes: [
    {
      name: 'chat',
      chain: {
        layer: 'document', version: 8, since: AT - 2 * MINUTE, by: 'ann', reason: 'answers got worse', preset: 'local_only',
        presets: ['normal', 'local_only'], expires_at: AT + 43 * MINUTE, marking: 'local model',
      },
      legs: [leg('ollama', 'qwen3', { last_served_at: AT - 3_000 }), leg('custom', 'mock', { misconfigured: true })],
      presets: [
        { name: 'normal', legs: [leg('openai', 'gpt-4o', { last_served_at: AT - 90_000 }), leg('groq', 'llama')] },
        { name: 'local_only', marking: 'local model', legs: [leg('ollama', 'qwen3'), leg('custom', 'mock')] },
      ],
    },
    {
      name: 'support',
      chain: { layer: 'code', version: 0, since: AT - 26 * 60 * MINUTE },
      legs: [
        leg('openai', 'gpt-4o', { last_served_at: AT - 90_000 }), leg('groq', 'llama'),
        leg('bedrock', 'nova', { region: 'eu-west-1', last_served_at: AT }), leg('bedrock', 'nova', { region: 'us-east-1', last_served_at: AT }),
      ],
    },
  ],
  live: {
    source: 'redis', layer: 'document', version: 8, last_read_at: AT - 2_000, holds_document: true, rejected: 3,
    last_read_error: { message: 'the connection was cut', at: AT - 1_000 },
    last_rejection: { version: 9, by: 'bob', reason: 'x', issues: ['document.routes.chta: no route is called so'], at: AT - 5 * MINUTE },
  },
  breakers: [
    { provider: 'ollama', state: 'closed', failures: 0 }, { provider: 'openai', state: 'open', failures: 3, open_until: AT + 40_000 },
    { provider: 'bedrock', region: 'us-east-1', state: 'half-open', failures: 3 },
  ],
  cooldowns: [leg('groq', 'llama', { until: AT + 12_000 }), leg('custom', 'mock', { until: AT - 1 })],
  last_failures: [leg('groq', 'llama', { kind: 'rate_limit', status: 429, at: AT - 10_000 })],
  drills: [{ id: 'drill-1', route: 'chat', fault: 'cut', share: 0.05, started_at: AT, expires_at: AT + MINUTE, drilled: 7, max_requests: 200, by: 'eve', reason: 'game day' }],
  open_runs: 1,
  listener_errors: 0,
}

t.test('shows what is live where, since when and by whom, and how each leg is doing', async (t) => {
  const admin = await startAdminServer(t, { 'GET /status': [200, STATUS] })
  const { code, out, err } = await callCli(['status'], { url: admin.url })
  t.strictSame([code, err], [0, ''])
  t.equal(out, `${admin.url}: version 8 of the live document, source redis, read 2s ago
the source cannot be read (1s ago): the connection was cut
3 refused since the start; the last was version 9 by bob, 5m ago: document.routes.chta: no route is called so
drill-1: cut for 5 % of the requests to the first leg of chat, 7 of at most 200 failed, 1m left, by eve: game day

chat: preset 'local_only' of version 8 for 2m by ann, back to 'normal' in 43m, marked 'local model': answers got worse
  LEG           HEALTH  LAST SERVED  NOTE
  ollama/qwen3  closed  3s ago
  custom/mock           never        unproven, misconfigured
  other presets: normal (unproven: groq/llama)

support: the chain of the code for 1d 2h
  LEG                       HEALTH              LAST SERVED  LAST FAILURE             NOTE
  openai/gpt-4o             open, probe in 40s  1m 30s ago
  groq/llama                cooldown for 12s    never        rate_limit 429, 10s ago  unproven
  bedrock/nova (eu-west-1)                      just now
  bedrock/nova (us-east-1)  half-open           just now
`)
})

t.test('fits a terminal of any width, and loses nothing', async (t) => {
  const admin = await startAdminServer(t, { 'GET /status': [200, STATUS] })
  const letters = (text: string): string => [...text.replaceAll(/\s/g, '')].sort().join('')
  const whole = letters((await callCli(['status'], { url: admin.url })).out)
  for (const columns of [120, 80, 60, 40]) {
    const { out } = await callCli(['status'], { url: admin.url, columns, env: { NO_COLOR: '1' } })
    t.strictSame(out.split('\n').filter((line) => line.length > columns), [], `${columns} columns`)
    t.equal(letters(out), whole)
  }
})

t.test('is coloured on a terminal only, and not where somebody said no', async (t) => {
  const admin = await startAdminServer(t, { 'GET /status': [200, STATUS] })
  const call = async (columns: number | undefined, env: Record<string, string> = {}) =>
    (await callCli(['status'], { url: admin.url, columns, env })).out.includes('\u001b[')
  t.strictSame(
    await Promise.all([call(100), call(undefined), call(100, { NO_COLOR: '1' }), call(100, { NO_COLOR: '' }), call(100, { TERM: 'dumb' })]),
    [true, false, false, true, false],
  )
})

t.test('--json gives what the server said, with what this version does not know', async (t) => {
  const said = { ...STATUS, minutes: [1], news: { later: true } }
  const admin = await startAdminServer(t, { 'GET /status': [200, said] })
  const { code, out } = await callCli(['status', '--json'], { url: admin.url })
  t.equal(code, 0)
  t.strictSame(JSON.parse(out), said)
})

t.test('a server without a live document, or before the first read, says so', async (t) => {
  const admin = await startAdminServer(t, {})
  const first = async (live: unknown): Promise<string> => {
    admin.answers = { 'GET /status': [200, { routes: [], live }] }
    return (await callCli(['status'], { url: admin.url })).out.replace(admin.url, '@')
  }
  t.equal(await first(undefined), '@: no live document, the chains are those of the code\n')
  t.equal(await first({ source: 'file', layer: 'code', version: 0, rejected: 0 }), '@: no live document yet, source file, never read\n')
})

t.test('a document that is ignored, and one that is gone, are shown', async (t) => {
  const live = { source: 'redis', layer: 'live', version: 83, last_read_at: AT, rejected: 0, holds_document: true, ignored: { version: 1, by: 'ann', at: AT - MINUTE } }
  const admin = await startAdminServer(t, { 'GET /status': [200, { at: AT, routes: [], live }] })
  const lines = async () => (await callCli(['status'], { url: admin.url })).out.split('\n').slice(1)
  t.strictSame(await lines(), ['the source holds version 1 by ann, 1m ago: it is ignored, since version 83 runs; a change needs a higher version', ''])
  admin.answers = { 'GET /status': [200, { at: AT, routes: [], live: { ...live, holds_document: false, ignored: undefined } }] }
  t.strictSame(await lines(), ['the source holds no document any more; version 83 keeps running', ''])
})

t.test('times are counted by the clock of the server', async (t) => {
  const admin = await startAdminServer(t, { 'GET /status': [200, { ...STATUS, at: undefined }] })
  admin.at = AT
  t.match((await callCli(['status'], { url: admin.url })).out, /read 2s ago[^]*back to 'normal' in 43m/)
})

t.test('a slash at the end and a query of the address are kept', async (t) => {
  const admin = await startAdminServer(t, { 'GET /status': [200, { routes: [] }] })
  for (const url of [`${admin.url}/`, `${admin.url}//?tenant=a`]) await callCli(['status', '--url', url])
  t.strictSame(admin.received.map(({ path }) => path), ['/status', '/status?tenant=a'])
})

t.test('a plain chain of the document stands in the place of the preset `normal`, which is no other', async (t) => {
  const [chat] = STATUS.routes
  const route = {
    name: 'chat', legs: chat?.legs, presets: chat?.presets,
    chain: { layer: 'document', version: 9, since: AT - MINUTE },
  }
  const admin = await startAdminServer(t, { 'GET /status': [200, { ...STATUS, routes: [route] }] })
  const { out } = await callCli(['status'], { url: admin.url })
  t.match(out, /^chat: the chain of version 9 for 1m$[^]*^ {2}other presets: local_only \(/m)
})
