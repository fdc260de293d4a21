import type { CommitPoint } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { collectionOf } from '../src/collection.js'
import { attemptLimits } from '../src/limits.js'
import { createProgress } from '../src/progress.js'
import { createAttemptScope } from '../src/scope.js'
import { arrival, finish, ping, scriptedLeg, start, text } from './scripted-leg.js'
import { chat } from './stage.js'

function collecting(commit: CommitPoint = 'complete') {
  const clock = createFakeClock()
  const scope = createAttemptScope(clock)
  const leg = scriptedLeg(clock, () => undefined, { name: 'a', limits: { idleTimeoutMs: 100, finishGraceMs: 50 } })
  const limits = attemptLimits(leg, { legsLeft: true, reasoning: false, buffered: false })
  const collection = collectionOf({ leg, request: chat(), commit, limits, chainLeftMs: undefined, clock }, scope)
  const progress = createProgress(chat())
  const arrive = (item = arrival(start)): void => {
    collection?.asked()
    progress.take(item.parts)
    collection?.arrived(item, progress)
  }
  return { clock, scope, collection, arrive }
}

t.test('only a collected answer has these limits', async (t) => {
  const points = ['first_content', 'first_chunk', 'established', 'complete'] as const
  t.strictSame(points.map((commit) => collecting(commit).collection !== undefined), [false, false, false, true])
})

t.test('the first content ends the first-content limit and starts the idle limit', async (t) => {
  const { clock, scope, collection, arrive } = collecting()
  scope.arm('first_content', 60)
  arrive(arrival(start))
  arrive(ping)
  t.equal(clock.pending, 1)
  arrive(arrival(text('a')))
  t.equal(clock.pending, 0)
  collection?.asked()
  await clock.advance(99)
  t.equal(scope.stopped(), undefined)
  await clock.advance(1)
  t.match(scope.stopped(), { phase: 'idle' })
})

t.test('the finish starts the grace, once', async (t) => {
  const { clock, scope, collection, arrive } = collecting()
  arrive(arrival(text('a'), finish))
  await clock.advance(49)
  collection?.asked()
  const { pending } = clock
  arrive(arrival(start))
  t.equal(clock.pending, pending)
  t.equal(scope.stopped(), undefined)
  await clock.advance(1)
  t.match(scope.stopped(), { kind: 'timeout' })
})

t.test('a choice that begins behind the finish of the others ends the grace', async (t) => {
  const { clock, scope, collection, arrive } = collecting()
  arrive(arrival(text('a'), finish))
  await clock.advance(49)
  arrive(arrival(text('b', 1)))
  await clock.advance(49)
  t.equal(scope.stopped(), undefined)
  arrive(arrival({ type: 'finish', reason: 'stop', choice: 1 }))
  collection?.asked()
  await clock.advance(49)
  t.equal(scope.stopped(), undefined)
  await clock.advance(1)
  t.match(scope.stopped(), { kind: 'timeout' })
})

t.test('releasing it leaves no timer', async (t) => {
  const { clock, collection, arrive } = collecting()
  collection?.release()
  arrive(arrival(text('a'), finish))
  collection?.asked()
  t.equal(clock.pending, 2)
  collection?.release()
  t.equal(clock.pending, 0)
})
