import type { Failure, RetryPolicy } from '@understudy/core'
import { DEFAULT_RETRY_ON, FAILURE_KINDS, failureOf } from '@understudy/core'
import t from 'tap'
import { retryDelay } from '../../src/policy/retry.js'
import { timedOut } from '../../src/scope.js'

const usual: RetryPolicy = { retries: 9, retryOn: new Set(DEFAULT_RETRY_ON), maxRetryAfterMs: 5_000 }

interface Asked {
  readonly policy?: Partial<RetryPolicy>
  readonly retried?: number
  readonly leftMs?: number
  readonly random?: number
}

function delay(failure: Failure, { policy, retried = 0, leftMs = Infinity, random = 0.5 }: Asked = {}): number | undefined {
  return retryDelay(failure, { ...usual, ...policy }, retried, leftMs, () => random)
}

const server = failureOf('server_error')
const limited = (retryAfterMs?: number): Failure => failureOf('rate_limit', { retryAfterMs })

t.test('nothing is retried more often than it may be', async (t) => {
  t.equal(delay(server, { policy: { retries: 0 } }), undefined)
  t.equal(delay(server, { policy: { retries: 1 } }), 250)
  t.equal(delay(server, { policy: { retries: 1 }, retried: 1 }), undefined)
})

t.test('which kinds are retried by default', async (t) => {
  t.strictSame(
    FAILURE_KINDS.filter((kind) => delay(failureOf(kind, { retryAfterMs: 1 })) !== undefined),
    ['connection_error', 'rate_limit', 'overloaded', 'server_error'],
  )
})

t.test('the back-off is anywhere between nothing and its step, which doubles up to 8 s', async (t) => {
  const steps = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]
  t.strictSame(steps.map((_, retried) => delay(server, { retried, random: 0 })), steps.map(() => 0))
  t.strictSame(steps.map((_, retried) => delay(server, { retried, random: 0.999999 })), steps.map((step) => step - 1))
  t.equal(delay(server, { policy: { retries: 5_000 }, retried: 4_000, random: 0.5 }), 4_000)
})

t.test('a 429 is retried only when it says when, and exactly then', async (t) => {
  t.strictSame([delay(limited()), delay(limited(0)), delay(limited(700))], [undefined, 0, 700])
})

t.test('a longer Retry-After than the cap is not waited for', async (t) => {
  t.strictSame([delay(limited(5_000)), delay(limited(5_001))], [5_000, undefined])
  t.equal(delay(limited(60_000), { policy: { maxRetryAfterMs: undefined } }), 60_000)
  t.equal(delay(failureOf('overloaded', { retryAfterMs: 5_001 })), undefined)
})

t.test('another failure waits for its Retry-After at least', async (t) => {
  const asked = failureOf('overloaded', { retryAfterMs: 400 })
  t.strictSame([delay(asked, { random: 0 }), delay(asked, { random: 0.9 })], [400, 450])
})

t.test('a second has to be left after the wait', async (t) => {
  t.strictSame([delay(limited(700), { leftMs: 1_700 }), delay(limited(700), { leftMs: 1_699 })], [700, undefined])
  t.strictSame([delay(server, { leftMs: 1_250 }), delay(server, { leftMs: 1_249 })], [250, undefined])
})

t.test('a provider that says "do not retry" is obeyed', async (t) => {
  t.equal(delay(failureOf('server_error', { shouldRetry: false })), undefined)
  t.equal(delay(failureOf('server_error', { shouldRetry: true })), 250)
})

t.test('a silent leg is never retried, a 408 may be', async (t) => {
  const policy = { retryOn: new Set(['timeout'] as const) }
  for (const phase of ['connect', 'first_content', 'idle', 'attempt', 'stream', 'chain'] as const) {
    t.equal(delay(timedOut(phase), { policy }), undefined, phase)
  }
  t.equal(delay(failureOf('timeout', { status: 408 }), { policy }), 250)
})
