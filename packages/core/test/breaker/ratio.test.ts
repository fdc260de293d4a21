import t from 'tap'
import { createRatioRule } from '../../src/breaker/ratio.js'

t.test('trips when the share of failures is reached, and not with too few calls', async (t) => {
  const rule = createRatioRule({ threshold: 0.5, windowMs: 1_000, minimumCalls: 4 })
  t.strictSame([rule.failure(0), rule.failure(0), rule.failure(0)], [false, false, false])
  rule.success(0)
  rule.success(0)
  t.equal(rule.failures(0), 3)
  t.equal(rule.failure(0), true, 'four of six')
})

t.test('a share just below the threshold does not trip', async (t) => {
  const rule = createRatioRule({ threshold: 0.5, windowMs: 1_000, minimumCalls: 2 })
  for (let index = 0; index < 3; index += 1) rule.success(0)
  t.strictSame([rule.failure(0), rule.failure(0), rule.failure(0)], [false, false, true])
})

t.test('forgets what slid out of the window, a tenth at a time', async (t) => {
  const rule = createRatioRule({ threshold: 1, windowMs: 1_000, minimumCalls: 2 })
  rule.failure(50)
  t.equal(rule.failures(999), 1)
  t.equal(rule.failures(1_000), 0)
  t.equal(rule.failure(1_050), false)
  t.equal(rule.failure(1_150), true)
})

t.test('a slice that is used again starts at nothing', async (t) => {
  const rule = createRatioRule({ threshold: 0.5, windowMs: 1_000, minimumCalls: 2 })
  for (let index = 0; index < 9; index += 1) rule.failure(10)
  for (let index = 0; index < 3; index += 1) rule.success(5_010)
  t.strictSame([rule.failures(5_010), rule.failure(5_010)], [0, false])
})

t.test('a clock may stand below zero', async (t) => {
  const rule = createRatioRule({ threshold: 1, windowMs: 1_000, minimumCalls: 2 })
  t.strictSame([rule.failure(-1_530), rule.failure(-1_520)], [false, true])
})
