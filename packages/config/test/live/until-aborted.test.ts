import t from 'tap'
import { untilAborted } from '@understudy/config'

t.test('settles as the work does, or with the reason of the signal', async (t) => {
  const { signal } = new AbortController()
  t.equal(await untilAborted(Promise.resolve(1), signal), 1)
  await t.rejects(untilAborted(Promise.reject(new Error('of the work')), signal), { message: 'of the work' })
  const leaving = new AbortController()
  const waiting = untilAborted(new Promise(() => undefined), leaving.signal)
  leaving.abort(new Error('gone'))
  await t.rejects(waiting, { message: 'gone' })
})

t.test('what the work comes to behind an abort is nobody\'s, and no unhandled rejection', async (t) => {
  const unhandled: unknown[] = []
  const hear = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', hear)
  t.teardown(() => process.off('unhandledRejection', hear))
  let fail: (reason: Error) => void = () => undefined
  const late = new Promise<never>((_resolve, reject) => (fail = reject))
  const leaving = new AbortController()
  const waiting = untilAborted(late, leaving.signal)
  leaving.abort(new Error('gone'))
  await t.rejects(waiting, { message: 'gone' })
  fail(new Error('late'))
  await t.rejects(untilAborted(Promise.reject(new Error('at once')), AbortSignal.abort(new Error('gone before'))), { message: 'gone before' })
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(unhandled, [])
})
