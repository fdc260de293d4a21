import { getEventListeners } from 'node:events'
import { failureOf } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { watchClient } from '../src/client-watch.js'
import { createAttemptScope } from '../src/scope.js'

t.test('the client\'s leaving stops the attempt that is watched last, and no other', async (t) => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const client = watchClient(clock, controller.signal)
  const [first, second] = [createAttemptScope(clock), createAttemptScope(clock)]
  client.watch(first)
  client.watch(second)
  t.equal(client.left(), undefined)
  controller.abort()
  t.strictSame([client.left()?.kind, first.stopped(), second.stopped()?.kind], ['aborted', undefined, 'aborted'])
})

t.test('an attempt that begins when the client has left is stopped at once', async (t) => {
  const clock = createFakeClock()
  const scope = createAttemptScope(clock)
  const client = watchClient(clock, AbortSignal.abort())
  client.watch(scope)
  t.strictSame([client.left()?.kind, scope.stopped()?.kind], ['aborted', 'aborted'])
})

t.test('a sleep lasts as long as it should', async (t) => {
  const clock = createFakeClock()
  const client = watchClient(clock, undefined)
  let awake = false
  void client.sleep(10).then(() => (awake = true))
  await clock.advance(9)
  t.equal(awake, false)
  await clock.advance(1)
  t.strictSame([awake, clock.pending], [true, 0])
})

t.test('the client\'s leaving ends a sleep at once and leaves no timer', async (t) => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const client = watchClient(clock, controller.signal)
  const sleep = client.sleep(10)
  controller.abort()
  await sleep
  t.strictSame([clock.now(), clock.pending], [0, 0])
  await client.sleep(10)
  t.equal(clock.pending, 0, 'nor does a later one begin')
})

t.test('it listens once and no longer than it must', async (t) => {
  const clock = createFakeClock()
  const { signal } = new AbortController()
  const client = watchClient(clock, signal)
  client.watch(createAttemptScope(clock))
  void client.sleep(1)
  t.equal(getEventListeners(signal, 'abort').length, 1)
  client.release()
  t.equal(getEventListeners(signal, 'abort').length, 0)
  await clock.drain()
})

t.test('the host stops a run as the client\'s leaving does, with a reason of its own, and only while it is on', async (t) => {
  const clock = createFakeClock()
  const [first, second] = [createAttemptScope(clock), createAttemptScope(clock)]
  const client = watchClient(clock, undefined)
  client.watch(first)
  client.stop(failureOf('aborted', { code: 'closed' }))
  client.stop(failureOf('aborted', { code: 'later' }))
  await client.sleep(10)
  client.watch(second)
  t.strictSame([client.left()?.code, first.stopped()?.code, second.stopped()?.code, clock.pending], ['closed', 'closed', 'closed', 0])

  const over = watchClient(clock, undefined)
  const third = createAttemptScope(clock)
  over.watch(third)
  over.release()
  over.stop(failureOf('aborted'))
  t.strictSame([over.left(), third.stopped()], [undefined, undefined])
})

t.test('nobody waits for work that never ends once the client has left', async (t) => {
  const controller = new AbortController()
  const client = watchClient(createFakeClock(), controller.signal)
  t.equal(await client.orLeft(Promise.resolve('done')), 'done')
  await t.rejects(client.orLeft(Promise.reject(new Error('no'))), { message: 'no' })
  const waiting = client.orLeft(new Promise(() => undefined))
  controller.abort()
  t.equal(await waiting, undefined)
  t.equal(await client.orLeft(new Promise(() => undefined)), undefined, 'nor for what begins later')
  t.equal(await client.orLeft(Promise.reject(new Error('late'))), undefined, 'and what it comes to is nobody\'s')
})

t.test('between two attempts there is none to stop', async (t) => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const client = watchClient(clock, controller.signal)
  const scope = createAttemptScope(clock)
  client.watch(scope)
  const sleep = client.sleep(10)
  controller.abort()
  await sleep
  t.equal(scope.stopped(), undefined)
})
