import t from 'tap'
import { responses } from '@understudy/dialects'

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const parts = (value: unknown, isForwarded = false) => responses.decodeResponse(bytes(value), { status: 200, isForwarded }).parts

const WHOLE = {
  id: 'resp_A', object: 'response', created_at: 7, status: 'completed', model: 'm', error: null, incomplete_details: null,
  output: [
    { id: 'rs_A', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'gA' },
    { id: 'rs_B', type: 'reasoning', summary: [] },
    { id: 'msg_A', type: 'message', content: [{ type: 'output_text', text: 'gr\u00fc\u00df', annotations: [] }, { type: 'refusal', refusal: 'no' }] },
    { id: 'ws_A', type: 'web_search_call', status: 'completed' },
    { id: 'l', type: 'mcp_list_tools' },
    { id: 'fc_A', type: 'function_call', call_id: 'call_A', name: 'f', arguments: '{"a":1}' },
    { id: 'fc_B', type: 'function_call', call_id: 'call_B', name: 'g', arguments: { b: 2 } },
  ],
  usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 2 }, total_tokens: 15 },
}

t.test('a response is its items, its end and what was counted', async (t) => {
  t.strictSame(parts(WHOLE), [
    { type: 'start', id: 'resp_A', model: 'm', created: 7 },
    { type: 'reasoning', text: 'hm', signature: 'rs_A gA' },
    { type: 'reasoning', text: '', signature: 'rs_B' },
    { type: 'text', text: 'gr\u00fc\u00df' },
    { type: 'refusal', text: 'no' },
    { type: 'media' },
    { type: 'tool-call', index: 0, id: 'call_A', name: 'f', arguments: '{"a":1}' },
    { type: 'tool-call', index: 1, id: 'call_B', name: 'g', arguments: '{"b":2}' },
    { type: 'finish', reason: 'tool_calls', raw: 'completed' },
    { type: 'usage', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4, reasoningTokens: 2 } },
    { type: 'end' },
  ])
  t.equal(parts(WHOLE, true).length, parts(WHOLE).length)
})

t.test('why it ended', async (t) => {
  const finish = (more: object) => parts({ status: 'completed', output: [], ...more }).find(({ type }) => type === 'finish')
  t.strictSame(finish({}), { type: 'finish', reason: 'stop', raw: 'completed' })
  t.strictSame(finish({ status: undefined }), { type: 'finish', reason: 'stop', raw: 'completed' })
  t.strictSame(finish({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }), { type: 'finish', reason: 'length', raw: 'max_output_tokens' })
  t.strictSame(finish({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }), { type: 'finish', reason: 'content_filter', raw: 'content_filter' })
  t.strictSame(finish({ status: 'incomplete', incomplete_details: { reason: 'new' } }), { type: 'finish', reason: 'unknown', raw: 'new' })
  t.strictSame(finish({ status: 'incomplete' }), { type: 'finish', reason: 'unknown', raw: 'incomplete' })
  t.strictSame(parts({ id: 'r', status: 'queued', output: [] }).map(({ type }) => type), ['start', 'media', 'finish', 'end'], 'asked for in the background')
})

t.test('what is no answer is one error', async (t) => {
  const kind = (value: unknown, isForwarded = false) => {
    const [part, ...more] = parts(value, isForwarded)
    return part?.type === 'error' && more.length === 0 ? part.failure.kind : 'an answer'
  }
  t.equal(kind({ ...WHOLE, status: 'failed', error: { code: 'rate_limit_exceeded', message: 'x' } }), 'rate_limit')
  t.equal(kind({ ...WHOLE, status: 'failed' }), 'server_error')
  t.equal(kind({ ...WHOLE, status: 'cancelled' }), 'server_error')
  t.equal(kind({ error: { code: 'insufficient_quota' } }), 'auth_error')
  t.equal(kind({ error: { code: 'insufficient_quota' } }, true), 'auth_error')
  for (const value of ['', 'null', '[]', '"x"', '<html></html>', '{', {}, { output: 'x' }, { choices: [] }]) t.equal(kind(value), 'malformed', JSON.stringify(value))
})
