import type { Failure, FailureKind } from '@understudy/core'
import { FAILURE_KINDS, failureOf } from '@understudy/core'
import t from 'tap'
import { createCooldowns } from '../../src/breaker/cooldowns.js'

const leg = { provider: 'p', model: 'm' }

function start() {
  const cooldowns = createCooldowns()
  let now = 5_000
  const end = (failure?: Failure, of = leg) => cooldowns.settle(of, failure, now)?.leftMs
  const left = (of = leg) => cooldowns.restOf(of, now)?.leftMs
  const after = (ms: number): void => void (now += ms)
  return { cooldowns, end, left, after, now: () => now }
}

const limited = (retryAfterMs?: number): Failure => failureOf('rate_limit', { retryAfterMs })

t.test('a 429 rests its leg for its Retry-After, at most five minutes', async (t) => {
  const { end, left, after, cooldowns, now } = start()
  t.equal(left(), undefined)
  t.equal(end(limited(2_000)), 2_000)
  t.strictSame(cooldowns.restOf(leg, now()), { leftMs: 2_000, afterRateLimit: true })
  after(1_999)
  t.equal(left(), 1)
  after(1)
  t.equal(left(), undefined)
  t.equal(end(limited(10_000_000)), 300_000)
})

t.test('a Retry-After of nothing, or less, rests nobody', async (t) => {
  const { end, left } = start()
  t.strictSame([end(limited(0)), end(limited(-5)), left()], [undefined, undefined, undefined])
})

t.test('without one it rests for a second, and twice as long each time, up to a minute', async (t) => {
  const { end, after } = start()
  const rests = Array.from({ length: 9 }, () => {
    const rest = end(limited())
    after(rest ?? 0)
    return rest
  })
  t.strictSame(rests, [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
})

t.test('a rest without a Retry-After is after a rate limit too, and one that has it does not end the doubling', async (t) => {
  const { end, after, cooldowns, now } = start()
  end(limited())
  t.strictSame(cooldowns.restOf(leg, now()), { leftMs: 1_000, afterRateLimit: true })
  after(1_000)
  end(limited(50))
  after(50)
  cooldowns.adopt(leg, { leftMs: 70, afterRateLimit: true }, now())
  after(70)
  t.equal(end(limited()), 2_000)
})

t.test('an answer ends the doubling', async (t) => {
  const { end, after } = start()
  end(limited())
  after(1_000)
  end(limited())
  after(2_000)
  end()
  t.equal(end(limited()), 1_000)
})

t.test('an answer that was under way ends the doubling, and not the rest', async (t) => {
  const { end, after, left } = start()
  end(limited())
  after(1_000)
  end(limited())
  end()
  t.equal(left(), 2_000)
  after(2_000)
  t.equal(end(limited()), 1_000)
})

t.test('requests that are refused together make one step', async (t) => {
  const { end, after } = start()
  const rests = Array.from({ length: 50 }, () => end(limited()))
  t.strictSame(new Set(rests), new Set([1_000]))
  after(1_000)
  t.equal(end(limited()), 2_000)
})

t.test('a longer rest stays', async (t) => {
  const { end, left, cooldowns, now } = start()
  end(limited(9_000))
  t.strictSame([end(limited(1_000)), left()], [9_000, 9_000])
  end(failureOf('overloaded', { retryAfterMs: 500 }))
  t.strictSame(cooldowns.restOf(leg, now()), { leftMs: 9_000, afterRateLimit: true })
})

t.test('503 and 529 rest a leg only if they say how long; nothing else does', async (t) => {
  const resting = (make: (kind: FailureKind) => Failure) =>
    FAILURE_KINDS.filter((kind) => start().end(make(kind)) !== undefined)
  t.strictSame(resting((kind) => failureOf(kind)), ['rate_limit'])
  t.strictSame(resting((kind) => failureOf(kind, { retryAfterMs: 250 })), ['rate_limit', 'overloaded'])
  t.strictSame(resting((kind) => failureOf(kind, { retryAfterMs: 250, status: 503 })), ['rate_limit', 'overloaded', 'server_error'])
  const { end, cooldowns, now } = start()
  t.equal(end(failureOf('server_error', { status: 500, retryAfterMs: 250 })), undefined)
  t.equal(start().end(failureOf('server_error', { status: 529, retryAfterMs: 250 })), 250)
  end(failureOf('server_error', { status: 503, retryAfterMs: 250 }))
  t.strictSame(cooldowns.restOf(leg, now()), { leftMs: 250, afterRateLimit: false })
})

t.test('a rest is one model\'s, in one region', async (t) => {
  const { end, cooldowns, now } = start()
  end(limited(2_000))
  end(limited(3_000), { provider: 'p', model: 'm', region: 'eu' } as typeof leg)
  t.strictSame(cooldowns.resting(now()), [
    { provider: 'p', model: 'm', region: undefined, leftMs: 2_000, afterRateLimit: true },
    { provider: 'p', model: 'm', region: 'eu', leftMs: 3_000, afterRateLimit: true },
  ])
  t.equal(cooldowns.restOf({ provider: 'p', model: 'other' }, now()), undefined)
  t.equal(cooldowns.restOf({ provider: 'other', model: 'm' }, now()), undefined)
})

t.test('takes over what another process knows, unless it knows of a longer rest', async (t) => {
  const { cooldowns, now, left, after } = start()
  cooldowns.adopt(leg, { leftMs: 800, afterRateLimit: true }, now())
  t.equal(left(), 800)
  cooldowns.adopt(leg, { leftMs: 100, afterRateLimit: false }, now())
  t.strictSame(cooldowns.restOf(leg, now()), { leftMs: 800, afterRateLimit: true })
  cooldowns.adopt(leg, { leftMs: 10_000_000, afterRateLimit: true }, now())
  t.equal(left(), 300_000)
  after(300_000)
  t.strictSame(cooldowns.resting(now()), [])
})

t.test('forgets the legs of providers that are gone', async (t) => {
  const { cooldowns, end, left } = start()
  end(limited(1_000))
  end(limited(1_000), { provider: 'q', model: 'm' })
  cooldowns.forget((provider) => provider === 'p')
  t.strictSame([left(), left({ provider: 'q', model: 'm' })], [undefined, 1_000])
})

t.test('remembers a thousand legs, and lets those go first that no longer rest', async (t) => {
  const { end, left, after, cooldowns, now } = start()
  const name = (index: number) => ({ provider: 'p', model: `m${index}` })
  end(limited(90_000), name(0))
  end(limited(10), name(1))
  after(10)
  for (let index = 2; index <= 1_000; index += 1) end(limited(90_000), name(index))
  t.strictSame([left(name(0)), cooldowns.resting(now()).length], [89_990, 1_000])
  end(limited(90_000), name(1_001))
  t.strictSame([left(name(0)), left(name(1_001)), cooldowns.resting(now()).length], [undefined, 90_000, 1_000])
})
