import type { ChainLimits, Leg } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { createBudget } from '../src/budget.js'

const leg = (timeoutMs: number): Leg => ({
  provider: 'p',
  model: 'm',
  limits: { timeoutMs },
  open: () => {
    throw new Error('not called')
  },
})

function budget(limits: ChainLimits, legs: readonly Leg[] = [leg(1_000)]) {
  const clock = createFakeClock(5_000_000)
  const made = createBudget(clock, legs, limits)
  const at = async (ms: number): Promise<void> => clock.advance(5_000_000 + ms - clock.now())
  return { at, spent: () => made.spent(), leftMs: () => made.leftMs(), cutMs: (timeoutMs: number) => made.cutMs(timeoutMs) }
}

t.test('a window ends the starting of attempts, at its very end', async (t) => {
  const { at, spent, leftMs } = budget({ windowMs: 500 })
  t.strictSame([spent(), leftMs()], [undefined, 500])
  await at(499)
  t.strictSame([spent(), leftMs()], [undefined, 1])
  await at(500)
  t.strictSame([spent(), leftMs()], ['window', 0])
})

t.test('a window of 0 starts nothing', async (t) => {
  t.equal(budget({ windowMs: 0 }).spent(), 'window')
})

t.test('a leg needs 250 ms of the deadline to be started, or what somebody set', async (t) => {
  const usual = budget({ deadlineMs: 1_000 })
  await usual.at(750)
  t.equal(usual.spent(), undefined)
  await usual.at(751)
  t.equal(usual.spent(), 'deadline')
  const short = budget({ deadlineMs: 1_000, minAttemptMs: 10 })
  await short.at(990)
  t.equal(short.spent(), undefined)
  await short.at(991)
  t.equal(short.spent(), 'deadline')
})

t.test('a deadline below the least an attempt needs lets the first leg try', async (t) => {
  for (const limits of [{ deadlineMs: 100 }, { deadlineMs: 100, minAttemptMs: 100 }]) {
    const { at, spent } = budget(limits)
    t.equal(spent(), undefined)
    await at(50)
    t.equal(spent(), undefined, 'it starts a moment after the run')
    await at(51)
    t.equal(spent(), 'deadline')
  }
})

t.test('no deadline leaves all the time there is', async (t) => {
  const { at, spent, leftMs, cutMs } = budget({ deadlineMs: false })
  await at(10_000_000)
  t.strictSame([spent(), leftMs(), cutMs(1_000)], [undefined, Infinity, undefined])
})

t.test('a deadline cuts an attempt that may take longer than what is left', async (t) => {
  const { at, cutMs } = budget({ deadlineMs: 1_000 })
  t.strictSame([cutMs(999), cutMs(1_000), cutMs(1_001)], [undefined, undefined, 1_000])
  await at(400)
  t.strictSame([cutMs(600), cutMs(601)], [undefined, 600])
})

t.test('the default deadline does not take a leg\'s blame for the moments between two legs', async (t) => {
  const { at, cutMs } = budget({}, [leg(1_000), leg(1_000)])
  await at(1_003)
  t.equal(cutMs(1_000), undefined)
  await at(1_100)
  t.equal(cutMs(1_000), undefined)
  await at(1_101)
  t.equal(cutMs(1_000), 899)
})
