import t from 'tap'

import { chat, eventsOf, fallbackOf, jsonOf, post, providersOn, says, simulate, stream, textOf } from '../kit.js'

const METADATA = {
  served_model: 'b/two', requested_model: 'a/one', failover: { occurred: true, attempts: [{ model: 'a/one', status: 'failed' }, { model: 'b/two', status: 'served' }] },
}

t.test('an answer is wrapped: success, its own members, and the report as metadata', async (t) => {
  const simulator = await simulate(t, { models: { one: [{ status: 503 }] }, fallback: {} })
  const fallback = fallbackOf(t, { chat: ['a/one', 'b/two'] }, { providers: providersOn(simulator), envelope: 'classic' })
  const body = await jsonOf(await fallback.handle(chat()))
  t.match(body, { success: true, metadata: METADATA, object: 'chat.completion', choices: [{ message: {} }] })
  t.notOk('understudy' in body)
})

t.test('a stream is frames with a type: metadata first, chunks, usage, then the terminator', async (t) => {
  const simulator = await simulate(t, { models: { one: [{ status: 503 }] }, fallback: {} })
  const fallback = fallbackOf(t, { chat: ['a/one', 'b/two'], fixed: [says('fixed', 'Hi')] }, { providers: providersOn(simulator), envelope: 'classic' })
  for (const model of ['chat', 'fixed']) {
    const frames = eventsOf(await textOf(await fallback.handle(stream({ model, stream_options: { include_usage: true } }))))
    const types = frames.map((frame) => (frame === '[DONE]' ? frame : String(frame['type'])))
    t.equal(types[0], 'metadata')
    t.equal(types.at(-1), '[DONE]')
    t.strictSame(types.filter((type) => type === '[DONE]' || type === 'metadata').length, 2)
    if (model === 'chat') {
      t.match(frames[0], { data: METADATA })
      t.equal(types.at(-2), 'usage')
      t.type((frames.at(-2) as { data: { total_tokens: number } }).data.total_tokens, 'number')
    }
    const chunks = frames.flatMap((frame) => (frame !== '[DONE]' && frame['type'] === 'chunk' ? [frame['data']] : []))
    t.ok(chunks.length > 1)
    t.match(chunks, chunks.map(() => ({ object: 'chat.completion.chunk', choices: [{}] })))
  }
})

t.test('an answer that breaks off ends with one error frame and no terminator', async (t) => {
  const broken = { name: 'broken', async *open() { yield 'Hel'; throw new Error('x') } }
  const fallback = fallbackOf(t, { chat: [broken] }, { envelope: 'classic' })
  const frames = eventsOf(await textOf(await fallback.handle(stream({}, { headers: { 'x-request-id': 'r-1' } }))))
  t.match(frames.at(-1), { type: 'error', data: { code: /upstream_error|stream_truncated/, request_id: 'r-1' } })
  t.notOk(frames.includes('[DONE]'))
})

t.test('a chain that failed, and what never became a run', async (t) => {
  const simulator = await simulate(t, { fallback: { status: 503 } })
  const fallback = fallbackOf(t, { chat: ['a/one', 'b/two'] }, { providers: providersOn(simulator), envelope: 'classic' })
  const headers = { 'x-request-id': 'r-1' }
  const failed = await fallback.handle(chat({ models: ['a/one', 'b/two'] }, { headers }))
  t.equal(failed.status, 502)
  t.match(await jsonOf(failed), {
    success: false,
    error: 'All model attempts failed',
    message: 'All 2 model attempt(s) failed (last: b/two - overloaded)',
    request_id: 'r-1',
    attempts: [{ model: 'a/one', status: 'failed', reason: 'overloaded' }, { model: 'b/two' }],
  })
  t.strictSame(await jsonOf(await fallback.handle(post('{', { headers }))), {
    success: false, error: 'invalid_json', message: 'the body is not valid JSON (line 1, column 2)', request_id: 'r-1',
  })
})
