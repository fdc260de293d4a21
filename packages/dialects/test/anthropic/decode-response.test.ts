import t from 'tap'
import { anthropic } from '@understudy/dialects'

function parts(body: unknown, isForwarded = false) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return anthropic.decodeResponse(Buffer.from(text), { status: 200, isForwarded }).parts
}

const MESSAGE = {
  id: 'msg_A',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'redacted_thinking', data: 'r' },
    { type: 'text', text: 'h\u00e9' },
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'server_tool_use', id: 'b', name: 'web_search', input: {} },
    { type: 'tool_use', id: 'c', name: 'g', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens: 4 },
}

t.test('a message as parts', async (t) => {
  const expected = [
    { type: 'start', id: 'msg_A', model: 'm' },
    { type: 'reasoning', text: 'hm', signature: 's' },
    { type: 'reasoning', text: '', redacted: 'r' },
    { type: 'text', text: 'h\u00e9' },
    { type: 'tool-call', index: 0, id: 'a', name: 'f', arguments: '{"x":1}' },
    { type: 'media' },
    { type: 'tool-call', index: 1, id: 'c', name: 'g', arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
    { type: 'usage', usage: { inputTokens: 6, outputTokens: 4, cachedInputTokens: 2, cacheWriteTokens: 3 } },
    { type: 'end' },
  ]
  t.strictSame(parts(MESSAGE), expected)
  t.strictSame(parts(`\ufeff${JSON.stringify(MESSAGE)}`), expected)
  t.strictSame(parts(MESSAGE, true).map(({ type }) => type), expected.map(({ type }) => type))
})

t.test('each reason to stop', async (t) => {
  const table = {
    end_turn: 'stop',
    stop_sequence: 'stop',
    pause_turn: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    refusal: 'content_filter',
    something_new: 'unknown',
  }
  for (const [word, reason] of Object.entries(table)) {
    t.strictSame(parts({ ...MESSAGE, content: [], stop_reason: word })[1], { type: 'finish', reason, raw: word })
  }
})

t.test('what is no message is one error', async (t) => {
  t.match(parts({ type: 'error', error: { type: 'overloaded_error', message: 'x' } }), [{ type: 'error', failure: { kind: 'overloaded' } }])
  t.match(parts({ error: { type: 'rate_limit_error' } }, true), [{ type: 'error', failure: { kind: 'rate_limit' } }])
  for (const body of ['null', '', '[]', '{}', '{"content":"x"}', '<html>']) {
    t.match(parts(body), [{ type: 'error', failure: { kind: 'malformed' } }], body)
  }
})
