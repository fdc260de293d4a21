import t from 'tap'
import { bedrock } from '@understudy/dialects'

function parts(body: unknown) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return bedrock.decodeResponse(bytes, { status: 200 }).parts
}

function answer(content: unknown, more: object = {}) {
  return { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', ...more }
}

t.test('a whole answer is its blocks in order, then why it ended and what was counted', async (t) => {
  const content = [
    { reasoningContent: { reasoningText: { text: 'hm', signature: 's1' } } },
    { reasoningContent: { redactedContent: 'UkVE' } },
    { text: 'a \u00e9' },
    { citationsContent: { content: [{ text: 'cited' }, { text: ' twice' }], citations: [{}] } },
    { toolUse: { toolUseId: 't1', name: 'f', input: { x: [1] } } },
    { toolUse: { toolUseId: 't2', name: 'g' } },
    { cachePoint: { type: 'default' } },
    { image: { format: 'png', source: { bytes: 'AA==' } } },
  ]
  const usage = { inputTokens: 9, outputTokens: 4, totalTokens: 20, cacheReadInputTokens: 5, cacheWriteInputTokens: 2 }
  t.strictSame(parts(answer(content, { stopReason: 'tool_use', usage, metrics: { latencyMs: 1 } })), [
    { type: 'start' },
    { type: 'reasoning', text: 'hm', signature: 's1' },
    { type: 'reasoning', text: '', redacted: 'RED' },
    { type: 'text', text: 'a \u00e9' },
    { type: 'text', text: 'cited twice' },
    { type: 'tool-call', index: 0, id: 't1', name: 'f', arguments: '{"x":[1]}' },
    { type: 'tool-call', index: 1, id: 't2', name: 'g', arguments: '{}' },
    { type: 'media' },
    { type: 'finish', reason: 'tool_calls', raw: 'tool_use' },
    { type: 'usage', usage: { inputTokens: 16, outputTokens: 4, totalTokens: 20, cachedInputTokens: 5, cacheWriteTokens: 2 } },
    { type: 'end' },
  ])
})

t.test('every reason to stop has its word', async (t) => {
  const rows = {
    end_turn: 'stop', stop_sequence: 'stop', tool_use: 'tool_calls', max_tokens: 'length', model_context_window_exceeded: 'length',
    content_filtered: 'content_filter', guardrail_intervened: 'content_filter', later: 'unknown',
  }
  for (const [raw, reason] of Object.entries(rows)) {
    t.strictSame(parts(answer([{ text: 'x' }], { stopReason: raw })).at(-2), { type: 'finish', reason, raw })
  }
  const stopped = answer([{ text: 'x' }], { stopReason: 'stop_sequence', additionalModelResponseFields: { stop_sequence: 'END' } })
  t.match(parts(stopped).at(-2), { stopSequence: 'END' })
  t.match(parts(answer([], { stopReason: 'malformed_tool_use' })), [{ type: 'error', failure: { kind: 'server_error', code: 'malformed_tool_use' } }])
})

t.test('what is no answer is a failure with its kind', async (t) => {
  for (const body of ['null', '[]', '', '<html>', {}, { output: {} }, { output: { message: { content: 'x' } } }]) {
    t.match(parts(body), [{ type: 'error', failure: { kind: 'malformed' } }], JSON.stringify(body))
  }
  t.match(parts({ message: 'Too many requests' }), [{ type: 'error', failure: { kind: 'server_error', providerMessage: 'Too many requests' } }])
  t.match(parts({ Message: 'Input is too long' }), [{ type: 'error', failure: { kind: 'context_length' } }])
  t.match(parts({ error: { code: 429, message: 'slow' } }), [{ type: 'error', failure: { kind: 'rate_limit', status: 429 } }])
  t.strictSame(parts(answer([])).map(({ type }) => type), ['start', 'finish', 'end'], 'an answer without output is for the core to judge')
})
