import t from 'tap'
import { failureOf, type FailureKind, type Part } from '@understudy/core'
import { openai } from '@understudy/dialects'

function decode(value: unknown): readonly Part[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return openai.decodeResponse(Buffer.from(text), { status: 200 }).parts
}

const START: Part = { type: 'start', id: 'x', model: 'm', created: 1 }
const END: Part = { type: 'end' }
const STOP: Part = { type: 'finish', reason: 'stop', raw: 'stop' }
const answer = (message: unknown, finish: unknown = 'stop', more: Readonly<Record<string, unknown>> = {}) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message, finish_reason: finish }],
  ...more,
})

const ANSWERS: readonly (readonly [string, unknown, readonly Part[]])[] = [
  ['text', answer({ content: 'a' }, 'stop', { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }), [START, { type: 'text', text: 'a' }, STOP, { type: 'usage', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }, END]],
  ['an empty message has no content part', answer({ role: 'assistant', content: '' }), [START, STOP, END]],
  ['null content', answer({ content: null }), [START, STOP, END]],
  ['no message', answer(null), [START, STOP, END]],
  ['no finish reason', answer({ content: 'a' }, null), [START, { type: 'text', text: 'a' }, END]],
  ['tool calls with the same id', answer({ content: null, tool_calls: [{ id: 'null', function: { name: 'f', arguments: '{"x":1}' } }, { id: 'null', function: { name: 'f', arguments: '{"y":2}' } }] }), [START, { type: 'tool-call', index: 0, id: 'null', name: 'f', arguments: '{"x":1}' }, { type: 'tool-call', index: 1, id: 'null', name: 'f', arguments: '{"y":2}' }, STOP, END]],
  ['tool calls beside null', answer({ content: null, tool_calls: [{ id: 'c0', type: 'function', function: { name: 'f', arguments: '{}' } }, { id: 'c1', type: 'function', function: { name: 'g', arguments: '[]' } }] }, 'tool_calls'), [START, { type: 'tool-call', index: 0, id: 'c0', name: 'f', arguments: '{}' }, { type: 'tool-call', index: 1, id: 'c1', name: 'g', arguments: '[]' }, { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' }, END]],
  ['a refusal', answer({ content: null, refusal: 'no' }), [START, { type: 'refusal', text: 'no' }, STOP, END]],
  ['reasoning', answer({ content: 'a', reasoning_content: 'r' }), [START, { type: 'reasoning', text: 'r' }, { type: 'text', text: 'a' }, STOP, END]],
  ['audio', answer({ content: null, audio: { id: 'a', data: 'AA', transcript: 't' } }), [START, { type: 'media' }, STOP, END]],
  ['images', answer({ content: '', images: [{ type: 'image_url' }] }), [START, { type: 'media' }, STOP, END]],
  ['a byte-order mark', `\ufeff${JSON.stringify(answer({ content: 'a' }))}`, [START, { type: 'text', text: 'a' }, STOP, END]],
]

t.test('a whole answer as parts', async (t) => {
  for (const [name, value, parts] of ANSWERS) t.strictSame(decode(value), parts, name)
})

const FAILURES: readonly (readonly [string, unknown, FailureKind, number?])[] = [
  ['null', 'null', 'malformed'],
  ['a number', '42', 'malformed'],
  ['a string', '"s"', 'malformed'],
  ['nothing', '', 'malformed'],
  ['a page', '<!doctype html>', 'malformed'],
  ['cut JSON', '{"choices":[', 'malformed'],
  ['no choices', { id: 'x', model: 'm', usage: { total_tokens: 0 } }, 'malformed'],
  ['null choices', { choices: null }, 'malformed'],
  ['empty choices', { choices: [] }, 'malformed'],
  ['choices of nulls', { choices: [null] }, 'malformed'],
  ['an error', { error: { message: 'Rate limited', code: 429 } }, 'rate_limit', 429],
  ['an error as a string', { error: 'busy' }, 'server_error'],
  ['an error in a list', [{ error: { code: 503 } }], 'server_error', 503],
  ['an error beside an answer', answer({ content: 'a' }, 'stop', { error: { code: 502 } }), 'server_error', 502],
  ['an error as a finish reason', answer({ content: 'a' }, 'error'), 'server_error'],
  ['an error in the choice', { choices: [{ message: { content: 'a' }, error: { code: 429, message: 'x' } }] }, 'rate_limit', 429],
]

t.test('what is no answer is one error part', async (t) => {
  for (const [name, value, kind, status] of FAILURES) {
    const [part, ...more] = decode(value)
    t.strictSame(more, [], name)
    t.strictSame(
      part?.type === 'error' && { ...part.failure },
      { ...failureOf(kind, status === undefined ? {} : { status }) },
      name,
    )
  }
})

t.test('an answer that is passed on as bytes gives the same parts but for the characters of its texts', async (t) => {
  const answer = (content: string) => Buffer.from(JSON.stringify({
    id: 'c1',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  }))
  const read = (body: Uint8Array, isForwarded: boolean) => openai.decodeResponse(body, { status: 200, isForwarded }).parts
  const text = 'caf\u00e9 "\u65e5\u672c" \\ \u2028 \u{1f600}'
  const inBytes = Buffer.from(text).toString('latin1')
  t.strictSame(
    read(answer(text), true),
    read(answer(text), false).map((part) => (part.type === 'text' ? { ...part, text: inBytes } : part)),
  )
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), answer('plain')])
  t.strictSame(read(marked, true), read(marked, false))
  for (const body of ['{"error":{"message":"caf\u00e9 is closed","code":"overloaded"}}', 'caf\u00e9', '{"choices":[]}', '']) {
    t.strictSame(read(Buffer.from(body), true), read(Buffer.from(body), false), body)
  }
})
