import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { createIdleWatch } from '../src/idle-watch.js'

function watched(idleMs = 100) {
  const clock = createFakeClock()
  const fired: number[] = []
  return { clock, fired, watch: createIdleWatch(clock, idleMs, () => fired.push(clock.now())) }
}

t.test('fires when a read has been silent for so long, once', async (t) => {
  const { clock, fired, watch } = watched()
  watch.asked()
  await clock.advance(99)
  t.strictSame(fired, [])
  await clock.advance(1_000)
  t.strictSame([fired, clock.pending], [[100], 0])
})

t.test('an event starts the silence anew', async (t) => {
  const { clock, fired, watch } = watched()
  watch.asked()
  await clock.advance(99)
  watch.arrived(1)
  watch.asked()
  await clock.advance(99)
  t.strictSame(fired, [])
  await clock.advance(1)
  t.strictSame(fired, [199])
})

t.test('pings do not feed it, however many come', async (t) => {
  const { clock, fired, watch } = watched()
  for (let ms = 0; ms < 100; ms += 10) {
    watch.asked()
    await clock.advance(10)
    watch.arrived(0)
  }
  watch.asked()
  await clock.advance(1)
  t.equal(fired.length, 1)
  t.ok(Number(fired[0]) >= 100 && Number(fired[0]) <= 101)
})

t.test('time in which nobody asks is the client\'s', async (t) => {
  const { clock, fired, watch } = watched()
  watch.asked()
  await clock.advance(40)
  watch.arrived(0)
  await clock.advance(10_000)
  t.strictSame(fired, [])
  watch.asked()
  await clock.advance(59)
  t.strictSame(fired, [])
  await clock.advance(1)
  t.strictSame(fired, [10_100])
})

t.test('a watch that is stopped has no timer, also after it has armed itself again', async (t) => {
  const { clock, fired, watch } = watched()
  watch.asked()
  await clock.advance(50)
  watch.arrived(1)
  watch.asked()
  await clock.advance(60)
  t.equal(clock.pending, 1)
  watch.stop()
  await clock.advance(1_000)
  t.strictSame([clock.pending, fired], [0, []])
})

t.test('while nobody reads there is no timer, so an answer that nobody wants holds no process', async (t) => {
  const { clock, fired, watch } = watched()
  t.equal(clock.pending, 0)
  watch.asked()
  watch.arrived(1)
  await clock.advance(100)
  t.equal(clock.pending, 0)
  watch.asked()
  await clock.advance(100)
  t.strictSame(fired, [200])
})

t.test('a busy stream costs one timer, not one for each read', async (t) => {
  const { clock, watch } = watched()
  let scheduled = 0
  const { schedule } = clock
  clock.schedule = (...args) => {
    scheduled += 1
    return schedule(...args)
  }
  for (let read = 0; read < 1_000; read += 1) {
    watch.asked()
    await clock.advance(1)
    watch.arrived(1)
  }
  t.ok(scheduled <= 20, `${scheduled} timers for 1000 reads in 1000 ms`)
})
