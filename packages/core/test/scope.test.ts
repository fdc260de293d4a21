import t from 'tap'
import { failureOf } from '@understudy/core'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { createAttemptScope, timedOut } from '../src/scope.js'
import { reasonOf } from './scripted-leg.js'

const asItIs = (thrown: unknown): unknown => thrown

t.test('the first reason counts, and a listener hears it once', async (t) => {
  const scope = createAttemptScope(createFakeClock())
  const heard: string[] = []
  scope.onStop(() => heard.push('replaced'))
  scope.onStop(({ kind }) => heard.push(kind))
  scope.stop(failureOf('aborted'))
  scope.stop(failureOf('empty'))
  t.strictSame([heard, scope.stopped()?.kind, reasonOf(scope.signal)], [['aborted'], 'aborted', 'aborted'])
})

t.test('an armed limit stops the attempt when its time is up and not before', async (t) => {
  const clock = createFakeClock()
  const scope = createAttemptScope(clock)
  scope.arm('connect', 10)
  await clock.advance(9)
  t.equal(scope.signal.aborted, false)
  await clock.advance(1)
  t.equal(reasonOf(scope.signal), 'timeout:connect')
  t.equal(clock.pending, 0)
})

t.test('a limit that is armed again starts again', async (t) => {
  const clock = createFakeClock()
  const scope = createAttemptScope(clock)
  scope.arm('idle', 10)
  await clock.advance(9)
  scope.arm('idle', 10)
  t.equal(clock.pending, 1)
  await clock.advance(9)
  t.equal(scope.stopped(), undefined)
})

t.test('what is disarmed or released stops nothing and leaves no timer', async (t) => {
  const clock = createFakeClock()
  const scope = createAttemptScope(clock)
  scope.arm('connect', 1)
  scope.arm('attempt', 2)
  scope.arm('first_content', 3)
  scope.disarm('connect')
  scope.disarm('idle')
  t.equal(clock.pending, 2)
  scope.release()
  t.equal(clock.pending, 0)
})

t.test('only a connect timeout proves that nobody saw the request', async (t) => {
  const phases = ['connect', 'first_content', 'idle', 'attempt', 'stream', 'chain'] as const
  t.strictSame(
    phases.map((phase) => timedOut(phase)),
    [
      { kind: 'timeout', processed: 'no', phase: 'connect' },
      { kind: 'timeout', processed: 'maybe', phase: 'first_content' },
      { kind: 'timeout', processed: 'maybe', phase: 'idle' },
      { kind: 'timeout', processed: 'maybe', phase: 'attempt' },
      { kind: 'timeout', processed: 'maybe', phase: 'stream' },
      { kind: 'timeout', processed: 'maybe', phase: 'chain' },
    ],
  )
})

t.test('whichever limit fires, nobody saw the request before the connection was ready, and perhaps somebody after', async (t) => {
  const processed = async (isConnected: boolean) => {
    const clock = createFakeClock()
    const scope = createAttemptScope(clock)
    scope.arm('connect', 20)
    scope.arm('first_content', 10)
    if (isConnected) scope.connected()
    await clock.advance(10)
    t.equal(clock.pending, isConnected ? 0 : 1, 'the connect limit ends with the connecting')
    const { phase, processed } = scope.stopped() ?? {}
    return [phase, processed]
  }
  t.strictSame(await processed(false), ['first_content', 'no'])
  t.strictSame(await processed(true), ['first_content', 'maybe'])
})

t.test('work settles as it does while nobody stops it', async (t) => {
  const scope = createAttemptScope(createFakeClock())
  t.equal(await scope.orStopped(Promise.resolve(7)), 7)
  await t.rejects(scope.orStopped(Promise.reject(new Error('own'))), { message: 'own' })
})

t.test('work that does not end is given up at the stop, and what it gives later goes to `late`', async (t) => {
  const scope = createAttemptScope(createFakeClock())
  const late: number[] = []
  let settle: (value: number) => void = () => undefined
  const work = scope.orStopped(new Promise<number>((resolve) => (settle = resolve)), (value) => late.push(value))
  scope.stop(failureOf('aborted'))
  t.match(await work.catch(asItIs), { failure: { kind: 'aborted' } })
  settle(3)
  await Promise.resolve()
  t.strictSame(late, [3])
})

t.test('work that begins after the stop is given up at once', async (t) => {
  const scope = createAttemptScope(createFakeClock())
  scope.stop(timedOut('idle'))
  t.match(await scope.orStopped(new Promise(() => undefined)).catch(asItIs), { failure: { phase: 'idle' } })
})

t.test('work that fails after the stop is no unhandled rejection', async (t) => {
  const scope = createAttemptScope(createFakeClock())
  let fail: (error: Error) => void = () => undefined
  const work = scope.orStopped(new Promise((_, reject) => (fail = reject)))
  scope.stop(failureOf('aborted'))
  t.match(await work.catch(asItIs), { failure: { kind: 'aborted' } })
  fail(new Error('too late'))
  await new Promise((resolve) => setImmediate(resolve))
})
