import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import OpenAI from 'openai'
import t from 'tap'
import type { Part } from '@understudy/core'
import { openai } from '@understudy/dialects'
import { replay } from '../replay.js'

const OPTIONS = { id: 'fallback-id', created: 7 }

const ANSWER: readonly Part[] = [
  { type: 'start', id: 'msg-1', model: 'claude', created: 5 },
  { type: 'reasoning', text: 'hm' },
  { type: 'text', text: 'Hel' },
  { type: 'text', text: 'lo \u20ac\ud83d\ude00' },
  { type: 'tool-call', index: 0, id: 'c0', name: 'f', arguments: '' },
  { type: 'tool-call', index: 1, id: 'c1', name: 'g', arguments: '{"y":' },
  { type: 'tool-call', index: 0, arguments: '{}' },
  { type: 'tool-call', index: 1, arguments: '2}' },
  { type: 'usage', usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1 } },
  { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
  { type: 'usage', usage: { outputTokens: 9, reasoningTokens: 2 } },
  { type: 'end' },
]

function encode(parts: readonly Part[], includeUsage = true, model?: string): Buffer {
  const encoder = openai.createStreamEncoder({ ...OPTIONS, model, includeUsage })
  return Buffer.concat([encoder.push(parts) ?? Buffer.alloc(0), encoder.end()])
}

t.test('a role opener, deltas, the finish, usage on request, one terminator', async (t) => {
  const head = '"id":"fallback-id","object":"chat.completion.chunk","created":7,"model":"leg"'
  const event = (choices: string, usage: string) => `data: {${head},"choices":[${choices}]${usage}}\n\n`
  const choice = (delta: string, finish: string) => `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}`
  const parts: readonly Part[] = [{ type: 'text', text: 'a' }, { type: 'usage', usage: { inputTokens: 1 } }, { type: 'finish', reason: 'stop', raw: 'end_turn' }]
  const expected = (usage: string) => [choice('{"role":"assistant","content":""}', 'null'), choice('{"content":"a"}', 'null'), choice('{}', '"stop"')].map((value) => event(value, usage)).join('')
  t.equal(encode(parts, false, 'leg').toString(), `${expected('')}data: [DONE]\n\n`)
  t.equal(
    encode(parts, true, 'leg').toString(),
    `${expected(',"usage":null')}${event('', ',"usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}')}data: [DONE]\n\n`,
  )
})

t.test('what build of the model answered is kept, in a document and in the stream that is made of one', async (t) => {
  const document = { id: 'cc-A', object: 'chat.completion', created: 5, model: 'm', system_fingerprint: 'fp_1', choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] }
  const { parts } = openai.decodeResponse(Buffer.from(JSON.stringify(document)), { status: 200 })
  t.match(parts[0], { type: 'start', systemFingerprint: 'fp_1' })
  t.match(openai.encodeResponse(parts, OPTIONS), { system_fingerprint: 'fp_1' })
  const chunks = encode(parts, false).toString().split('\n\n').filter((line) => line.startsWith('data: {'))
  t.equal(chunks.length, 3)
  for (const line of chunks) t.match(JSON.parse(line.slice(6)), { id: 'cc-A', system_fingerprint: 'fp_1' })
  const inStream = replay([Buffer.from(JSON.stringify(document, undefined, 2))])
  t.match(inStream.bytes, /"system_fingerprint":"fp_1","choices"/)
})

t.test('a document has the choices that came, and one where none did', async (t) => {
  const indexes = (parts: readonly Part[]) => (openai.encodeResponse(parts, OPTIONS)['choices'] as { index: number }[]).map(({ index }) => index)
  t.strictSame(indexes([{ type: 'text', text: 'b', choice: 1 }]), [1])
  t.strictSame(indexes([{ type: 'end' }]), [0])
})

t.test('an answer that only ends gets no finish reason', async (t) => {
  t.equal(encode([{ type: 'end' }]).toString(), 'data: [DONE]\n\n')
})

t.test('a choice is opened when it first says something, and ends even where nobody said why', async (t) => {
  const brief = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('latin1').split('\n\n').filter((line) => line.startsWith('data: {')).map((line) => {
    const { choices } = JSON.parse(line.slice(6)) as { choices: readonly [{ index: number, delta: Readonly<Record<string, unknown>>, finish_reason: string | null }] }
    const [{ index, delta, finish_reason: finish }] = choices
    return `${index} ${Object.keys(delta).join(' ')}${finish ?? ''}`
  })
  const start: Part = { type: 'start', id: 'a', model: 'm' }
  const called: Part = { type: 'tool-call', index: 0, id: 'c', name: 'f', arguments: '{}' }
  const end: Part = { type: 'end' }
  const second: readonly Part[] = [start, { type: 'text', text: 'b', choice: 1 }, { type: 'finish', reason: 'stop', choice: 1 }, end]
  t.strictSame(brief(encode(second, false)), ['1 role content', '1 content', '1 stop'])
  t.strictSame(brief(encode([start, { type: 'text', text: 'a' }, called, { type: 'text', text: 'b', choice: 1 }, end], false)), [
    '0 role content', '0 content', '0 tool_calls', '1 role content', '1 content', '0 tool_calls', '1 stop',
  ])
  const whole = (parts: readonly Part[]) => (openai.encodeResponse(parts, OPTIONS)['choices'] as { finish_reason: string }[])[0]?.finish_reason
  t.strictSame([whole([start, { type: 'text', text: 'a' }, end]), whole([start, called, end])], ['stop', 'tool_calls'])
  const document = { id: 'a', choices: [{ index: 0, message: { content: 'a' } }], usage: { prompt_tokens: 1 } }
  t.strictSame(brief(replay([Buffer.from(JSON.stringify(document, undefined, 2))]).bytes), ['0 role content', '0 content', '0 stop'])
})

t.test('errors say nothing in a stream; the failure event does', async (t) => {
  const encoder = openai.createStreamEncoder({ ...OPTIONS, includeUsage: true })
  t.equal(encoder.push([{ type: 'end' }, { type: 'media' }]), undefined)
  const failed = openai.encodeStreamFailure({ status: 502, type: 'upstream_error', code: 'stream_truncated', message: 'the answer was cut' })
  t.equal(Buffer.from(failed).toString(), 'data: {"error":{"message":"the answer was cut","type":"upstream_error","code":"stream_truncated"}}\n\n')
})

t.test('a failure envelope names what is given', async (t) => {
  const error = { status: 502, type: 'upstream_error', code: 'all_legs_failed', message: 'm', param: 'p', failures: [{ model: 'x' }], attempts: 2, requestId: 'r' }
  t.strictSame(openai.encodeFailure(error).body, {
    error: { message: 'm', type: 'upstream_error', code: 'all_legs_failed', param: 'p', failures: [{ model: 'x' }] },
    attempts: 2,
    request_id: 'r',
  })
})

const filled = fc.string({ minLength: 1, unit: 'binary' })
const tokens = fc.nat(100_000)
const deltaPart: fc.Arbitrary<Part> = fc.oneof(
  filled.map((value): Part => ({ type: 'text', text: value })),
  filled.map((value): Part => ({ type: 'reasoning', text: value })),
  filled.map((value): Part => ({ type: 'refusal', text: value })),
  fc.tuple(fc.constantFrom(1, 2), filled).map(([choice, value]): Part => ({ type: 'text', text: value, choice })),
)
const calls = fc.array(fc.tuple(filled, fc.array(filled, { maxLength: 3 })), { maxLength: 3 }).map((list) =>
  list.flatMap(([name, pieces], index): Part[] => [
    { type: 'tool-call', index, id: `call-${index}`, name, arguments: '' },
    ...pieces.map((piece): Part => ({ type: 'tool-call', index, arguments: piece })),
  ]),
)
const finish = fc.constantFrom<Part>(
  { type: 'finish', reason: 'stop', raw: 'stop' },
  { type: 'finish', reason: 'length', raw: 'length' },
  { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' },
  { type: 'finish', reason: 'content_filter', raw: 'content_filter' },
  { type: 'finish', reason: 'unknown', raw: 'paused' },
)
const usage = fc.tuple(tokens, tokens, tokens, tokens, tokens).map(
  ([inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens]): Part => ({
    type: 'usage',
    usage: { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens },
  }),
)
const answer = fc.tuple(fc.array(deltaPart, { maxLength: 8 }), calls, finish, usage).map(([deltas, toolCalls, last, counted]): Part[] => [
  { type: 'start', id: 'a-1', model: 'm', created: 3 },
  ...deltas,
  ...toolCalls,
  last,
  // Each choice that has begun ends.
  ...[1, 2].filter((choice) => deltas.some((part) => 'choice' in part && part.choice === choice)).map((choice): Part => ({ type: 'finish', reason: 'stop', raw: 'stop', choice })),
  counted,
  { type: 'end' },
])

t.test('parts come back from a stream as they went in', async (t) => {
  fc.assert(
    fc.property(answer, (parts) => {
      t.strictSame(replay([encode(parts)], { look: false }).parts, parts)
      t.strictSame(replay([encode(parts)], { forward: 'parts' }).parts, parts)
    }),
    { numRuns: 150 },
  )
})

/** The parts of an answer as one document has them: joined, in the order of their kinds, choice by choice. */
function joined(parts: readonly Part[]): unknown {
  const texts = new Map<string, string>()
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning' || part.type === 'refusal') {
      const key = `${part.choice ?? 0} ${part.type}`
      texts.set(key, (texts.get(key) ?? '') + part.text)
    }
    if (part.type === 'tool-call') {
      const key = `call ${part.index}`
      texts.set(key, `${texts.get(key) ?? ''}${part.id ?? ''}${part.name ?? ''}${part.arguments}`)
    }
  }
  const others = parts.filter(({ type }) => type === 'start' || type === 'finish' || type === 'usage' || type === 'end')
  return { texts: Object.fromEntries([...texts].sort()), others }
}

t.test('parts come back from a document, joined', async (t) => {
  fc.assert(
    fc.property(answer, (parts) => {
      const body = Buffer.from(JSON.stringify(openai.encodeResponse(parts, OPTIONS)))
      t.strictSame(joined(openai.decodeResponse(body, { status: 200 }).parts), joined(parts))
    }),
    { numRuns: 150 },
  )
})

t.test("the vendor's client reads both", async (t) => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { stream } = JSON.parse(Buffer.concat(chunks).toString()) as { stream?: boolean }
      response.setHeader('content-type', stream === true ? 'text/event-stream' : 'application/json')
      response.end(stream === true ? encode(ANSWER) : JSON.stringify(openai.encodeResponse(ANSWER, OPTIONS)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'hi' }]
  const expected = {
    id: 'msg-1',
    model: 'claude',
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Hello \u20ac\ud83d\ude00',
          tool_calls: [
            { id: 'c0', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'c1', type: 'function', function: { name: 'g', arguments: '{"y":2}' } },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 },
  }
  const streamed = client.chat.completions.stream({ model: 'm', messages, stream_options: { include_usage: true } })
  t.match(await streamed.finalChatCompletion(), expected)
  t.match(await client.chat.completions.create({ model: 'm', messages }), expected)
})
