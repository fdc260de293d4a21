import type { FallbackEvent } from '@understudy/http'
import t from 'tap'

import { createTraffic } from '../src/traffic.js'

const MINUTE = 60_000
const START = 1_000 * MINUTE

function run(at: number, route = 'chat', served = true): FallbackEvent {
  const leg = served ? { provider: 'a', model: 'b' } : {}
  return { type: 'run-end', requestId: 'id', route, lane: 'standard', at, latencyMs: 1, ...leg }
}

const asked = (at: number, route: string, model = 'b'): FallbackEvent =>
  ({ type: 'attempt-start', requestId: 'id', route, at, provider: 'a', model, attempt: 1 })

t.test('counts stand in the minute in which they fell, for an hour; the total stays', async (t) => {
  let now = START
  const traffic = createTraffic(() => now, () => [])
  traffic.hear(run(START))
  traffic.hear(run(START + MINUTE - 1, 'chat', false))
  traffic.hear(run(START + MINUTE))
  traffic.hear(run(START + MINUTE - 5), )
  const shown = () => traffic.minutes().map(({ at, routes }) => [at - START, routes.get('chat')])
  t.strictSame(shown(), [[0, { runs: 2, failovers: 0, failed: 1 }], [MINUTE, { runs: 2, failovers: 0, failed: 0 }]], 'a clock that goes back is no new minute')
  now = START + 60 * MINUTE
  t.strictSame(shown().map(([at]) => at), [MINUTE])
  now = START + 61 * MINUTE
  t.strictSame(shown(), [])
  t.strictSame([...traffic.total().routes], [['chat', { runs: 4, failovers: 0, failed: 1 }]])
})

t.test('a leg is counted for each route that asks it', async (t) => {
  const traffic = createTraffic(() => START, () => [])
  traffic.hear(asked(START, 'chat'))
  traffic.hear(asked(START, 'other'))
  traffic.hear({ type: 'failover', requestId: 'id', route: 'chat', at: START, from: 'a/b', to: 'c/d', reason: 'timeout', latencyMs: 1 })
  t.strictSame(traffic.total().legs, [
    { route: 'chat', leg: 'a/b', attempts: 1, failures: 0, failovers: 1 },
    { route: 'other', leg: 'a/b', attempts: 1, failures: 0, failovers: 0 },
  ])
})

t.test('each route of the config is counted, however many there are', async (t) => {
  const traffic = createTraffic(() => START, () => [])
  for (let count = 0; count < 600; count += 1) traffic.hear(run(START, `route-${count % 300}`))
  for (const { routes } of [traffic.total(), ...traffic.minutes()]) {
    t.equal(routes.size, 300)
    t.strictSame([...routes.values()].filter(({ runs }) => runs !== 2), [])
  }
})

t.test('requests that name models of their own do not fill the memory, and take no place from the legs of the chains', async (t) => {
  let model = 'first'
  const traffic = createTraffic(() => START, () => [{ name: 'chat', legs: [{ provider: 'a', model }] }])
  for (let count = 0; count < 1_000; count += 1) traffic.hear(asked(START, 'chat', `model-${count}`))
  t.equal(traffic.total().legs.length, 200)
  traffic.hear(asked(START, 'chat', 'first'))
  model = 'second'
  traffic.hear({ type: 'chain-applied', version: 1, by: 'ann', reason: 'why', changes: [], at: START })
  for (let count = 0; count < 3; count += 1) traffic.hear(asked(START, 'chat', 'second'))
  for (const { legs } of [traffic.total(), ...traffic.minutes()]) {
    t.strictSame(legs.slice(200).map(({ leg, attempts }) => `${leg} ${attempts}`), ['a/first 1', 'a/second 3'])
  }
})

t.test('a clock that was a year ahead and is set back counts on in the minutes that are', async (t) => {
  let now = START + 365 * 24 * 60 * MINUTE
  const traffic = createTraffic(() => now, () => [])
  traffic.hear(run(now))
  now = START
  t.strictSame(traffic.minutes(), [])
  for (let count = 0; count < 3; count += 1) {
    traffic.hear(run(now))
    now += MINUTE
  }
  t.strictSame(traffic.minutes().map(({ at, routes }) => [at - START, routes.get('chat')?.runs]), [[0, 1], [MINUTE, 1], [2 * MINUTE, 1]])
})

t.test('what a person wants to see again is kept, the last hundred; the rest is counted only', async (t) => {
  const traffic = createTraffic(() => START, () => [])
  const opened = (at: number): FallbackEvent => ({ type: 'breaker-open', provider: 'a', failures: 5, state: 'open', openUntil: at, at })
  for (let count = 0; count < 150; count += 1) traffic.hear(opened(count))
  traffic.hear(run(START))
  t.strictSame(traffic.happened().map(({ at }) => at), Array.from({ length: 100 }, (_, index) => 50 + index))
})
