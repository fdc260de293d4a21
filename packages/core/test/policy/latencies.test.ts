import t from 'tap'
import { createLatencies } from '../../src/policy/latencies.js'

const leg = { provider: 'p', model: 'm' }

function recorded(...values: readonly number[]) {
  const latencies = createLatencies()
  for (const value of values) latencies.record(leg, true, value)
  return latencies
}

t.test('a latency is known from the third answer on', async (t) => {
  t.strictSame([recorded().medianOf(leg, true), recorded(5, 5).medianOf(leg, true), recorded(5, 5, 5).medianOf(leg, true)], [undefined, undefined, 5])
})

t.test('it is the median, so that one slow answer does not move a leg', async (t) => {
  t.strictSame([recorded(900, 10, 20).medianOf(leg, true), recorded(9, 1, 100, 3).medianOf(leg, true)], [20, 6])
})

t.test('only the last fifty count', async (t) => {
  const values = [...Array.from({ length: 50 }, () => 1_000), ...Array.from({ length: 26 }, () => 10)]
  t.equal(recorded(...values.slice(0, 75)).medianOf(leg, true), 505)
  t.equal(recorded(...values).medianOf(leg, true), 10)
})

t.test('a look does not freeze it', async (t) => {
  const latencies = recorded(1, 1, 1)
  t.equal(latencies.medianOf(leg, true), 1)
  for (const value of [7, 7, 7, 7]) latencies.record(leg, true, value)
  t.equal(latencies.medianOf(leg, true), 7)
})

t.test('each leg has its own, regions too; a thousand are remembered', async (t) => {
  const latencies = recorded(1, 1, 1)
  t.strictSame([latencies.medianOf({ ...leg, region: 'eu' }, true), latencies.medianOf({ ...leg, model: 'n' }, true)], [undefined, undefined])
  for (let index = 0; index < 999; index += 1) latencies.record({ provider: 'p', model: `${index}` }, true, 1)
  t.equal(latencies.medianOf(leg, true), 1)
  latencies.record({ provider: 'p', model: 'another' }, true, 1)
  t.equal(latencies.medianOf(leg, true), undefined)
})

t.test('a buffered answer, whose time is that of all of it, says nothing of a stream', async (t) => {
  const latencies = recorded(10, 10, 10)
  for (const value of [900, 900, 900]) latencies.record(leg, false, value)
  t.strictSame([latencies.medianOf(leg, true), latencies.medianOf(leg, false)], [10, 900])
})
