import { createFallback } from '@understudy/http'
import t from 'tap'

import { createAdmin } from '../src/index.js'
import { chat, mounted, post, ROUTES } from './mounted.js'

async function get(url: string) {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, body: await response.json() as Record<string, unknown> }
}

t.test('every request is refused without authorize, and where it gives no clear yes', async (t) => {
  const answers: unknown[] = [undefined, null, false, true, 'ann', [], { actor: 7 }, { actor: ' ' },
    { refuse: 'stop' }, { ok: false }, { allowed: false }, { actor: 'ann', allowed: false }, new Error('no'), new Map(), new Response('no'),
  ]
  for (const given of answers) {
    const { url, close } = await mounted({ authorize: () => given as undefined })
    for (const path of ['/', '/status', '/events', '/history', '/drills']) {
      const response = await fetch(url + path)
      t.equal(response.status, 403, `${String(given)}: ${path}`)
      t.notMatch(await response.text(), /canary/)
    }
    t.match(await post(`${url}/pin`, {}), { status: 403, body: { error: { code: 'forbidden' } } })
    await close()
  }
  const bare = createFallback(ROUTES)
  const admin = createAdmin(bare)
  const request = { method: 'GET', path: '/status', query: '', headers: {}, atRoot: false, signal: new AbortController().signal }
  const answer = await admin.handle({ ...request, readBody: () => Promise.reject(new Error('unread')) }, { whole: '/admin/status', host: undefined })
  t.equal(answer.status, 403)
  t.match(Buffer.from(answer.body as Uint8Array).toString(), /until it is given the option authorize/)
  await bare.close()
  for (const authorize of [() => { throw new Error('canary') }, () => Promise.reject(new Error('canary'))]) {
    const { url, close } = await mounted({ authorize })
    t.match(await post(`${url}/pin`, {}), { status: 403, body: { error: { message: 'authorize did not let this request in' } } })
    await close()
  }
})

t.test('authorize is given the request under the mount, and the request as its host has it', async (t) => {
  const seen: unknown[] = []
  const { url, close } = await mounted({
    authorize(request, req) {
      seen.push([request.method, request.path, request.query, request.headers['x-token'], req.originalUrl, 'readBody' in request])
      return request.headers['x-token'] === 'right' ? { actor: 'bob' } : undefined
    },
  })
  const response = await fetch(`${url}/history?limit=3`, { headers: { 'x-token': 'right' } })
  t.equal(response.status, 200)
  t.strictSame(seen, [['GET', '/history', 'limit=3', 'right', '/admin/history?limit=3', false]])
  await close()
})

t.test('a pin, an unpin, a revert and a restore are made, and stand in the history with actor and reason', async (t) => {
  const { url, fallback, close } = await mounted()
  const first = await post(`${url}/pin`, { route: 'chat', preset: 'local_only', for_ms: 60_000, reason: 'first is slow', expected_version: 0 })
  t.strictSame(first, { status: 200, body: { version: 1, previous_version: 0 } })
  t.match(await get(`${url}/status`), {
    status: 200,
    body: { routes: [{ name: 'chat', chain: { preset: 'local_only', by: 'ann', reason: 'first is slow', version: 1, marking: 'degraded' } }] },
  })
  t.strictSame(await post(`${url}/unpin`, { route: 'chat', reason: 'over' }), { status: 200, body: { version: 2, previous_version: 1 } })
  t.strictSame(await post(`${url}/revert`, { route: 'chat', reason: 'not over' }), { status: 200, body: { version: 3, previous_version: 2 } })
  t.equal(fallback.snapshot().routes[0]?.chain.preset, 'local_only')
  t.strictSame(await post(`${url}/restore`, { version: 2, reason: 'as it was', actor: 'not read' }), { status: 200, body: { version: 4, previous_version: 3 } })
  const { body } = await get(`${url}/history?route=chat&limit=10`)
  t.strictSame(
    (body.entries as { version: number; actor: string; reason: string }[]).map(({ version, actor, reason }) => [version, actor, reason]),
    [[4, 'ann', 'as it was'], [3, 'ann', 'not over'], [2, 'ann', 'over'], [1, 'ann', 'first is slow']],
  )
  await close()
})

t.test('what is wrong with a body is said in words, with what was probably meant', async (t) => {
  const { url, close } = await mounted()
  const said = async (path: string, body: unknown) => ((await post(`${url}${path}`, body)).body as { error: { message: string } }).error.message
  const before = 'the body is not what this call takes: '
  t.strictSame([
    await said('/pin', { route: 'chat', presett: 'x', reason: 'r' }),
    await said('/pin', { route: 'chat', preset: 'x', reason: 'r', for_ms: 999_999_999 }),
    await said('/drills', { route: 'chat', fault: 'fial', share: 2, for_ms: 18_000_000, max_requests: 3, reason: 'r' }),
    await said('/refresh', { more: 1 }),
    await said('/restore', []),
  ], [
    `${before}preset is missing; it must be the name of a preset; presett is not known here; did you mean 'preset'?`,
    `${before}for_ms is 999999999; it must be a time in milliseconds, a whole number from 1 to 604800000 (7 days)`,
    `${before}fault must be one of fail, cut, stall, corrupt; share is 2; it must be a part of the requests, over 0 and at most 1; `
      + 'for_ms is 18000000; it must be a time in milliseconds, a whole number from 1 to 3600000 (an hour)',
    `${before}more is not known here`,
    `${before}it must be a JSON object`,
  ])
  await close()
})

t.test('what is wrong with a call is said by code', async (t) => {
  const { url, close } = await mounted()
  const pin = { route: 'chat', preset: 'local_only', reason: 'why' }
  const cases: [string, unknown, number, string][] = [
    ['/pin', { ...pin, reason: ' ' }, 400, 'invalid_request'],
    ['/pin', { ...pin, more: 1 }, 400, 'invalid_request'],
    ['/pin', { ...pin, for_ms: 8 * 24 * 3_600_000 }, 400, 'invalid_request'],
    ['/pin', { ...pin, route: 'other' }, 404, 'unknown_route'],
    ['/pin', { ...pin, preset: 'other' }, 404, 'unknown_preset'],
    ['/pin', { ...pin, expected_version: 9 }, 409, 'version_conflict'],
    ['/restore', { version: 9, reason: 'why' }, 404, 'unknown_version'],
    ['/revert', { route: 'chat', reason: 'why' }, 409, 'nothing_to_revert'],
    ['/try', { route: 'other' }, 404, 'unknown_route'],
    ['/refresh', [], 400, 'invalid_request'],
  ]
  for (const [path, body, status, code] of cases) t.match(await post(url + path, body), { status, body: { error: { code } } }, `${path} ${code}`)
  t.match(await post(`${url}/pin`, { ...pin, expected_version: 9 }), { body: { error: { actual_version: 0 } } })
  t.match(await post(`${url}/pin`, { ...pin, reason: 7 }), { body: { error: { issues: [{ path: 'reason' }] } } })
  t.match(await post(`${url}/pin`, pin, { 'content-type': 'text/plain' }), { status: 415, body: { error: { code: 'unsupported_media_type' } } })
  t.match(await post(`${url}/pin`, { ...pin, reason: 'x'.repeat(70_000) }), { status: 413, body: { error: { code: 'too_large' } } })
  t.match(await post(`${url}/status`, {}), { status: 405 })
  t.match(await get(`${url}/history?limit=x`), { status: 400 })
  t.equal((await fetch(`${url}/nothing`)).status, 404)
  t.match(await get(`${url}/status`), { body: { routes: [{ chain: { version: 0 } }] } }, 'nothing was changed')
  await close()
})

t.test('a change from a page of another origin is refused; a CLI says neither', async (t) => {
  const { url, close } = await mounted()
  const body = { route: 'chat', preset: 'local_only', reason: 'why' }
  const { host } = new URL(url)
  const refused: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' },
  ]
  for (const headers of refused) t.match(await post(`${url}/pin`, body, headers), { status: 403, body: { error: { code: 'cross_origin' } } })
  const { request } = await import('node:http')
  const send = (headers: Record<string, string>) => new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${url}/pin`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
  t.equal(await send({ origin: 'http://elsewhere.example' }), 403)
  t.equal(await send({ origin: 'null' }), 403)
  t.equal(await send({ origin: `http://${host}` }), 200)
  t.equal(await send({}), 200)
  await close()
})

t.test('the body says who where authorize leaves that open', async (t) => {
  const { url, fallback, close } = await mounted({ authorize: () => ({}) })
  const body = { route: 'chat', preset: 'local_only', reason: 'why' }
  t.match(await post(`${url}/pin`, body), { status: 400, body: { error: { code: 'invalid_request', message: /actor/ } } })
  t.match(await post(`${url}/pin`, { ...body, actor: 'carl' }), { status: 200 })
  t.equal(fallback.snapshot().routes[0]?.chain.by, 'carl')
  await close()
})

t.test('without a source that can be written a change is 501, and after the close 503', async (t) => {
  const { url, fallback, close } = await mounted({ options: { chains: undefined } })
  const body = { route: 'chat', preset: 'local_only', reason: 'why' }
  t.match(await post(`${url}/pin`, body), { status: 501, body: { error: { code: 'no_writable_source' } } })
  await fallback.close()
  t.match(await post(`${url}/pin`, body), { status: 503, body: { error: { code: 'closed' } } })
  await close()
})

t.test('a trial is a line for each leg', async (t) => {
  const { url, close } = await mounted()
  const response = await fetch(`${url}/try`, {
    method: 'POST', headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }, body: JSON.stringify({ route: 'chat' }),
  })
  t.equal(response.headers.get('content-type'), 'application/x-ndjson')
  const lines = (await response.text()).trimEnd().split('\n').map((line) => JSON.parse(line) as object)
  t.match(lines, [
    { provider: 'first', model: 'first', ok: true, answer: 'first answers', total_ms: Number },
    { provider: 'second', ok: true },
  ])
  await close()
})

t.test('runs, failovers and failures are counted, by route, leg and minute', async (t) => {
  const { fails, says } = await import('./mounted.js')
  const { url, fallback, close } = await mounted({ routes: { chat: [fails('first'), says('second')] }, options: { chains: undefined } })
  await chat(fallback)
  await chat(fallback)
  await new Promise((resolve) => setImmediate(resolve))
  const { body } = await get(`${url}/status`)
  const counts = {
    routes: [{ route: 'chat', runs: 2, failovers: 2, failed: 0 }],
    legs: [
      { route: 'chat', leg: 'first/first', attempts: 2, failures: 2, failovers: 2 },
      { route: 'chat', leg: 'second/second', attempts: 2, failures: 0, failovers: 0 },
    ],
  }
  t.match(body, { counts, minutes: [counts] })
  await close()
})

t.test('the events are a stream that begins with a status, brings what happens, and ends with the Fallback', async (t) => {
  const { url, fallback, close } = await mounted()
  const response = await fetch(`${url}/events?types=chain-applied`)
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const first = await reader.read()
  t.match(first.value, /^event: status\ndata: \{"routes":/)
  await post(`${url}/pin`, { route: 'chat', preset: 'local_only', reason: 'why' })
  let heard = ''
  while (!/"preset":"local_only","presets"/.test(heard)) heard += (await reader.read()).value
  t.match(heard, /event: chain-applied\ndata: \{"type":"chain-applied",/)
  await fallback.close()
  for (;;) if ((await reader.read()).done) break
  await close()
})

t.test('no prompt, key or header is in any answer', async (t) => {
  const { fails, says } = await import('./mounted.js')
  const { url, fallback, close } = await mounted({
    routes: { chat: [fails('first'), { provider: 'openai', model: 'gpt-4o-mini' }, says('second', 'canary-answer')] },
    options: {
      chains: undefined,
      providers: { openai: { dialect: 'openai', baseURL: 'http://127.0.0.1:9/v1', apiKey: 'canary-key', headers: { 'x-canary': 'canary-header' } } },
    },
  })
  const response = await fetch(`${url}/events`)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let heard = (await reader.read()).value ?? ''
  await chat(fallback, { text: 'canary-prompt', headers: { authorization: 'Bearer canary-caller' } })
  while (!heard.includes('event: run-end')) heard += (await reader.read()).value
  for (const path of ['/status', '/history', '/drills', '/']) heard += await (await fetch(url + path)).text()
  t.match(heard, /attempt-failure/)
  t.notMatch(heard, /canary/)
  await reader.cancel()
  await close()
})
