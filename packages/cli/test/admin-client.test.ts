import { createServer } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { startAdminServer, type Answer } from './admin-server.js'
import { callCli } from './call-cli.js'

const NOTHING = { routes: [] }

function refusal(status: number, code: string, message: string, more: object = {}): Answer {
  return [status, { error: { code, message, ...more } }]
}

t.test('what an answer comes to, by its status and its code', async (t) => {
  const hint = 'give --header, or set UNDERSTUDY_ADMIN_TOKEN'
  const rows: [Answer, number, string][] = [
    [refusal(400, 'invalid_request', 'no such field', { issues: [{ path: 'for_ms', message: 'too long' }] }), 1, 'no such field\n  for_ms: too long'],
    [refusal(401, 'forbidden', 'who are you?'), 5, `who are you?; ${hint}`],
    [refusal(403, 'forbidden', 'not you'), 5, `not you; ${hint}`],
    [[403, '<h1>no</h1>'], 5, `@ does not let you (403); ${hint}`],
    [refusal(404, 'unknown_version', 'no version 7'), 1, 'no version 7'],
    [refusal(409, 'version_conflict', 'somebody was quicker', { actual_version: 9 }), 4, 'somebody was quicker'],
    [refusal(409, 'nothing_to_revert', 'nothing was changed'), 1, 'nothing was changed'],
    [refusal(501, 'no_writable_source', 'it can only be read'), 1, 'it can only be read'],
    [refusal(503, 'source_unavailable', 'the store is away'), 3, 'the store is away'],
    [refusal(500, 'internal_error', ''), 3, '@ refused it (internal_error)'],
    [refusal(400, 'odd', 'a\u001b[2Jb'), 1, 'a?[2Jb'],
    [[500, 'oops'], 3, '@ answered 500 with something that is none of the control surface; the server, or something in front of it, is in trouble'],
    [[404, {}], 3, '@ answered 404 with something that is none of the control surface; is it where adminMiddleware is mounted?'],
    [[302, {}], 3, '@ answered 302; redirects are not followed: give the final address'],
    [[200, 'hello'], 3, '@ answered with something that is none of the control surface (it: Invalid input: expected object, received string); is it where adminMiddleware is mounted?'],
    [[200, { routes: [{ name: 1 }] }], 3, '@ answered with something that is none of the control surface (routes.0.name: Invalid input: expected string, received number); is it where adminMiddleware is mounted?'],
    [(response) => response.end('<html>'), 3, '@ answered with something that is no JSON; is it where adminMiddleware is mounted?'],
    [(response) => response.end(), 3, '@ answered with something that is no JSON; is it where adminMiddleware is mounted?'],
    [(response) => response.socket?.destroy(), 3, '@ cannot be used: the connection was cut'],
    [(response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"routes":')
      setImmediate(() => response.socket?.destroy())
    }, 3, '@ cannot be used: the connection was cut'],
  ]
  const admin = await startAdminServer(t, {})
  for (const [answer, exitCode, message] of rows) {
    admin.answers = { 'GET /status': answer }
    const { code, out, err } = await callCli(['status'], { url: admin.url })
    t.strictSame([code, out, err.replaceAll(admin.url, '@')], [exitCode, '', `understudy: ${message}\n`])
  }
})

t.test('no redirect is followed, so that a token goes nowhere else', async (t) => {
  const other = await startAdminServer(t, { 'GET /status': [200, NOTHING] })
  const admin = await startAdminServer(t, {
    'GET /status': (response) => response.writeHead(307, { location: `${other.url}/status` }).end(),
  })
  const { code } = await callCli(['status'], { url: admin.url, env: { UNDERSTUDY_ADMIN_TOKEN: 'token' } })
  t.strictSame([code, other.received.length], [3, 0])
})

t.test('with --json a conflict says which version is live', async (t) => {
  const admin = await startAdminServer(t, { 'POST /unpin': refusal(409, 'version_conflict', 'somebody was quicker', { actual_version: 9 }) })
  const { code, out } = await callCli(['unpin', 'chat', '--reason', 'r', '--expect', '7', '--json'], { url: admin.url })
  t.equal(code, 4)
  t.strictSame(JSON.parse(out), { error: { code: 'version_conflict', message: 'somebody was quicker', status: 409, actual_version: 9 }, exit_code: 4 })
  t.strictSame(admin.received[0]?.body, { route: 'chat', actor: 'ann', reason: 'r', expected_version: 7 })
})

t.test('a server that is not there ends the command with 3, and says so', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  const port = typeof address === 'object' ? address?.port : undefined
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = `http://${host}:${port}/admin`
    t.strictSame(await callCli(['status'], { url }), { code: 3, out: '', err: `understudy: ${url} cannot be used: nobody listens there\n` })
  }
  t.match(await callCli(['status', '--url', 'http://127.0.0.1:1']), { code: 3, err: /cannot be used: no browser and no fetch goes to that port/ })
  const nowhere = 'http://understudy.invalid/admin'
  t.match(await callCli(['status', '--timeout', '5s'], { url: nowhere }), { code: 3, err: /^understudy: http:\/\/understudy\.invalid\/admin cannot be used: / })
})

t.test('a server that is too slow ends it too, and a change that was sent may have been made', async (t) => {
  const admin = await startAdminServer(t, { 'GET /status': () => undefined, 'POST /unpin': () => undefined })
  const { url } = admin
  t.strictSame(await callCli(['status', '--timeout', '1s'], { url }), { code: 3, out: '', err: `understudy: ${url} cannot be used: no answer within 1 s\n` })
  t.match(await callCli(['unpin', 'chat', '--reason', 'r', '--timeout', '1s'], { url }), {
    code: 3,
    err: `understudy: ${url} cannot be used: no answer within 1 s; it is not known whether the change was made: see understudy status\n`,
  })
})

t.test('slow work says so on a terminal, on a line that goes away, and nowhere else', async (t) => {
  const admin = await startAdminServer(t, {
    'GET /status': (response) => setTimeout(() => response.end(JSON.stringify(NOTHING)), 900),
  })
  const { url } = admin
  const [terminal, narrow, pipe] = await Promise.all([
    callCli(['status'], { url, columns: 100 }),
    callCli(['status'], { url, columns: 20 }),
    callCli(['status'], { url }),
  ])
  t.match(terminal.err, `\rwaiting for ${url}\u001b[K`)
  t.ok(terminal.err.endsWith('\r\u001b[K'), 'it is taken away')
  t.strictSame(narrow.err.replaceAll('\u001b[K', '').split('\r').filter((text) => text.length > 19), [], 'it never breaks into a second line')
  t.equal(pipe.err, '')
})

t.test('a signal ends what waits, with the code of that signal', async (t) => {
  for (const [name, code] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
    const controller = new AbortController()
    const admin = await startAdminServer(t, {
      'GET /status': () => controller.abort(name),
      'POST /revert': () => controller.abort(name),
    })
    const { url } = admin
    const change = callCli(['revert', 'chat', '--reason', 'r'], { url, signal: controller.signal })
    t.match(await change, { code, out: '', err: 'understudy: interrupted; it is not known whether the change was made: see understudy status\n' })
    t.match(await callCli(['status'], { url, signal: controller.signal }), { code, out: '', err: 'understudy: interrupted\n' })
  }
})

t.test('an answer without an end is not read for ever', async (t) => {
  const admin = await startAdminServer(t, {
    'GET /status': (response) => {
      const chunk = Buffer.alloc(1_048_576, 'x')
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', more)
      }
      more()
    },
  })
  t.match(await callCli(['status'], { url: admin.url }), { code: 3, err: /the answer is far too long to be one/ })
})
