import { failureOf } from '@understudy/core'
import type { Arrival, DirectIterator, ItemReader } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { Breather } from '../src/breather.js'
import { createCommitGate } from '../src/commit.js'
import { DONE, READ } from '../src/iterable.js'
import { Prelude } from '../src/prelude.js'
import { createProgress } from '../src/progress.js'
import { createAttemptScope } from '../src/scope.js'
import { arrival, ping, start, text } from './scripted-leg.js'
import { chat } from './stage.js'

/** A prelude whose source answers its reads, counted from 0, as `answer` does. */
function preludeOf(answer: (reader: ItemReader<Arrival>, read: number) => void) {
  const clock = createFakeClock()
  const progress = createProgress(chat())
  const gate = createCommitGate('first_content', 'none', progress)
  const scope = createAttemptScope(clock)
  let reads = 0
  const source: DirectIterator<Arrival> = {
    [Symbol.asyncIterator]: () => source,
    next: () => Promise.reject(new Error('is to be read directly')),
    [READ]: (reader) => answer(reader, reads++),
    return: () => Promise.resolve(DONE),
  }
  const prelude = new Prelude(source, gate, progress, scope, undefined, new Breather(clock))
  return { clock, scope, gate, prelude, reads: () => reads }
}

const item = (value: Arrival) => ({ done: false as const, value })

t.test('no promise where all that opens the gate is there', async (t) => {
  const script = [ping, arrival(start), arrival(text('a'))]
  const { prelude, gate } = preludeOf((reader, read) => reader.onItem(item(script[read] ?? ping)))
  t.equal(prelude.read(), undefined)
  t.strictSame(gate.held, script.slice(1))
})

t.test('a failure that is there needs none either', async (t) => {
  const failed = { parts: [{ type: 'error' as const, failure: failureOf('overloaded') }], events: 1 }
  t.match(preludeOf((reader) => reader.onItem(item(failed))).prelude.read(), { kind: 'overloaded' })
  t.match(preludeOf((reader) => reader.onItem(DONE)).prelude.read(), { kind: 'empty' })
  t.match(preludeOf((reader) => reader.onFailure(new TypeError('x'))).prelude.read(), { kind: 'server_error' })
  t.match(preludeOf((reader) => reader.onItem({ done: false, value: 7 } as never)).prelude.read(), { kind: 'server_error' })
})

t.test('what is there without a wait lets timers in, and goes on behind them', async (t) => {
  const { prelude, clock, reads, scope } = preludeOf((reader, read) => {
    if (read < 1000) reader.onItem(item(ping))
  })
  const outcome = prelude.read()
  const before = reads()
  t.ok(outcome instanceof Promise)
  t.ok(before < 1000, `${before} reads before a timer had its turn`)
  await clock.advance(1)
  t.equal(reads(), 1001)
  scope.stop(failureOf('aborted'))
  t.match(await outcome, { kind: 'aborted' })
})

t.test('a stop is told at once, and what comes behind it counts for nothing', async (t) => {
  let waiting: ItemReader<Arrival> | undefined
  const { prelude, scope, gate, reads } = preludeOf((reader) => {
    waiting = reader
  })
  const outcome = prelude.read()
  scope.stop(failureOf('aborted'))
  t.match(await outcome, { kind: 'aborted' })
  waiting?.onItem(item(arrival(text('late'))))
  waiting?.onFailure(new Error('late'))
  t.strictSame([gate.held, reads()], [[], 1])
})

t.test('an item that comes later is followed by the next read', async (t) => {
  const readers: ItemReader<Arrival>[] = []
  const { prelude, gate } = preludeOf((reader) => void readers.push(reader))
  const outcome = prelude.read()
  readers[0]?.onItem(item(arrival(start)))
  t.equal(readers.length, 2)
  readers[1]?.onItem(item(arrival(text('a'))))
  t.equal(await outcome, undefined)
  t.equal(gate.held.length, 2)
})
