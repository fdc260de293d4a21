import t from 'tap'
import { StopSwitch } from '../src/stop-signal.js'

t.test('listeners hear of the first abort, once, and see its reason', (t) => {
  const stop = new StopSwitch()
  const heard: unknown[] = []
  stop.addEventListener('abort', () => heard.push(stop.reason))
  stop.addEventListener('abort', () => heard.push('second'))
  const first = new Error('first')
  stop.abort(first)
  stop.abort(new Error('later'))
  stop.addEventListener('abort', () => heard.push('late'))
  t.strictSame([stop.aborted, heard], [true, [first, 'second']])
  t.throws(() => stop.throwIfAborted(), first)
  t.end()
})

t.test('a listener that was taken back hears nothing, and the others do', (t) => {
  const stop = new StopSwitch()
  const heard: string[] = []
  const [a, b] = [() => void heard.push('a'), () => void heard.push('b')]
  stop.addEventListener('abort', a)
  stop.addEventListener('abort', b)
  stop.removeEventListener('abort', a)
  stop.removeEventListener('abort', a)
  stop.abort(new Error('over'))
  t.strictSame(heard, ['b'])

  const other = new StopSwitch()
  other.addEventListener('abort', a)
  other.removeEventListener('abort', a)
  other.abort(new Error('over'))
  t.strictSame(heard, ['b'])
  t.doesNotThrow(() => new StopSwitch().throwIfAborted())
  t.end()
})

t.test('whoever asks for an AbortSignal gets one, the same each time, before the abort and after', (t) => {
  const reason = new Error('over')
  const before = new StopSwitch()
  const { signal } = before
  t.equal(before.signal, signal)
  t.equal(signal.aborted, false)
  before.abort(reason)
  t.strictSame([signal.aborted, signal.reason], [true, reason])

  const after = new StopSwitch()
  after.abort(reason)
  t.strictSame([after.signal.aborted, after.signal.reason], [true, reason])
  t.end()
})
