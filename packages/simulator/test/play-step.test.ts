import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import t from 'tap'
import { HEALTHY_TEXT, startSimulator, type Step } from '../src/index.js'
import { eventsOf, exchange, streamed, textOf, whole, type ExchangeOptions } from './raw-client.js'

const simulator = await startSimulator()
t.teardown(() => simulator.close())

async function play(step: Step, options?: ExchangeOptions) {
  simulator.setScript({ models: { m: [step] } })
  return exchange(simulator, options)
}

const words = HEALTHY_TEXT.split(' ')
const firstWords = (count: number) => words.slice(0, count).map((word) => `${word} `).join('')

t.test('a healthy stream has a role opener, a word a chunk, a finish and [DONE]', async (t) => {
  const seen = await play({})
  t.equal(seen.headers['content-type'], 'text/event-stream; charset=utf-8')
  const events = eventsOf(seen)
  t.equal(events.length, 63)
  t.match(events[0], { id: 'chatcmpl-m-1', created: 1_700_000_000,
    choices: [{ delta: { role: 'assistant', content: '' } }] })
  t.match(events[61], { choices: [{ delta: {}, finish_reason: 'stop' }] })
  t.equal(events[62], '[DONE]')
  t.equal(textOf(seen), HEALTHY_TEXT)
  t.equal(seen.ended, 'complete')
})

t.test('each fault looks on the wire as it is called', async (t) => {
  const rows: [name: string, step: Step, ended: string, text: string, events: number][] = [
    ['reset', { fault: { do: 'reset', afterEvents: 41 } }, 'reset', firstWords(40), 41],
    ['close', { fault: { do: 'close', afterEvents: 41 } }, 'cut', firstWords(40), 41],
    ['end', { fault: { do: 'end', afterEvents: 41 } }, 'complete', firstWords(40), 41],
    ['stall', { fault: { do: 'stall', afterEvents: 21 } }, 'silent', firstWords(20), 21],
    ['stall at once', { fault: { do: 'stall' } }, 'silent', '', 0],
    ['reset at once', { fault: { do: 'reset' } }, 'reset', '', 0],
    ['beyond the end', { fault: { do: 'reset', afterEvents: 64 } }, 'complete', HEALTHY_TEXT, 63],
    ['error before content', { fault: { do: 'error_event' } }, 'complete', '', 1],
    ['error after content', { fault: { do: 'error_event', afterEvents: 3 } }, 'complete', firstWords(2), 4],
    ['error in passing', { fault: { do: 'error_event', afterEvents: 3, goOn: true } }, 'complete', HEALTHY_TEXT, 64],
    ['cut event', { fault: { do: 'malformed_event', afterEvents: 1 } }, 'complete', HEALTHY_TEXT.slice(4), 63],
    ['cut event with text', { fault: { do: 'malformed_text', afterEvents: 1 } }, 'complete', HEALTHY_TEXT.slice(4), 63],
    ['no [DONE]', { done: 0 }, 'complete', HEALTHY_TEXT, 62],
    ['two [DONE]', { done: 2 }, 'complete', HEALTHY_TEXT, 64],
    ['two finishes', { duplicateFinish: true }, 'complete', HEALTHY_TEXT, 64],
    ['late text', { lateText: '!' }, 'complete', `${HEALTHY_TEXT}!`, 64],
    ['junk before', { prefixJunk: ['data: null', 'data:'] }, 'complete', HEALTHY_TEXT, 65],
    ['comments', { comments: 'between' }, 'complete', HEALTHY_TEXT, 63],
    ['CRLF', { lineEnd: '\r\n' }, 'complete', HEALTHY_TEXT, 63],
    ['CR', { lineEnd: '\r' }, 'complete', HEALTHY_TEXT, 63],
    ['only [DONE]', { empty: 'done_only' }, 'complete', '', 1],
    ['no choices', { empty: 'no_choices' }, 'complete', '', 2],
    ['no content', { empty: 'no_content' }, 'complete', '', 3],
    ['zero bytes', { empty: 'bytes' }, 'complete', '', 0],
  ]
  for (const [name, step, ended, text, events] of rows) {
    const seen = await play(step, { deadlineMs: ended === 'silent' ? 150 : 5_000 })
    t.strictSame(
      { status: seen.statusLine, ended: seen.ended, text: textOf(seen), events: eventsOf(seen).length },
      { status: 'HTTP/1.1 200 OK', ended, text, events },
      name,
    )
  }
})

t.test('an error event says what the script says', async (t) => {
  const seen = await play({ fault: { do: 'error_event', error: { message: 'boom', code: 'x' } } })
  t.strictSame(eventsOf(seen), [{ error: { message: 'boom', type: 'server_error', param: null, code: 'x' } }])
})

t.test('an error in a stream is an event or bare, as its vendor writes it or as the script says', async (t) => {
  const paths = {
    openai: '/v1/chat/completions',
    anthropic: '/v1/messages',
    gemini: '/v1beta/models/m:streamGenerateContent',
    bedrock: '/model/m/converse-stream',
  }
  const seen = async (dialect: keyof typeof paths, bare?: boolean) => {
    const { body, ended } = await play({ fault: { do: 'error_event', bare } }, { path: paths[dialect] })
    t.equal(ended, 'complete')
    return body
  }
  const event = await seen('gemini', false)
  t.match(event, /^data: \{"error":\{"code":500,.*\}\}\n\n$/)
  t.equal(await seen('gemini'), event.slice('data: '.length))
  t.equal(await seen('gemini', true), await seen('gemini'))
  for (const dialect of ['openai', 'anthropic'] as const) {
    const usual = await seen(dialect)
    t.match(usual, /^data: /m)
    t.equal(await seen(dialect, false), usual)
    t.equal(await seen(dialect, true), usual.slice(usual.indexOf('{')), dialect)
  }
  t.match(await seen('bedrock', true), 'internalServerException', 'a frame stays a frame')
  const { body } = await play({ fault: { do: 'error_event', afterEvents: 1, bare: false, goOn: true } }, { path: paths.gemini })
  t.match(body, /^data: \{"candidates".*\n\ndata: \{"error".*\n\ndata: \{"candidates"/)
})

t.test('a corrupt event is cut before or after its text', async (t) => {
  const without = await play({ fault: { do: 'malformed_event', afterEvents: 1 } })
  t.equal(eventsOf(without)[1], '{"id":"c')
  const withText = await play({ fault: { do: 'malformed_text', afterEvents: 1 } })
  t.match(eventsOf(withText)[1], /"content":"The ".*\}\]$/)
})

t.test('connections fail before and after the headers', async (t) => {
  const before = await play({ connect: 'reset_before_headers' })
  t.strictSame([before.ended, before.reads], ['reset', []])
  const after = await play({ connect: 'reset_after_headers', status: 503 })
  t.strictSame([after.ended, after.statusLine, after.body], ['reset', 'HTTP/1.1 503 Service Unavailable', ''])
  const never = await play({ connect: 'accept_stall' }, { deadlineMs: 100 })
  t.strictSame([never.ended, never.reads], ['silent', []])
  await simulator.waitForNoSockets()
})

t.test('a JSON answer carries its length, also where it is cut', async (t) => {
  const healthy = await play({}, { body: whole })
  t.equal(healthy.ended, 'complete')
  t.match(JSON.parse(healthy.body), {
    object: 'chat.completion',
    choices: [{ message: { content: HEALTHY_TEXT }, finish_reason: 'stop' }],
    usage: { completion_tokens: 60 },
  })
  const cut = await play({ fault: { do: 'close', afterBytes: 100 } }, { body: whole })
  t.strictSame([cut.ended, cut.body], ['cut', healthy.body.slice(0, 100)])
  t.equal(cut.headers['content-length'], healthy.headers['content-length'])
  const short = await play({ fault: { do: 'end', afterBytes: 100 } }, { body: whole })
  t.strictSame([short.ended, short.body], ['complete', healthy.body.slice(0, 100)])
  const reset = await play({ fault: { do: 'reset', afterBytes: 100 } }, { body: whole })
  t.strictSame([reset.ended, reset.body], ['reset', healthy.body.slice(0, 100)])
})

t.test('statuses bring the vendor\'s error body, or the one the script gives', async (t) => {
  const rows: [Step, string, unknown][] = [
    [{ status: 429 }, 'application/json', { error: { code: 'rate_limit_exceeded' } }],
    [{ status: 500 }, 'application/json', { error: { type: 'server_error' } }],
    [{ status: 400, error: { code: 'context_length_exceeded', message: 'long' } }, 'application/json',
      { error: { message: 'long', type: 'invalid_request_error', code: 'context_length_exceeded' } }],
    [{ status: 502, body: { detail: 'no' } }, 'application/json', { detail: 'no' }],
  ]
  for (const [step, type, body] of rows) {
    const seen = await play(step)
    t.equal(seen.statusLine.split(' ')[1], String(step.status))
    t.equal(seen.headers['content-type'], type)
    t.match(JSON.parse(seen.body), body as object)
  }
  const text = await play({ status: 503, body: 'busy' })
  t.strictSame([text.headers['content-type'], text.body], ['text/plain; charset=utf-8', 'busy'])
  const page = await play({ html: true })
  t.match(page, { statusLine: 'HTTP/1.1 200 OK', headers: { 'content-type': 'text/html; charset=utf-8' },
    body: /^<!DOCTYPE html>/ })
})

t.test('headers of the script win, repeat, and are filled in', async (t) => {
  const seen = await play({
    status: 429,
    headers: { 'retry-after': '@http-date:+60s', 'content-type': 'text/event-stream', 'x-many': ['a', 'b'],
      'x-ms': 250 },
  })
  const waitMs = Date.parse(seen.headers['retry-after'] ?? '') - Date.now()
  t.ok(waitMs > 55_000 && waitMs <= 60_000, `waits ${waitMs} ms`)
  t.match(seen.headers, { 'content-type': 'text/event-stream', 'x-ms': '250', 'x-request-id': 'req-m-1' })
  t.equal(Buffer.concat(seen.reads.map(({ bytes }) => bytes)).toString().match(/x-many: \w/g)?.length, 2)
})

t.test('an answer comes in the shape that was not asked for', async (t) => {
  const json = await play({ jsonForStream: true })
  t.strictSame([json.headers['content-type'], JSON.parse(json.body).object], ['application/json', 'chat.completion'])
  const stream = await play({ streamForJson: true }, { body: whole })
  t.equal(textOf(stream), HEALTHY_TEXT)
  const mislabelled = await play({ contentType: 'text/plain' })
  t.strictSame([mislabelled.headers['content-type'], textOf(mislabelled)], ['text/plain', HEALTHY_TEXT])
})

t.test('waits before the headers, before the first event and between events', async (t) => {
  const late = await play({ delayMs: 80 })
  t.ok((late.reads[0]?.atMs ?? 0) >= 78, 'nothing before the delay')

  const early = await play({ headersFirst: true, firstEventDelayMs: 80 })
  t.match(early.reads[0]?.bytes.toString(), /^HTTP\/1\.1 200 OK/)
  t.notMatch(early.reads[0]?.bytes.toString(), /data:/)
  t.ok((early.reads[1]?.atMs ?? 0) - (early.reads[0]?.atMs ?? 0) >= 70, 'the first event waits')

  const held = await play({ firstEventDelayMs: 80 })
  t.ok((held.reads[0]?.atMs ?? 0) >= 78, 'without headersFirst the headers come with the first event')

  const paced = await play({ answer: { text: ['a', 'b', 'c'] }, eventDelayMs: 30 })
  t.ok(paced.reads.length >= 5, `${paced.reads.length} reads`)
  t.ok((paced.reads.at(-1)?.atMs ?? 0) >= 5 * 30 - 5, 'six events have five gaps')
})

t.test('splits the body into writes of a size, each its own packet', async (t) => {
  const seen = await play({ answer: { text: ['\u00e9\u20ac'] }, writeSize: 1 })
  t.equal(textOf(seen), '\u00e9\u20ac')
  const wire = Buffer.concat(seen.reads.map(({ bytes }) => bytes)).toString('latin1')
  const chunkSizes = new Set(wire.match(/\r\n[0-9a-f]+\r\n/g))
  t.strictSame([...chunkSizes].sort(), ['\r\n0\r\n', '\r\n1\r\n'])
  t.ok(seen.reads.length > seen.bodyBytes.length / 2, `${seen.reads.length} reads of ${seen.bodyBytes.length} bytes`)
})

t.test('trickles a body byte by byte until the caller leaves', async (t) => {
  const seen = await play({ status: 500, body: 'x'.repeat(1_000), trickle: { bytes: 1, everyMs: 20 } },
    { deadlineMs: 150 })
  t.equal(seen.ended, 'silent')
  t.ok(seen.body.length >= 3 && seen.body.length <= 8, `${seen.body.length} bytes in 150 ms`)
  t.match(await simulator.calls[0]?.closed, { by: 'client', complete: false })
})

t.test('starts with a byte order mark', async (t) => {
  const seen = await play({ bom: true })
  t.strictSame([...seen.bodyBytes.subarray(0, 4)], [0xef, 0xbb, 0xbf, 0x64])
})

t.test('compresses, flushed with each event', async (t) => {
  const decoders = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }
  for (const encoding of ['gzip', 'deflate', 'br'] as const) {
    const seen = await play({ compress: encoding, eventDelayMs: 0 })
    t.equal(seen.headers['content-encoding'], encoding)
    t.equal(textOf({ ...seen, body: decoders[encoding](seen.bodyBytes).toString() }), HEALTHY_TEXT)
  }
  const paced = await play({ compress: 'gzip', fault: { do: 'stall', afterEvents: 2 } }, { deadlineMs: 150 })
  t.ok(paced.bodyBytes.length > 50, 'the events before a stall are out')
})

t.test('plays byte scripts: text, bytes, repetition, numbers and each ending', async (t) => {
  const headers = { 'content-type': 'text/event-stream' }
  const numbered = await play({
    headers,
    number_chunks: true,
    chunks: [{ text: 'start ' }, { text: '<n>,', repeat: 3 }, { b64: Buffer.from([0xff]).toString('base64') },
      { text: '<n>' }],
  })
  t.strictSame([numbered.ended, numbered.bodyBytes.toString('latin1')], ['complete', 'start 0,1,2,\xff3'])
  t.equal(numbered.headers['content-type'], 'text/event-stream')

  const reset = await play({ headers, chunks: [{ text: 'data: 1\n\n' }, { text: '', delay_ms: 50, then: 'reset' }] })
  t.strictSame([reset.ended, reset.body], ['reset', 'data: 1\n\n'])

  const stall = await play({ headers, chunks: [{ text: '', then: 'stall' }] }, { deadlineMs: 100 })
  t.strictSame([stall.ended, stall.statusLine], ['silent', 'HTTP/1.1 200 OK'])

  const early = await play({ headers, chunks: [{ text: 'a', then: 'end' }, { text: 'b' }] })
  t.strictSame([early.ended, early.body], ['complete', 'a'])

  const slow = await play({ headers, chunks: [{ text: '', delay_ms: 60 }, { text: 'a', repeat: 3, every_ms: 30 }] })
  t.ok((slow.reads[0]?.atMs ?? 0) >= 58, 'the first delay holds the headers back')
  t.ok((slow.reads.at(-1)?.atMs ?? 0) >= 115, 'repetitions are paced')
  t.equal(slow.body, 'aaa')
})

t.test('fills in the length of a byte script', async (t) => {
  const seen = await play({ headers: { 'content-length': '@auto' },
    chunks: [{ text: 'ab', repeat: 2 }, { b64: 'AA==' }] })
  t.strictSame([seen.headers['content-length'], seen.ended], ['5', 'complete'])
  const lying = await play({ headers: { 'content-length': 9 }, chunks: [{ text: 'ab' }] })
  t.strictSame([lying.headers['content-length'], lying.ended, lying.body], ['9', 'cut', 'ab'])
})

t.test('a big repetition waits for a slow reader', async (t) => {
  simulator.setScript({ models: { m: [{ chunks: [{ text: 'x'.repeat(1_024), repeat: 20_000 }] }] } })
  const response = await fetch(`${simulator.url}/chat/completions`, { method: 'POST', body: JSON.stringify(streamed) })
  const call = await simulator.waitForCall('m', 1)
  const reader = response.body?.getReader()
  await reader?.read()
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.ok(call.bytesSent < 12_000_000, `${call.bytesSent} bytes sent to a stopped reader`)
  let length = 0
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) length += next.value.length
  t.ok(length > 10_000_000)
  t.match(await call.closed, { complete: true })
  t.equal(call.bytesSent, 20_480_000)
})

t.test('the vendor\'s refusals: unknown fields, wrong keys, a trailing assistant message', async (t) => {
  const strict = await play({ strict: true }, { body: { ...whole, foo: 1 } })
  t.match(strict, { statusLine: /400/, body: /Unknown parameter: 'foo'/ })
  t.match(await play({ strict: true }, { body: { model: 'm' } }), { statusLine: /400/, body: /messages/ })
  t.match(await play({ strict: true }), { statusLine: /200/ })
  t.match(await play({ apiKey: 'k' }), { statusLine: /401/, body: /did not provide/ })
  t.match(await play({ apiKey: 'k' }, { headers: { authorization: 'Bearer x' } }),
    { statusLine: /401/, body: /invalid_api_key/ })
  t.match(await play({ apiKey: 'k' }, { headers: { authorization: 'Bearer k' } }), { statusLine: /200/ })
  const body = { ...whole, messages: [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'half' }] }
  t.match(await play({ refuseTrailingAssistant: true }, { body }), { statusLine: /400/, body: /prefill/ })
})
