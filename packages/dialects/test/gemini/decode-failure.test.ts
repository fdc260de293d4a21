import t from 'tap'
import { gemini } from '@understudy/dialects'

const NOW = Date.parse('2026-01-01T00:00:00Z')

function failure(status: number, word: string, message = 'x', details: readonly unknown[] = [], headers = {}) {
  // As the vendor writes it, over several lines.
  const body = JSON.stringify({ error: { code: status, message, status: word, details } }, null, 2)
  return gemini.decodeFailure({ status, headers, body, now: NOW })
}

const RETRY = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '22s' }

function quota(quotaId: string) {
  return { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaMetric: 'requests', quotaId, quotaValue: '250' }] }
}

function reason(word: string) {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: word, domain: 'googleapis.com' }
}

t.test('each status of https://ai.google.dev/gemini-api/docs/troubleshooting is a kind', async (t) => {
  const table: readonly (readonly [status: number, word: string, kind: string])[] = [
    [400, 'INVALID_ARGUMENT', 'invalid_request'],
    [400, 'FAILED_PRECONDITION', 'auth_error'],
    [400, 'OUT_OF_RANGE', 'invalid_request'],
    [401, 'UNAUTHENTICATED', 'auth_error'],
    [403, 'PERMISSION_DENIED', 'auth_error'],
    [404, 'NOT_FOUND', 'not_found'],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limit'],
    [499, 'CANCELLED', 'server_error'],
    [500, 'INTERNAL', 'server_error'],
    [503, 'UNAVAILABLE', 'server_error'],
    [504, 'DEADLINE_EXCEEDED', 'server_error'],
    [418, 'NEW_STATUS', 'server_error'],
  ]
  for (const [status, word, kind] of table) t.match(failure(status, word), { kind, status, code: word }, `${status} ${word}`)
})

t.test('a status may mean something else', async (t) => {
  const table: readonly (readonly [status: number, message: string, reason: string | undefined, kind: string])[] = [
    [400, 'API key not valid. Please pass a valid API key.', 'API_KEY_INVALID', 'auth_error'],
    [400, 'x', 'API_KEY_INVALID', 'auth_error'],
    [400, 'API key expired. Please renew the API key.', undefined, 'auth_error'],
    [400, 'User location is not supported for the API use.', undefined, 'auth_error'],
    [403, 'x', 'SERVICE_DISABLED', 'auth_error'],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', undefined, 'context_length'],
    [400, 'Unable to submit: the input context is too long', undefined, 'context_length'],
    [503, 'The model is overloaded. Please try again later.', undefined, 'overloaded'],
    [503, 'This model is currently experiencing high demand.', undefined, 'overloaded'],
    [429, 'The model is overloaded.', undefined, 'rate_limit'],
    [400, 'Request blocked due to safety settings', undefined, 'content_filter'],
    [400, 'Invalid value at contents', undefined, 'invalid_request'],
  ]
  for (const [status, message, word, kind] of table) {
    t.equal(failure(status, 'INVALID_ARGUMENT', message, word === undefined ? [] : [reason(word)]).kind, kind, `${status} ${message}`)
  }
})

t.test('the wait is what RetryInfo says, and a quota of a day is not back in seconds', async (t) => {
  const wait = (details: readonly unknown[], headers = {}) => failure(429, 'RESOURCE_EXHAUSTED', 'x', details, headers).retryAfterMs
  t.equal(wait([quota('GenerateRequestsPerMinutePerProjectPerModel'), RETRY]), 22_000)
  t.equal(wait([{ retryDelay: '1.5s' }]), 1_500)
  t.equal(wait([{ retryDelay: { seconds: '3', nanos: 5e8 } }]), 3_500)
  t.equal(wait([{ retryDelay: '36000s' }]), 300_000)
  t.equal(wait([quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), RETRY]), 300_000)
  t.equal(wait([RETRY], { 'retry-after': '2' }), 2_000, 'a header says it nearer')
  for (const odd of [[], [{ retryDelay: 'soon' }], [{ retryDelay: -1 }], ['x', null], 'x']) t.equal(wait(odd as unknown[]), undefined)
})

t.test('the field at fault is the one that BadRequest names', async (t) => {
  const param = (field: unknown) => failure(400, 'INVALID_ARGUMENT', 'x', [{ fieldViolations: [{ field }] }]).param
  t.equal(param('contents[0].parts'), 'contents[0].parts')
  for (const odd of ['a secret text', 1, undefined, 'sk-ant-REDACTED']) t.equal(param(odd), undefined)
})

t.test('an error of any shape is one', async (t) => {
  const of = (status: number, body: unknown) =>
    gemini.decodeFailure({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body), now: NOW })
  t.match(of(429, [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [RETRY] } }]), { kind: 'rate_limit', retryAfterMs: 22_000 })
  t.match(of(400, { error: { code: '400', status: 3, message: ['x'] } }), { kind: 'invalid_request', status: 400 })
  t.match(of(400, [{ error: { details: [reason('API_KEY_INVALID')] } }]), { kind: 'auth_error' })
  t.match(of(503, '<html>'), { kind: 'server_error', status: 503 })
  t.match(of(500, ''), { kind: 'server_error' })
  t.match(of(401, 'null'), { kind: 'auth_error' })
})

t.test('the provider\'s words are masked and are in no enumeration', async (t) => {
  const key = `AIza${'SyA1b2C3d4E5'}`
  t.equal(failure(400, 'INVALID_ARGUMENT', `bad key ${key}`).providerMessage, 'bad key ***')
  t.notMatch(JSON.stringify(failure(400, 'INVALID_ARGUMENT', 'words')), 'words')
})
