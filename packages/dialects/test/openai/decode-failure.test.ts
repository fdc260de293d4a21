import t from 'tap'
import type { FailureKind } from '@understudy/core'
import { openai } from '@understudy/dialects'

const NOW = Date.UTC(2026, 0, 1)

function decode(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return openai.decodeFailure({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body), now: NOW })
}

const STATUSES: readonly (readonly [number, FailureKind])[] = [
  [400, 'invalid_request'],
  [401, 'auth_error'],
  [402, 'auth_error'],
  [403, 'auth_error'],
  [404, 'not_found'],
  [405, 'server_error'],
  [408, 'timeout'],
  [409, 'server_error'],
  [413, 'invalid_request'],
  [415, 'invalid_request'],
  [422, 'invalid_request'],
  [424, 'server_error'],
  [425, 'server_error'],
  [429, 'rate_limit'],
  [498, 'server_error'],
  [500, 'server_error'],
  [502, 'server_error'],
  [503, 'server_error'],
  [504, 'server_error'],
  [520, 'server_error'],
  [529, 'overloaded'],
  [598, 'server_error'],
  [302, 'server_error'],
]

t.test('a status alone decides when the body says nothing', async (t) => {
  const bodies = ['', '<html><title>502</title>', '{', 'null', '[]', '{"error":{"message":"synthetic failure","type":"server_error","code":null}}']
  for (const [status, kind] of STATUSES) {
    for (const body of bodies) t.match(decode(status, body), { kind, status }, `${status} ${body}`)
  }
})

const error = (message: string, more: Readonly<Record<string, unknown>> = {}) => ({ error: { message, ...more } })

const BODIES: readonly (readonly [string, number, unknown, FailureKind, string?])[] = [
  ['OpenAI, context', 400, error("This model's maximum context length is 128000 tokens.", { type: 'invalid_request_error', code: 'context_length_exceeded' }), 'context_length', 'context_length_exceeded'],
  ['vLLM, context', 400, { object: 'error', message: "This model's maximum context length is 8192 tokens. However, you requested 8203 tokens (7691 in the messages, 512 in the completion).", type: 'BadRequestError', code: 400 }, 'context_length', 'BadRequestError'],
  ['DeepSeek, context', 400, error("This model's maximum context length is 65536 tokens. However, you requested 120846 tokens.", { type: 'invalid_request_error', code: 'invalid_request_error' }), 'context_length', 'invalid_request_error'],
  ['Mistral, context', 400, { object: 'error', message: 'Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length', type: 'invalid_request_error', code: '3051' }, 'context_length', '3051'],
  ['Groq, context', 400, error('Please reduce the length of the messages or completion.', { type: 'invalid_request_error', code: 'context_length_exceeded' }), 'context_length', 'context_length_exceeded'],
  ['llama.cpp, context', 400, error('request (42947 tokens) exceeds the available context size (8192 tokens), try increasing it', { code: 400, type: 'exceed_context_size_error' }), 'context_length', 'exceed_context_size_error'],
  ['LM Studio, context', 400, { error: 'Input length 1581 exceeds context length 1500' }, 'context_length'],
  ['xAI, context', 400, { code: 'Client specified an invalid argument', error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens." }, 'context_length'],
  ['Anthropic behind a gateway, context', 400, error('prompt is too long: 210000 tokens > 200000 maximum', { type: 'invalid_request_error' }), 'context_length', 'invalid_request_error'],
  ['Qwen, context', 400, error('Range of input length should be [1, 30720]', { code: 'invalid_parameter_error' }), 'context_length', 'invalid_parameter_error'],
  ['context in a 500', 500, error('the context length was exceeded: context window exceeded'), 'context_length'],
  ['Azure, content filter', 400, error("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", { type: null, param: 'prompt', code: 'content_filter', status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } }), 'content_filter', 'content_filter'],
  ['Azure, inner code only', 400, error('no', { innererror: { code: 'ResponsibleAIPolicyViolation' } }), 'content_filter', 'ResponsibleAIPolicyViolation'],
  ['OpenAI, policy', 400, error('Your request was rejected', { code: 'content_policy_violation' }), 'content_filter', 'content_policy_violation'],
  ['OpenRouter, moderation', 403, error('google/x requires moderation. Your input was flagged', { code: 403, metadata: { reasons: ['violence'] } }), 'content_filter'],
  ['DeepSeek, content', 400, error('Content Exists Risk', { type: 'invalid_request_error', code: 'invalid_request_error' }), 'content_filter', 'invalid_request_error'],
  ['Qwen, content', 400, error('x', { code: 'data_inspection_failed' }), 'content_filter', 'data_inspection_failed'],
  ['OpenAI, no quota', 429, error('You exceeded your current quota, please check your plan and billing details.', { type: 'insufficient_quota', code: 'insufficient_quota' }), 'auth_error', 'insufficient_quota'],
  ['Google, its rate limit uses the same words', 429, [{ error: { code: 429, message: 'You exceeded your current quota, please check your plan and billing details.', status: 'RESOURCE_EXHAUSTED' } }], 'rate_limit', 'RESOURCE_EXHAUSTED'],
  ['a rate limit that speaks of credit', 429, error('No credits left in this minute'), 'rate_limit'],
  ['no credit as 400', 400, error('Your credit balance is too low to access the API.', { type: 'invalid_request_error' }), 'auth_error', 'invalid_request_error'],
  ['DeepSeek, no balance', 402, error('Insufficient Balance', { type: 'unknown_error', code: 'invalid_request_error' }), 'auth_error', 'invalid_request_error'],
  ['a bad key as 400', 400, error('API key not valid. Please pass a valid API key.', { code: 400, status: 'INVALID_ARGUMENT' }), 'auth_error', 'INVALID_ARGUMENT'],
  ['Groq, request over the tokens a minute', 413, error('Request too large for model on tokens per minute (TPM)', { type: 'tokens', code: 'rate_limit_exceeded' }), 'rate_limit', 'rate_limit_exceeded'],
  ['OpenAI, unknown model', 404, error('The model `x` does not exist', { type: 'invalid_request_error', code: 'model_not_found' }), 'not_found', 'model_not_found'],
  ['Azure, deployment', 404, error('x', { code: 'DeploymentNotFound' }), 'not_found', 'DeploymentNotFound'],
  ['DeepSeek, model', 400, error('Model Not Exist', { type: 'invalid_request_error' }), 'not_found', 'invalid_request_error'],
  ['OpenRouter, model', 400, error('foo/bar is not a valid model ID', { code: 400 }), 'not_found'],
  ['Ollama, model', 404, { error: "model 'x' not found" }, 'not_found'],
  ['Groq, decommissioned', 400, error('x', { code: 'model_decommissioned' }), 'not_found', 'model_decommissioned'],
  ['Groq, failed tool call', 400, error('x', { code: 'tool_use_failed', type: 'invalid_request_error' }), 'server_error', 'tool_use_failed'],
  ['Moonshot, overloaded', 429, error('The engine is currently overloaded', { type: 'engine_overloaded_error' }), 'rate_limit', 'engine_overloaded_error'],
  ['a plain bad request', 400, error("Unknown parameter: 'foo'.", { type: 'invalid_request_error', code: 'unknown_parameter' }), 'invalid_request', 'unknown_parameter'],
  ['FastAPI, validation', 422, { detail: [{ loc: ['body', 'messages'], msg: 'field required', type: 'missing' }] }, 'invalid_request', 'missing'],
]

t.test('a vendor says more than its status', async (t) => {
  for (const [name, status, body, kind, code] of BODIES) {
    const failure = decode(status, body)
    t.equal(failure.kind, kind, name)
    t.equal(failure.code, code, `${name}: code`)
    t.equal(failure.status, status, `${name}: status`)
  }
})

t.test('headers add waits, advice and ids', async (t) => {
  t.match(decode(503, '', { 'retry-after-ms': '250', 'x-should-retry': 'false', 'x-request-id': 'req_1' }), { retryAfterMs: 250, shouldRetry: false, providerRequestId: 'req_1' })
  t.match(decode(503, '', { 'x-should-retry': 'TRUE', 'apim-request-id': 'a' }), { shouldRetry: true, providerRequestId: 'a' })
  t.strictSame(decode(503, '', { 'retry-after': 'soon', 'x-should-retry': 'perhaps', 'request-id': 'a b' }), { kind: 'server_error', processed: 'maybe', status: 503 })
})

t.test("the vendor's words are masked, bounded and never enumerated", async (t) => {
  const secret = 'sk-proj-Abc123Def456Ghi789'
  const failure = decode(401, error(`Incorrect API key provided: ${secret}. ${'\u20ac'.repeat(1000)}`))
  t.notMatch(failure.providerMessage, secret)
  t.match(failure.providerMessage, /^Incorrect API key provided: \*\*\*/)
  t.ok(Buffer.byteLength(failure.providerMessage ?? '') <= 2048)
  t.notMatch(failure.providerMessage, /\ufffd/)
  t.notMatch(JSON.stringify(failure), 'Incorrect')
  t.equal(decode(502, '<html>edge</html>').providerMessage, undefined)
})

t.test('a code keeps to its alphabet and length', async (t) => {
  t.equal(decode(400, error('x', { code: `a"<>b${'c'.repeat(100)}` })).code, `ab${'c'.repeat(62)}`)
  t.equal(decode(400, error('x', { code: 'two words' })).code, undefined)
})

t.test('a hostile body is read within bounds', async (t) => {
  const depth = 100_000
  t.match(decode(500, `${'{"error":'.repeat(depth)}1${'}'.repeat(depth)}`), { kind: 'server_error' })
  t.match(decode(500, { error: { __proto__: null, constructor: 1, toString: 2, errors: Array(10_000).fill({ code: 'x' }) } }), { kind: 'server_error' })
  const start = performance.now()
  decode(400, error('context '.repeat(200_000)))
  decode(400, error('a1-'.repeat(200_000)))
  t.ok(performance.now() - start < 2_000, 'long messages cost little')
})
