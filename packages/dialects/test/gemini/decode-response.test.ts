import t from 'tap'
import { gemini } from '@understudy/dialects'
import { recorded } from '../../../../test/kit/recorded.js'

function decoded(value: unknown, isForwarded = false) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return gemini.decodeResponse(Buffer.from(text), { status: 200, isForwarded }).parts
}

const ANSWER = {
  candidates: [{ content: { parts: [{ text: '\u00e9' }, { functionCall: { name: 'f', args: { a: '\u00e9' } } }], role: 'model' }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 5, toolUsePromptTokenCount: 2, candidatesTokenCount: 3, totalTokenCount: 10 },
  modelVersion: 'm',
  responseId: 'r',
}

t.test('an answer is its parts, then the end', async (t) => {
  t.strictSame(decoded(ANSWER), [
    { type: 'start', id: 'r', model: 'm' },
    { type: 'text', text: '\u00e9' },
    { type: 'tool-call', index: 0, name: 'f', arguments: '{"a":"\u00e9"}' },
    { type: 'finish', reason: 'tool_calls', raw: 'STOP' },
    { type: 'usage', usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } },
    { type: 'end' },
  ])
  t.strictSame(decoded(`\ufeff${JSON.stringify(ANSWER)}`, true).map(({ type }) => type), decoded(ANSWER).map(({ type }) => type))
})

t.test('a stream as a JSON array is one answer', async (t) => {
  const array = recorded('gemini/array.json')
  t.strictSame(decoded(array).map((part) => (part.type === 'text' ? part.text : part.type)), ['start', 'Good', 'usage', ' morning', 'finish', 'usage', 'end'])
})

t.test('what is no answer is a failure', async (t) => {
  const table: readonly (readonly [value: unknown, failure: object])[] = [
    [{ error: { code: 503, message: '\u00e9', status: 'UNAVAILABLE' } }, { kind: 'server_error', status: 503, providerMessage: '\u00e9' }],
    [[ANSWER, { error: { code: 429, message: 'x' } }], { kind: 'rate_limit', status: 429 }],
    [{ promptFeedback: { blockReason: 'SAFETY' } }, { kind: 'content_filter', code: 'SAFETY' }],
    [{ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }, { kind: 'server_error', code: 'MALFORMED_FUNCTION_CALL' }],
    [{}, { kind: 'malformed' }],
    [[], { kind: 'malformed' }],
    ['null', { kind: 'malformed' }],
    ['<html>', { kind: 'malformed' }],
    ['', { kind: 'malformed' }],
  ]
  for (const isForwarded of [false, true]) {
    for (const [value, failure] of table) {
      const parts = decoded(value, isForwarded)
      t.equal(parts.length, 1)
      t.match(parts[0], { type: 'error', failure }, JSON.stringify(value))
    }
  }
})

t.test('an answer without output has no content part', async (t) => {
  t.strictSame(decoded({ candidates: [], usageMetadata: { promptTokenCount: 1 } }).map(({ type }) => type), ['usage', 'end'])
  t.strictSame(decoded({ candidates: [{ finishReason: 'MAX_TOKENS' }] }).map(({ type }) => type), ['start', 'finish', 'end'])
})
