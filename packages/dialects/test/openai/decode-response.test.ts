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
