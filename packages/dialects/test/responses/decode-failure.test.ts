import t from 'tap'
import { responses } from '@understudy/dialects'

const failure = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  responses.decodeFailure({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body, null, 2), now: 0 })

t.test('errors mean what those of the same vendor\'s chat completions do', async (t) => {
  t.match(failure(429, { error: { message: 'x', code: 'rate_limit_exceeded' } }, { 'retry-after': '2' }), { kind: 'rate_limit', retryAfterMs: 2_000 })
  t.equal(failure(429, { error: { code: 'insufficient_quota' } }).kind, 'auth_error')
  t.match(failure(400, { error: { message: 'Unknown parameter: \'x\'.', param: 'x', code: 'unknown_parameter' } }), { kind: 'invalid_request', param: 'x' })
  t.equal(failure(400, { error: { code: 'context_length_exceeded' } }).kind, 'context_length')
  t.equal(failure(404, { error: { code: 'model_not_found' } }).kind, 'not_found')
  t.equal(failure(500, '<html></html>').kind, 'server_error')
})

t.test('codes that only a response has', async (t) => {
  t.equal(failure(400, { error: { code: 'previous_response_not_found', param: 'previous_response_id' } }).kind, 'not_found', 'another leg may hold it')
  t.equal(failure(400, { error: { code: 'image_content_policy_violation' } }).kind, 'content_filter')
  t.equal(failure(500, { error: { code: 'vector_store_timeout' } }).kind, 'server_error')
  t.equal(failure(500, { error: { code: 'invalid_image_url' } }).kind, 'invalid_request')
})

t.test('codes of odd types are read as far as they go', async (t) => {
  for (const code of [null, 400, '400', true, [], {}, ['x'], { code: 'x' }]) {
    t.equal(failure(400, { error: { message: 'x', code } }).kind, 'invalid_request', JSON.stringify(code))
  }
})
