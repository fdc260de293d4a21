import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import t from 'tap'
import { notTested } from '../../../test/kit/server-process.js'
import { within } from '../../../test/kit/within.js'
import { startAdminServer } from './admin-server.js'
import { CLI, startBuilt } from './run-built.js'

const DEADLINE_MS = 20_000
const GOOD = { provider: 'openai', model: 'gpt-4o-mini', ok: true, answer: 'OK', first_content_ms: 412, total_ms: 530 }

const start = (args: readonly string[], url: string) => startBuilt(args, { UNDERSTUDY_ADMIN_URL: url })

t.test('the command is a process with an exit code, as the user of this machine', async (t) => {
  const admin = await startAdminServer(t, {
    'GET /status': [200, { routes: [] }],
    'POST /unpin': [409, { error: { code: 'version_conflict', message: 'somebody was quicker' } }],
  })
  const calls = [['status'], ['unpin', 'chat', '--reason', 'r'], ['statsu'], ['status', '--url', 'http://127.0.0.1:1']]
  const ended = await Promise.all(calls.map((args) => start(args, admin.url).ended))
  t.strictSame(ended.map(({ code, signal }) => [code, signal]), [[0, null], [4, null], [2, null], [3, null]])
  t.match(admin.received.find(({ path }) => path === '/unpin')?.body, { actor: userInfo().username })
})

t.test('SIGINT and SIGTERM end a trial at once, with what was answered so far, and tell the server', async (t) => {
  for (const [name, code] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
    let gone: Promise<unknown> | undefined
    const admin = await startAdminServer(t, {
      'POST /try'(response) {
        gone = once(response, 'close')
        response.write(`${JSON.stringify(GOOD)}\n`)
      },
    })
    const { child, ended } = start(['try', 'chat', '--json'], admin.url)
    await within(DEADLINE_MS, 'the first leg', once(child.stdout, 'data'))
    child.kill(name)
    const { out, ...rest } = await ended
    t.match(rest, { code, signal: null, err: '' })
    const [first = '', ...more] = out.split('\n')
    t.strictSame(JSON.parse(first), GOOD)
    t.match(JSON.parse(more.join('\n')), { error: { code: 'interrupted' }, exit_code: code })
    await within(DEADLINE_MS, 'the connection is closed', gone ?? Promise.reject(new Error('nothing was asked')))
  }
})

t.test('a reader that leaves ends it quietly', async (t) => {
  const entries = Array.from({ length: 5_000 }, (_, version) => ({ version, outcome: 'applied', at: 1, reason: 'x'.repeat(100) }))
  const admin = await startAdminServer(t, { 'GET /history': [200, { entries }] })
  const { child, ended } = start(['history', '--json'], admin.url)
  child.stdout.once('data', () => child.stdout.destroy())
  t.match(await ended, { code: 0, signal: null, err: '' })
})

t.test('reads a document from a pipe', async (t) => {
  const { child, ended } = start(['check', '-'], '')
  child.stdin.end(JSON.stringify({ version: 1, chain: ['openai/gpt-4o'], updated_by: 'ann', reason: 'r' }))
  t.match(await ended, { code: 0, out: /^-: version 1 has the right shape/ })
})

t.test('a module that was checked does not keep the process', async (t) => {
  const cwd = t.testdir({
    'chains.mjs': `export const routes = { chat: ['openai/gpt-4o'] }\nsetInterval(() => undefined, 1_000)`,
    'chains.json': JSON.stringify({ version: 1, chain: ['openai/gpt-4o'], updated_by: 'ann', reason: 'r' }),
  })
  t.match(await start(['check', `${cwd}/chains.json`, '--config', `${cwd}/chains.mjs`], '').ended, { code: 0, signal: null, err: '' })
})

t.test('nor does one that waits for ever, once somebody has had enough', async (t) => {
  const cwd = t.testdir({
    'chains.mjs': `process.stdout.write('waits')\nawait new Promise((resolve) => setTimeout(resolve, 1_000_000))`,
    'chains.json': '{}',
  })
  const { child, ended } = start(['check', `${cwd}/chains.json`, '--config', `${cwd}/chains.mjs`], '')
  await within(DEADLINE_MS, 'the module runs', once(child.stdout, 'data'))
  child.kill('SIGINT')
  t.match(await ended, { code: 130, signal: null })
})

const SCRIPT = '/usr/bin/script'
const skip = existsSync(SCRIPT) ? false : notTested('the command on a terminal', 'script (util-linux) is not installed')

t.test('on a real terminal it is coloured and says what it waits for; in a pipe it is neither', { skip }, async (t) => {
  const admin = await startAdminServer(t, {
    'GET /status': (response) => setTimeout(() => response.end(JSON.stringify({ routes: [{ name: 'chat', chain: { layer: 'code', version: 0 }, legs: [] }] })), 900),
  })
  const onTerminal = async (env: Readonly<Record<string, string>>) => {
    const command = [process.execPath, CLI, 'status'].map((word) => `'${word}'`).join(' ')
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      env: { PATH: process.env['PATH'], TERM: 'xterm', UNDERSTUDY_ADMIN_URL: admin.url, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let seen = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text))
    const [code] = await within(DEADLINE_MS, 'script', once(child, 'close'))
    return { code, seen }
  }
  const [coloured, plain, piped] = await Promise.all([onTerminal({}), onTerminal({ NO_COLOR: '1' }), start(['status'], admin.url).ended])
  t.strictSame([coloured.code, plain.code, piped.code], [0, 0, 0])
  t.match(coloured.seen, /waiting for /)
  t.ok(coloured.seen.includes('\u001b[1mchat: the chain of the code\u001b[22m'), coloured.seen)
  t.match(plain.seen, /waiting for [^]*\nchat: the chain of the code\r\n/)
  t.strictSame([piped.out.includes('\u001b'), piped.err], [false, ''])
})
