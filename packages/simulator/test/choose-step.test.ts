import t from 'tap'
import { createStepChooser } from '../src/choose-step.js'
import type { Script } from '../src/index.js'

function chooser(script: Script | undefined) {
  const clock = { now: 1_000 }
  const steps = createStepChooser(script, () => clock.now)
  const take = (model: string, count: number) => Array.from({ length: count }, () => steps.next(model)?.index)
  return { clock, take }
}

t.test('gives each model its own steps in order, and repeats the last', (t) => {
  const { take } = chooser({ models: { a: [{}, { times: 2 }, {}], b: [{}, {}] } })
  t.strictSame([take('a', 2), take('b', 3), take('a', 4)], [[0, 1], [0, 1, 1], [1, 2, 2, 2]])
  t.end()
})

t.test('a step with forMs lasts that long from its first call, and is played at least once', (t) => {
  const { take, clock } = chooser({ models: { a: [{ forMs: 100 }, {}, { forMs: 100 }, {}] } })
  clock.now += 5_000
  const seen = [take('a', 2)]
  clock.now += 99
  seen.push(take('a', 1))
  clock.now += 1
  seen.push(take('a', 2))
  clock.now += 200
  seen.push(take('a', 2))
  t.strictSame(seen, [[0, 0], [0], [1, 2], [3, 3]])
  t.end()
})

t.test('without a script every model is healthy; with one only those it names, and the fallback\'s', (t) => {
  t.strictSame(chooser(undefined).take('x', 2), [0, 0])
  t.strictSame(chooser({}).take('x', 1), [undefined])
  t.strictSame(chooser({ models: { a: [{}] }, fallback: {} }).take('x', 2), [0, 0])
  t.strictSame(chooser({ models: { a: [{}] } }).take('constructor', 1), [undefined])
  t.end()
})
