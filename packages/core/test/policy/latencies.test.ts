import t from 'tap'
import { createLatencies } from '../../src/policy/latencies.js'

const leg = { provider: 'p', model: 'm' }

function recorded(...values: readonly number[]) {
  const latencies = createLatencies()
  for (const value of values) latencies.record(leg, value)
  return latencies
}

t.test('a latency is known from the third answer on', async (t) => {
  t.strictSame([recorded().medianOf(leg), recorded(5, 5).medianOf(leg), recorded(5, 5, 5).medianOf(leg)], [undefined, undefined, 5])
})

t.test('it is the median, so that one slow answer does not move a leg', async (t) => {
  t.strictSame([recorded(900, 10, 20).medianOf(leg), recorded(9, 1, 100, 3).medianOf(leg)], [20, 6])
})

t.test('only the last fifty count', async (t) => {
  const values = [...Array.from({ length: 50 }, () => 1_000), ...Array.from({ length: 26 }, () => 10)]
  t.equal(recorded(...values.slice(0, 75)).medianOf(leg), 505)
  t.equal(recorded(...values).medianOf(leg), 10)
})

t.test('a look does not freeze it', async (t) => {
  const latencies = recorded(1, 1, 1)
  t.equal(latencies.medianOf(leg), 1)
  for (const value of [7, 7, 7, 7]) latencies.record(leg, value)
  t.equal(latencies.medianOf(leg), 7)
})

t.test('each leg has its own, regions too; a thousand are remembered', async (t) => {
  const latencies = recorded(1, 1, 1)
  t.strictSame([latencies.medianOf({ ...leg, region: 'eu' }), latencies.medianOf({ ...leg, model: 'n' })], [undefined, undefined])
  for (let index = 0; index < 999; index += 1) latencies.record({ provider: 'p', model: `${index}` }, 1)
  t.equal(latencies.medianOf(leg), 1)
  latencies.record({ provider: 'p', model: 'another' }, 1)
  t.equal(latencies.medianOf(leg), undefined)
})
