import t from 'tap'
import { anthropicOnBedrock, bedrock } from '@understudy/dialects'

function failure(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}, codec = bedrock) {
  return codec.decodeFailure({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body), now: 0 })
}

const errorType = (name: string) => ({ 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` })

t.test('an error is known by its name, wherever that stands, and then by its status', async (t) => {
  const rows = [
    [429, 'ThrottlingException', 'rate_limit'],
    [429, 'ModelNotReadyException', 'rate_limit'],
    [400, 'ServiceQuotaExceededException', 'rate_limit'],
    [403, 'AccessDeniedException', 'auth_error'],
    [403, 'UnrecognizedClientException', 'auth_error'],
    [403, 'InvalidSignatureException', 'auth_error'],
    [400, 'ExpiredTokenException', 'auth_error'],
    [400, 'IncompleteSignatureException', 'auth_error'],
    [404, 'ResourceNotFoundException', 'not_found'],
    [408, 'ModelTimeoutException', 'timeout'],
    [424, 'ModelErrorException', 'server_error'],
    [500, 'InternalServerException', 'server_error'],
    [503, 'ServiceUnavailableException', 'server_error'],
    [400, 'ValidationException', 'invalid_request'],
  ] as const
  for (const [status, name, kind] of rows) {
    t.match(failure(status, { message: 'x' }, errorType(name)), { kind, status, code: name }, `${name} in a header`)
    t.match(failure(status, { __type: `com.amazon.coral#${name}`, message: 'x' }), { kind, status, code: name }, `${name} in the body`)
    t.equal(failure(status, { message: 'x' }, errorType(name), anthropicOnBedrock as typeof bedrock).kind, kind, `${name} of another vendor's model`)
  }
  for (const [status, kind] of [[400, 'invalid_request'], [401, 'auth_error'], [404, 'not_found'], [429, 'rate_limit'], [500, 'server_error'], [529, 'overloaded']] as const) {
    t.equal(failure(status, '<html>').kind, kind, String(status))
  }
})

t.test('a sentence tells what a validation means', async (t) => {
  const rows = [
    ['Input is too long for requested model.', 'context_length'],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'context_length'],
    ['The model returned the following errors: Input tokens exceeded: input exceeds the maximum number of input tokens', 'context_length'],
    ['The provided model identifier is invalid.', 'not_found'],
    ['Invocation of model ID x with on-demand throughput isn\u2019t supported. Retry your request with the ID or ARN of an inference profile', 'not_found'],
    ['The text field in the ContentBlock object is blank.', 'invalid_request'],
  ] as const
  for (const [message, kind] of rows) t.equal(failure(400, { message }, errorType('ValidationException')).kind, kind, message)
  t.equal(failure(429, { message: 'Too many tokens, please wait before trying again.' }, errorType('ThrottlingException')).kind, 'rate_limit')
  t.equal(failure(403, { Message: 'The security token included in the request is expired' }).kind, 'auth_error')
})

t.test('it carries the provider\'s id of the request, its wait and its words', async (t) => {
  const headers = { ...errorType('ThrottlingException'), 'x-amzn-requestid': 'id-1', 'retry-after': '3' }
  t.match(failure(429, { message: 'slow' }, headers), { providerRequestId: 'id-1', retryAfterMs: 3_000, providerMessage: 'slow' })
  t.equal(failure(400, { Message: 'capital' }).providerMessage, 'capital')
  t.equal(failure(400, { message: 'x' }, { 'x-amzn-errortype': 'no name!' }).code, undefined)
})
