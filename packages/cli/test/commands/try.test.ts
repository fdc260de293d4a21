import { once } from 'node:events'
import t from 'tap'
import { within } from '../../../../test/kit/within.js'
import { startAdminServer } from '../admin-server.js'
import { callCli } from '../call-cli.js'

const GOOD = { provider: 'openai', model: 'gpt-4o-mini', ok: true, answer: 'OK\nthen', first_content_ms: 412, total_ms: 530 }
const BAD = { provider: 'groq', model: 'lama', ok: false, kind: 'not_found', status: 404, total_ms: 12_345 }
const line = (value: unknown): string => `${JSON.stringify(value)}\n`

t.test('prints each leg as it comes, and ends with 1 if one did not answer', async (t) => {
  const printed = new EventTarget()
  const admin = await startAdminServer(t, {
    async 'POST /try'(response) {
      const seen = once(printed, 'out')
      response.write(line(GOOD).slice(0, 20))
      response.write(line(GOOD).slice(20))
      await within(5_000, 'the first leg is printed before there is a second', seen)
      response.end(line(BAD))
    },
  })
  const result = await callCli(['try', 'chat'], { url: admin.url, onOut: () => void printed.dispatchEvent(new Event('out')) })
  t.strictSame(result, {
    code: 1,
    out: `ok      openai/gpt-4o-mini                    first 412 ms, whole 530 ms     'OK then'
failed  groq/lama                             whole 12.3 s                   not_found (404)
1 of 2 legs answered
`,
    err: '',
  })
  t.strictSame(admin.received[0]?.body, { route: 'chat' })
})

t.test('of a preset, with --json a line a leg, and 0 if all answered', async (t) => {
  const admin = await startAdminServer(t, { 'POST /try': (response) => response.end(line(GOOD) + JSON.stringify(GOOD)) })
  const { url } = admin
  t.strictSame(await callCli(['try', 'chat', '--preset', 'local_only', '--json'], { url }), { code: 0, out: line(GOOD) + line(GOOD), err: '' })
  t.strictSame(admin.received[0]?.body, { route: 'chat', preset: 'local_only' })
})

t.test('a long answer is broken to the width of a terminal', async (t) => {
  const admin = await startAdminServer(t, { 'POST /try': (response) => response.end(line({ ...GOOD, answer: 'word '.repeat(16) })) })
  const { out } = await callCli(['try', 'chat'], { url: admin.url, columns: 60, env: { NO_COLOR: '1' } })
  t.strictSame(out.split('\n').filter((text) => text.length > 60), [])
  t.equal(out.match(/word/g)?.length, 16)
})

t.test('says what a trial that ends badly came to, with the legs that were tried', async (t) => {
  const rows: [string, boolean, number, string][] = [
    [line({ error: { code: 'internal_error', message: 'it broke off' } }), true, 3, 'understudy: it broke off\n'],
    ['<html>\n', true, 3, 'understudy: @ answered with something that is no JSON; is it where adminMiddleware is mounted?\n'],
    [line({ leg: 1 }), true, 3, 'understudy: @ answered with something that is none of the control surface (provider: Invalid input: expected string, received undefined); is it where adminMiddleware is mounted?\n'],
    ['', false, 3, 'understudy: @ cannot be used: the connection was cut\n'],
  ]
  const admin = await startAdminServer(t, {})
  for (const [more, ends, code, said] of rows) {
    admin.answers = {
      'POST /try': (response) => {
        response.write(line(GOOD) + more)
        if (ends) response.end()
        else setImmediate(() => response.socket?.destroy())
      },
    }
    const result = await callCli(['try', 'chat'], { url: admin.url })
    t.strictSame([result.code, result.err.replace(admin.url, '@')], [code, said])
    if (ends) t.match(result.out, /^ok {6}openai\/gpt-4o-mini [^\n]*\n$/)
  }
  admin.answers = { 'POST /try': (response) => response.end() }
  t.match(await callCli(['try', 'chat'], { url: admin.url }), { code: 1, err: 'understudy: chat has no leg that could be tried\n' })
})

t.test('a misspelt route is answered with the nearest one, before anything is tried', async (t) => {
  const admin = await startAdminServer(t, {
    'POST /try': [404, { error: { code: 'unknown_route', message: "no route is called 'caht'" } }],
    'GET /status': [200, { routes: [{ name: 'chat', chain: {} }] }],
  })
  t.match(await callCli(['try', 'caht'], { url: admin.url }), { code: 1, err: "understudy: no route is called 'caht' (did you mean 'chat'?)\n" })
})

t.test('the time limit is for each leg, not for all of them', async (t) => {
  const admin = await startAdminServer(t, {
    'POST /try'(response) {
      let legs = 0
      const timer = setInterval(() => {
        legs += 1
        response.write(line(GOOD))
        if (legs < 4) return
        clearInterval(timer)
        if (response.req.headers['x-hang'] === undefined) response.end()
      }, 400)
    },
  })
  const { url } = admin
  t.match(await callCli(['try', 'chat', '--timeout', '1s'], { url }), { code: 0, out: /4 of 4 legs answered/ })
  t.match(await callCli(['try', 'chat', '--timeout', '1s', '--header', 'x-hang: 1'], { url }), { code: 3, err: `understudy: ${url} cannot be used: no answer within 1 s\n` })
})

t.test('a signal ends it, and the server sees that nobody waits any more', async (t) => {
  const controller = new AbortController()
  let gone: Promise<unknown> | undefined
  const admin = await startAdminServer(t, {
    'POST /try'(response) {
      gone = once(response, 'close')
      response.write(line(GOOD))
    },
  })
  const result = await callCli(['try', 'chat'], { url: admin.url, signal: controller.signal, onOut: () => controller.abort('SIGINT') })
  t.match(result, { code: 130, out: /^ok {6}openai/, err: 'understudy: interrupted\n' })
  await within(5_000, 'the connection is closed', gone ?? Promise.reject(new Error('nothing was asked')))
})
