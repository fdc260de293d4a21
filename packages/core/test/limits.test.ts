import type { Leg } from '@understudy/core'
import t from 'tap'
import { attemptLimits, chainDeadline, minAttempt } from '../src/limits.js'

const leg = (extra: Partial<Leg> = {}): Leg => ({
  provider: 'p',
  model: 'm',
  open: () => {
    throw new Error('not called')
  },
  ...extra,
})

const situation = { legsLeft: true, reasoning: false, buffered: false }

t.test('a leg with another one behind it has short limits', async (t) => {
  t.strictSame(attemptLimits(leg(), situation), {
    connectTimeoutMs: 5_000,
    firstContentTimeoutMs: 10_000,
    idleTimeoutMs: 60_000,
    timeoutMs: 60_000,
    maxStreamMs: undefined,
    finishGraceMs: 5_000,
  })
})

t.test('the last leg has twice the time, for its first content too', async (t) => {
  t.strictSame(attemptLimits(leg(), { ...situation, legsLeft: false }), {
    connectTimeoutMs: 5_000,
    firstContentTimeoutMs: 120_000,
    idleTimeoutMs: 60_000,
    timeoutMs: 120_000,
    maxStreamMs: undefined,
    finishGraceMs: 5_000,
  })
})

t.test('the default first-content limit knows who reasons first and who answers in one piece', async (t) => {
  const first = (extra: Partial<Leg>, more: Partial<typeof situation>): number =>
    attemptLimits(leg(extra), { ...situation, ...more }).firstContentTimeoutMs
  t.strictSame(
    [
      first({}, { reasoning: true }),
      first({ reasoning: true }, {}),
      first({ reasoning: false }, {}),
      first({}, { buffered: true }),
      first({ reasoning: true }, { legsLeft: false }),
      first({ limits: { timeoutMs: 7_000 } }, { buffered: true }),
      first({ limits: { timeoutMs: 7_000 } }, { legsLeft: false }),
    ],
    [60_000, 60_000, 10_000, 60_000, 120_000, 7_000, 7_000],
  )
})

t.test('what somebody set counts, in every situation', async (t) => {
  const limits = {
    connectTimeoutMs: 1,
    firstContentTimeoutMs: 2,
    idleTimeoutMs: 3,
    timeoutMs: 4,
    maxStreamMs: 5,
    finishGraceMs: 6,
  }
  for (const legsLeft of [true, false]) {
    for (const reasoning of [true, false]) {
      for (const buffered of [true, false]) {
        t.strictSame(attemptLimits(leg({ limits, reasoning: true }), { legsLeft, reasoning, buffered }), limits)
      }
    }
  }
})

t.test('no limit on a stream is written as false', async (t) => {
  t.equal(attemptLimits(leg({ limits: { maxStreamMs: false } }), situation).maxStreamMs, undefined)
})

t.test('the deadline is the sum of what the legs may take, at most five minutes', async (t) => {
  const five = leg({ limits: { timeoutMs: 5_000 } })
  t.strictSame(
    [
      chainDeadline([leg()], {}),
      chainDeadline([leg(), leg()], {}),
      chainDeadline([five, leg()], {}),
      chainDeadline([leg(), five], {}),
      chainDeadline([leg(), leg(), leg(), leg()], {}),
      chainDeadline([leg(), leg(), leg(), leg(), leg()], {}),
      chainDeadline([leg()], { deadlineMs: 400_000 }),
      chainDeadline([leg()], { deadlineMs: 1 }),
      chainDeadline([leg()], { deadlineMs: false }),
    ],
    [120_000, 180_000, 125_000, 65_000, 300_000, 300_000, 400_000, 1, undefined],
  )
})

t.test('under safe, the last leg of each provider counts as a last one; the default can be let grow', async (t) => {
  const of = (provider: string) => leg({ provider })
  t.equal(chainDeadline([of('a'), of('b')], {}, true), 240_000)
  t.equal(chainDeadline([of('a'), of('b'), of('a')], {}, true), 300_000)
  t.equal(chainDeadline([of('a'), of('a'), of('b')], { maxDeadlineMs: Infinity }, true), 300_000)
  t.equal(chainDeadline([of('a'), of('b'), of('c')], { maxDeadlineMs: Infinity }, true), 360_000)
  t.equal(chainDeadline([of('a')], { deadlineMs: 400_000, maxDeadlineMs: 1 }), 400_000, 'one that is set is the host\'s')
})

t.test('a leg needs a quarter of a second unless somebody says otherwise', async (t) => {
  t.strictSame([minAttempt({}), minAttempt({ minAttemptMs: 10 })], [250, 10])
})
