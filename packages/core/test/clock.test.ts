import { createSystemClock } from '@understudy/core'
import t from 'tap'

t.test('time goes on and never back', async (t) => {
  const { now } = createSystemClock()
  const first = now()
  await new Promise((resolve) => setTimeout(resolve, 5))
  t.ok(now() > first)
})

t.test('a callback runs once, and not at all when it is taken back', async (t) => {
  const { schedule } = createSystemClock()
  const ran: string[] = []
  const cancel = schedule(1, () => ran.push('cancelled'))
  cancel()
  cancel()
  await new Promise<void>((resolve) => {
    schedule(5, () => {
      ran.push('ran')
      resolve()
    })
  })
  t.strictSame(ran, ['ran'])
})

t.test('a delay that no timer can hold is a very long one and not none', async (t) => {
  const { schedule } = createSystemClock()
  const warnings: string[] = []
  const onWarning = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', onWarning)
  let ran = false
  const cancels = [2 ** 31, Infinity].map((delay) => schedule(delay, () => (ran = true)))
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (const cancel of cancels) cancel()
  process.off('warning', onWarning)
  t.strictSame([ran, warnings], [false, []])
})

t.test('its timers hold the process unless they are told not to', async (t) => {
  const holding = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = holding()
  const cancels = [createSystemClock({ unref: true }).schedule(1_000, () => undefined)]
  t.equal(holding(), before)
  cancels.push(createSystemClock().schedule(1_000, () => undefined))
  t.equal(holding(), before + 1)
  for (const cancel of cancels) cancel()
  t.equal(holding(), before)
})
