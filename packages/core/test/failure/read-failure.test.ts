import { failureOf } from '@understudy/core'
import t from 'tap'
import { readFailure } from '../../src/failure/read-failure.js'

t.test('a failure comes out as it went in', async (t) => {
  const failure = failureOf('rate_limit', {
    phase: 'idle',
    status: 429,
    code: 'rate_limit_exceeded',
    retryAfterMs: 5,
    shouldRetry: true,
    providerRequestId: 'req_1',
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, cachedInputTokens: 4, reasoningTokens: 5 },
    providerMessage: 'slow down',
  })
  t.strictSame(readFailure(failure), failure)
  t.equal(readFailure(failure)?.providerMessage, 'slow down')
  t.strictSame(readFailure(failureOf('aborted')), { kind: 'aborted', processed: 'maybe' })
})

t.test('what is not what it should be is left out', async (t) => {
  t.strictSame(
    readFailure({
      kind: 'timeout',
      processed: 'perhaps',
      phase: 'lunch',
      status: '500',
      code: 'has a secret: sk-123',
      retryAfterMs: NaN,
      shouldRetry: 'no',
      providerRequestId: 7,
      usage: { inputTokens: 'many', outputTokens: 3 },
      providerMessage: {},
      prompt: 'CANARY',
    }),
    { kind: 'timeout', processed: 'maybe', usage: { outputTokens: 3 } },
  )
})

t.test('what is no failure is none', async (t) => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const throwing = {
    get kind() {
      throw new Error('no')
    },
  }
  for (const value of [undefined, null, 'timeout', 7, {}, { kind: 'nonsense' }, { kind: 7 }, proxy, throwing]) {
    t.equal(readFailure(value), undefined)
  }
})

t.test('a getter that throws hides its member and nothing else', async (t) => {
  t.strictSame(
    readFailure({
      kind: 'overloaded',
      get status() {
        throw new Error('no')
      },
      get usage() {
        return {
          outputTokens: 1,
          get inputTokens() {
            throw new Error('no')
          },
        }
      },
    }),
    { kind: 'overloaded', processed: 'no', usage: { outputTokens: 1 } },
  )
})
