import { classify, FAILURE_KINDS, failureOf, LegFailedError } from '@understudy/core'
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import t from 'tap'

const error = (members: object, name = 'Error'): Error => Object.assign(new Error('CANARY'), { name, ...members })

t.test('a leg that knows why says it', async (t) => {
  const failure = failureOf('context_length', { status: 400, providerMessage: 'too long' })
  t.strictSame(classify(new LegFailedError(failure)), failure)
  t.equal(classify(new LegFailedError(failure)).providerMessage, 'too long')
  t.strictSame(classify(new Error('wrapped', { cause: new LegFailedError(failure) })), failure)
})

t.test('statuses, codes and names', async (t) => {
  const table: readonly (readonly [string, unknown, object])[] = [
    ['a status', error({ status: 429 }), { kind: 'rate_limit', status: 429 }],
    ['a statusCode', error({ statusCode: 503 }), { kind: 'server_error', status: 503 }],
    ['the status of a response', error({ response: { status: 404 } }), { kind: 'not_found', status: 404 }],
    ['the status in metadata', error({ $metadata: { httpStatusCode: 529 } }), { kind: 'overloaded', status: 529 }],
    ['a status that is none', error({ status: 200 }), { kind: 'server_error', status: undefined }],
    ['a status that is text', error({ status: '429' }), { kind: 'server_error', status: undefined }],
    ['half a status', error({ status: 429.5 }), { kind: 'server_error', status: undefined }],
    ['a status and a code', error({ status: 400, code: 'bad_thing' }), { kind: 'invalid_request', code: 'bad_thing' }],
    ['a code that says more', error({ status: 400, code: 'context_length_exceeded' }), { kind: 'context_length', status: 400 }],
    ['no credit sent as a 429', error({ status: 429, code: 'insufficient_quota' }), { kind: 'auth_error', status: 429 }],
    ['the model\'s own fault', error({ status: 400, code: 'tool_use_failed' }), { kind: 'server_error', status: 400 }],
    ['refused', error({ code: 'ECONNREFUSED' }), { kind: 'connection_error', processed: 'no', code: 'ECONNREFUSED' }],
    ['reset', error({ code: 'ECONNRESET' }), { kind: 'connection_error', processed: 'maybe' }],
    ['silent headers', error({ code: 'UND_ERR_HEADERS_TIMEOUT' }), { kind: 'timeout', phase: undefined }],
    ['a timeout signal', new DOMException('x', 'TimeoutError'), { kind: 'timeout' }],
    ['an abort of the leg\'s own', new DOMException('x', 'AbortError'), { kind: 'server_error' }],
    ['a name', error({}, 'ThrottlingException'), { kind: 'rate_limit' }],
    ['a bug in a leg', new TypeError('x is not a function'), { kind: 'server_error' }],
    ['an SDK error by status', new APIError(401, undefined, 'no', new Headers()), { kind: 'auth_error', status: 401 }],
    ['an SDK timeout, which has no name', new APIConnectionTimeoutError({}), { kind: 'timeout' }],
    ['an SDK connection error', new APIConnectionError({}), { kind: 'connection_error', processed: 'maybe' }],
    [
      'an SDK connection error with a cause that says more',
      new APIConnectionError({ cause: error({ code: 'ENOTFOUND' }) }),
      { kind: 'connection_error', processed: 'no', code: 'ENOTFOUND' },
    ],
  ]
  for (const [name, thrown, expected] of table) t.match(classify(thrown), expected, name)
})

t.test('causes are followed, five values deep', async (t) => {
  const nested = (depth: number): unknown => (depth === 0 ? error({ status: 429 }) : new Error('x', { cause: nested(depth - 1) }))
  t.strictSame(
    [0, 1, 2, 3, 4, 5].map((depth) => classify(nested(depth)).kind),
    ['rate_limit', 'rate_limit', 'rate_limit', 'rate_limit', 'rate_limit', 'server_error'],
  )
  t.equal(classify(new TypeError('fetch failed', { cause: error({ code: 'ECONNREFUSED' }) })).processed, 'no')
})

t.test('the first of several errors speaks for all', async (t) => {
  t.match(classify(new AggregateError([error({ code: 'ECONNREFUSED' }), error({ status: 429 })])), { kind: 'connection_error' })
  t.match(classify(new AggregateError([])), { kind: 'server_error' })
})

t.test('no message and no strange code comes through', async (t) => {
  for (const code of ['sk-secret with spaces', 'x'.repeat(65), '']) {
    t.strictSame(classify(error({ status: 500, code })), { kind: 'server_error', processed: 'maybe', status: 500 })
  }
  t.notMatch(JSON.stringify(classify(error({ status: 500, message: 'CANARY' }))), /CANARY/)
})

t.test('nothing that can be thrown makes it throw', async (t) => {
  const marker = Symbol.for('understudy.LegFailedError')
  const cycle = error({})
  cycle.cause = cycle
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const boom = (): never => {
    throw new Error('boom')
  }
  const hostile: readonly unknown[] = [
    undefined, null, 0, NaN, 7n, '', 'ECONNREFUSED', true, Symbol('s'), [], {}, () => undefined, Object.create(null), cycle, proxy,
    Object.defineProperty({}, 'status', { get: boom }),
    Object.defineProperties({}, { code: { get: boom }, name: { get: boom }, cause: { get: boom }, errors: { get: boom } }),
    new Proxy({}, { get: boom, has: boom, getPrototypeOf: boom, ownKeys: boom, getOwnPropertyDescriptor: boom }),
    new Proxy(new LegFailedError(failureOf('empty')), { get: boom }),
    { code: { toString: boom }, status: { valueOf: boom }, name: ['TimeoutError'] },
    { cause: proxy }, { cause: null }, { errors: proxy }, { response: proxy, $metadata: proxy }, { constructor: proxy },
    { [marker]: true },
    { [marker]: true, failure: null },
    { [marker]: true, failure: { kind: 'nonsense' } },
    { [marker]: true, get failure() { return boom() } },
    { [marker]: true, failure: proxy },
    { [marker]: true, failure: Object.defineProperty({}, 'kind', { get: boom }) },
  ]
  for (const thrown of hostile) t.strictSame(classify(thrown), { kind: 'server_error', processed: 'maybe' })
  t.match(classify({ code: 7, status: 503 }), { kind: 'server_error', status: 503 })
})

t.test('a copy of this package may know kinds that this one does not', async (t) => {
  const marker = Symbol.for('understudy.LegFailedError')
  t.strictSame(classify({ [marker]: true, failure: { kind: 'overloaded', status: 529 } }), {
    kind: 'overloaded', processed: 'no', status: 529,
  })
  t.ok(FAILURE_KINDS.includes(classify({ [marker]: true, failure: { kind: 'from_the_future' } }).kind))
})
