import type { Part } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'
import { anthropic, gemini, openai, responses } from '@understudy/dialects'
import fc from 'fast-check'
import { deepStrictEqual } from 'node:assert'
import t from 'tap'

/** How each dialect says a text, a thought and a call, whole. */
const DOCUMENTS: readonly (readonly [DialectCodec, (text: string) => Record<string, unknown>])[] = [
  [openai, (text) => ({
    id: 'c1',
    choices: [{ index: 0, message: { content: text, reasoning_content: text, tool_calls: [{ id: 't', function: { name: 'f', arguments: text } }] }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 5 },
  })],
  [anthropic, (text) => ({
    type: 'message',
    id: 'm1',
    content: [{ type: 'thinking', thinking: text, signature: text }, { type: 'text', text }, { type: 'tool_use', id: 't', name: 'f', input: { text } }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 5 },
  })],
  [gemini, (text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text, thought: true }, { text }, { functionCall: { name: 'f', args: { text } } }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5 },
  })],
  [responses, (text) => ({
    id: 'r1',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
      { type: 'function_call', call_id: 't', name: 'f', arguments: text },
    ],
    usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
  })],
]

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
const read = (codec: DialectCodec, body: Uint8Array, isForwarded: boolean) => codec.decodeResponse(body, { status: 200, isForwarded })

/** The parts without what they say at length. */
const shapeOf = (parts: readonly Part[]) => parts.map((part) => {
  if (part.type === 'tool-call') return { ...part, arguments: part.arguments !== '' }
  return 'text' in part ? { ...part, text: part.text !== '', ...('signature' in part && { signature: true }) } : part
})

t.test('a long answer that is passed on as bytes gives the same parts, and none holds its texts', async (t) => {
  const long = `${'caf\u00e9 "\u65e5\u672c"\n'.repeat(2000)}`
  for (const [codec, documentOf] of DOCUMENTS) {
    const body = bytes(documentOf(long))
    const { parts } = read(codec, body, true)
    t.strictSame(shapeOf(parts), shapeOf(read(codec, body, false).parts), codec.name)
    const held = JSON.stringify(parts).length
    t.ok(held < 1000, `${codec.name}: ${held} characters are held of ${body.length}`)
  }
})

t.test('an error is said whole, however long', async (t) => {
  const message = 'caf\u00e9 '.repeat(2000)
  for (const [codec] of DOCUMENTS) {
    const body = bytes({ error: { message, type: 'server_error', code: 'overloaded', status: 'UNAVAILABLE' } })
    t.strictSame(read(codec, body, true), read(codec, body, false), codec.name)
    t.equal(read(codec, body, true).members, undefined)
  }
})

t.test('a list of many and a value that is deep are left as they are', async (t) => {
  const text = 'x'.repeat(2000)
  const logprobs = { content: Array.from({ length: 500 }, () => ({ token: text })) }
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const document = { choices: [{ index: 0, message: { content: text }, logprobs, deep: 'DEEP', finish_reason: 'stop' }] }
  const body = Buffer.from(JSON.stringify(document).replace('"DEEP"', deep))
  t.strictSame(shapeOf(read(openai, body, true).parts), shapeOf(read(openai, body, false).parts))
})

t.test('with the members that the reading named a field is put in as without them', async () => {
  const others = fc.dictionary(fc.constantFrom('a', 'u', 'u\n', '\u20ac', '__proto__', 'U', ''), fc.jsonValue(), { noNullPrototype: true })
  fc.assert(
    fc.property(fc.nat(DOCUMENTS.length - 1), others, fc.constantFrom('u', '\u20ac', 'x'), fc.constantFrom(0, 2), (which, object, key, indent) => {
      const [codec, documentOf] = DOCUMENTS[which] ?? [openai, () => ({})]
      const body = Buffer.from(JSON.stringify({ ...documentOf('Hi'), ...object }, undefined, indent))
      const { members } = read(codec, body, true)
      deepStrictEqual(members?.length, Object.keys({ ...documentOf('Hi'), ...object }).length)
      const told = (known?: readonly string[]) => Buffer.from(codec.withResponseField(body, key, '"told"', known)).toString()
      deepStrictEqual(told(members), told())
    }),
    { numRuns: 500 },
  )
})
