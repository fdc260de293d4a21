import t from 'tap'
import { anthropic } from '@understudy/dialects'

const NOW = Date.parse('2026-01-01T00:00:00Z')

function failure(status: number, type: string, message = 'x', more: Readonly<Record<string, unknown>> = {}) {
  const body = JSON.stringify({ type: 'error', error: { type, message, ...more }, request_id: 'req_A' })
  return anthropic.decodeFailure({ status, headers: { 'request-id': 'req_B', 'retry-after': '2' }, body, now: NOW })
}

t.test('each type of https://platform.claude.com/docs/en/api/errors is a kind', async (t) => {
  const table: readonly (readonly [status: number, type: string, kind: string])[] = [
    [400, 'invalid_request_error', 'invalid_request'],
    [401, 'authentication_error', 'auth_error'],
    [402, 'billing_error', 'auth_error'],
    [403, 'permission_error', 'auth_error'],
    [404, 'not_found_error', 'not_found'],
    [413, 'request_too_large', 'invalid_request'],
    [429, 'rate_limit_error', 'rate_limit'],
    [500, 'api_error', 'server_error'],
    [504, 'timeout_error', 'server_error'],
    [529, 'overloaded_error', 'overloaded'],
    [503, 'overloaded_error', 'overloaded'],
    [429, 'overloaded_error', 'rate_limit'],
    [418, 'new_error', 'server_error'],
  ]
  for (const [status, type, kind] of table) {
    t.match(failure(status, type), { kind, status, code: type, retryAfterMs: 2_000, providerRequestId: 'req_B' }, `${status} ${type}`)
  }
})

t.test('a 400 may mean something else', async (t) => {
  const table: readonly (readonly [message: string, kind: string])[] = [
    ['prompt is too long: 210000 tokens > 200000 maximum', 'context_length'],
    ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 'context_length'],
    ['Your credit balance is too low to access the Anthropic API.', 'auth_error'],
    ['You have reached your specified API usage limits. You will regain access on 2026-02-01.', 'auth_error'],
    ['This organization has been disabled.', 'auth_error'],
    ['Output blocked by content filtering policy', 'content_filter'],
    ['messages: first message must use the "user" role', 'invalid_request'],
    ['max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens', 'invalid_request'],
  ]
  for (const [message, kind] of table) t.equal(failure(400, 'invalid_request_error', message).kind, kind, message)
  t.equal(failure(400, 'invalid_request_error', 'x', { details: { error_code: 'organization_on_hold' } }).kind, 'auth_error')
  t.equal(failure(429, 'rate_limit_error', 'prompt is too long').kind, 'rate_limit', 'a plain status is believed')
})

t.test('a body that is no error says nothing', async (t) => {
  const of = (status: number, body: string) => anthropic.decodeFailure({ status, headers: {}, body, now: NOW })
  t.match(of(529, '<html>'), { kind: 'overloaded', status: 529 })
  t.match(of(500, ''), { kind: 'server_error' })
  t.match(of(401, 'null'), { kind: 'auth_error' })
})

t.test('the provider\'s words are masked and are in no enumeration', async (t) => {
  const { providerMessage } = failure(401, 'authentication_error', 'bad key sk-ant-REDACTED')
  t.equal(providerMessage, 'bad key ***')
  t.notMatch(JSON.stringify(failure(401, 'authentication_error', 'words')), 'words')
})
