import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { HEALTHY_TEXT } from '../src/index.js'
import { runCli } from '../src/run-cli.js'
import { whole } from './raw-client.js'

function start(args: readonly string[]) {
  const controller = new AbortController()
  const out: string[] = []
  const err: string[] = []
  const printed = new EventTarget()
  const code = runCli(args, {
    out: (line) => {
      out.push(line)
      printed.dispatchEvent(new Event('line'))
    },
    err: (line) => err.push(line),
    signal: controller.signal,
  })
  const line = async (index: number) => {
    while (out.length <= index) await once(printed, 'line', { signal: AbortSignal.timeout(5_000) })
    return out[index] ?? ''
  }
  return { code, err, line, end: () => controller.abort() }
}

const post = (url: string, body: unknown) => fetch(`${url}/chat/completions`,
  { method: 'POST', body: JSON.stringify(body) })

t.test('prints its URL, serves the script, prints each call and ends when told to', async (t) => {
  const dir = t.testdir({ 'script.json': JSON.stringify({ models: { m: [{ status: 503 }, {}] } }) })
  const cli = start(['--print', '--script', `${dir}/script.json`])
  const url = await cli.line(0)
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  t.equal((await post(url, whole)).status, 503)
  t.match(await cli.line(1),
    /^\S+Z POST \/v1\/chat\/completions model=m call=1 step=0 whole status=503 bytes=\d+ complete \d+ms$/)
  t.match(await (await post(url, whole)).json(), { choices: [{ message: { content: HEALTHY_TEXT } }] })
  t.match(await cli.line(2), / call=2 step=1 whole status=200 /)
  cli.end()
  t.equal(await cli.code, 0)
})

t.test('says what is wrong with the call, shows the usage and ends with 2', async (t) => {
  const dir = t.testdir({ 'no.json': '{', 'bad.json': '{"models":{"m":[{"stauts":1}]}}' })
  const rows: [string[], RegExp][] = [
    [['--prot', '1'], /Unknown option '--prot'/],
    [['--port', 'x'], /--port: got 'x'; it must be a whole number from 0 to 65535/],
    [['--port', '65536'], /--port: got '65536'/],
    [['extra'], /Unexpected argument 'extra'/],
    [['--script', `${dir}/none.json`], /--script: '.*none\.json' is not a JSON file that can be read: ENOENT/],
    [['--script', `${dir}/no.json`], /--script: '.*no\.json' is not a JSON file/],
    [['--script', `${dir}/bad.json`], /models\.m\[0\]: unknown key 'stauts'; did you mean 'status'\?/],
  ]
  for (const [args, complaint] of rows) {
    const cli = start(args)
    t.equal(await cli.code, 2)
    t.match(cli.err[0], complaint)
    t.match(cli.err[0], /\n\nUsage: understudy-simulator /)
  }
})

t.test('shows the usage when asked, with 0; a taken port is 1', async (t) => {
  const help = start(['--help'])
  t.match(await help.line(0), /^Usage: /)
  t.equal(await help.code, 0)

  const first = start([])
  const port = new URL(await first.line(0)).port
  const second = start(['--port', port])
  t.equal(await second.code, 1)
  t.match(second.err[0], new RegExp(`cannot listen on port ${port}: .*EADDRINUSE`))
  first.end()
  t.equal(await first.code, 0)
})

t.test('SIGINT ends the command with 0', async (t) => {
  const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, cli], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(20_000) })
  t.match(String(line), /^http:.*\/v1\n$/)
  child.kill('SIGINT')
  t.strictSame(await once(child, 'exit', { signal: AbortSignal.timeout(5_000) }), [0, null])
})
