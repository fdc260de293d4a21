import t from 'tap'
import { maskCredentials } from '../src/mask-credentials.js'

const MASKED: readonly (readonly [string, string])[] = [
  ['Incorrect API key provided: sk-proj-abcdef123456.', 'sk-proj-abcdef123456'],
  ['Bearer abc.def.ghi is invalid', 'abc.def.ghi'],
  ['GET https://host/v1?key=AIzaSyA1234567890abcdefghij&alt=sse', 'AIzaSyA1234567890abcdefghij'],
  ['?key=short1&x=1', 'short1'],
  ['api_key: "hunter2"', 'hunter2'],
  ['key gsk_abcdefghijklmnop was revoked', 'gsk_abcdefghijklmnop'],
  ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'eyJhbGciOiJIUzI1NiJ9'],
  ['hash 0123456789abcdef0123456789abcdef', '0123456789abcdef0123456789abcdef'],
  ['AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
]

const KEPT = [
  "This model's maximum context length is 8192 tokens. However, you requested 8203 tokens.",
  'The model accounts/fireworks/models/llama-v3p1-405b-instruct does not exist',
  'request id 123e4567-e89b-12d3-a456-426614174000',
  'Invalid value for max_completion_tokens: 100000',
]

t.test('credentials are masked', async (t) => {
  for (const [text, secret] of MASKED) {
    t.notMatch(maskCredentials(text), secret, text)
    t.match(maskCredentials(text), /\*\*\*/, text)
  }
})

t.test('what helps a reader is kept', async (t) => {
  for (const text of KEPT) t.equal(maskCredentials(text), text)
})
