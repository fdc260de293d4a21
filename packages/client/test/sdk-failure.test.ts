import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import t from 'tap'

import { anthropic, openai } from '@understudy/dialects'
import { sdkDialectOf } from '../src/sdk-dialect.js'
import type { SdkDialect } from '../src/sdk-dialect.js'
import { failureOfThrown } from '../src/sdk-failure.js'

const OPENAI = sdkDialectOf(new OpenAI({ apiKey: 'key' })) as SdkDialect
const ANTHROPIC = sdkDialectOf(new Anthropic({ apiKey: 'key' })) as SdkDialect
const NOW = Date.UTC(2030, 0, 1)

t.test('a client speaks the dialect of its package', async (t) => {
  t.equal(OPENAI.codec, openai)
  t.equal(ANTHROPIC.codec, anthropic)
  for (const value of [undefined, {}, { post() {} }, { chat: { completions: { create() {} } } }]) t.equal(sdkDialectOf(value), undefined)
})

t.test('an answer that the SDK threw is read as its dialect reads it, headers too', async (t) => {
  const headers = new Headers({ 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT', 'x-request-id': 'req-1', 'x-should-retry': 'false' })
  const limited = OpenAI.APIError.generate(429, { error: { message: 'slow', code: 'rate_limit_exceeded' } }, undefined, headers)
  t.strictSame({ ...failureOfThrown(limited, OPENAI, NOW) }, {
    kind: 'rate_limit',
    processed: 'no',
    status: 429,
    code: 'rate_limit_exceeded',
    retryAfterMs: 7_000,
    shouldRetry: false,
    providerRequestId: 'req-1',
  })
  const long = OpenAI.APIError.generate(400, { error: { message: 'too long', code: 'context_length_exceeded' } }, undefined, headers)
  t.match(failureOfThrown(long, OPENAI, NOW), { kind: 'context_length', processed: 'no' })
  const busy = Anthropic.APIError.generate(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, undefined, headers)
  t.match(failureOfThrown(busy, ANTHROPIC, NOW), { kind: 'overloaded', processed: 'no', status: 529 })
  const page = OpenAI.APIError.generate(502, undefined, '<html>', headers)
  t.match(failureOfThrown(page, OPENAI, NOW), { kind: 'server_error', processed: 'maybe', status: 502 })
})

t.test('a connection is read by what caused it: what was refused cannot have been processed', async (t) => {
  const caused = (code: string): unknown =>
    new OpenAI.APIConnectionError({ cause: new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }) })
  const processed = (error: unknown): unknown => {
    const { kind, processed } = failureOfThrown(error, OPENAI, NOW)
    return [kind, processed]
  }
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'DEPTH_ZERO_SELF_SIGNED_CERT']) {
    t.strictSame(processed(caused(code)), ['connection_error', 'no'], code)
  }
  for (const code of ['ECONNRESET', 'UND_ERR_SOCKET']) t.strictSame(processed(caused(code)), ['connection_error', 'maybe'], code)
  t.strictSame(processed(new OpenAI.APIConnectionTimeoutError()), ['timeout', 'maybe'])
  t.strictSame(processed(new TypeError('terminated', { cause: Object.assign(new Error(), { code: 'UND_ERR_SOCKET' }) })), ['connection_error', 'maybe'])
})

t.test('whatever is thrown, it is a failure', async (t) => {
  const cyclic: Record<string, unknown> = { status: 500, headers: { 'Retry-After': '3', other: 5 } }
  cyclic['error'] = cyclic
  t.match(failureOfThrown(cyclic, OPENAI, NOW), { kind: 'server_error', status: 500, retryAfterMs: 3_000 })
  const hostile = new Proxy({}, { get: () => { throw new Error('no') } })
  for (const thrown of [undefined, null, 'text', 7, {}, hostile, { status: '500' }, { status: 503, headers: null }]) {
    t.match(failureOfThrown(thrown, OPENAI, NOW), { kind: 'server_error', processed: 'maybe' })
  }
})
