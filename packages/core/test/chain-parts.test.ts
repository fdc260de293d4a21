import type { CommittedRun, Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import t from 'tap'
import { chainParts } from '../src/chain-parts.js'
import { arrival, end, finish, start, text, type Step } from './scripted-leg.js'
import { createStage } from './stage.js'

async function committed(answer: readonly Step[]) {
  const { clock, log, play } = createStage()
  const playing = play([{ name: 'a', answer }])
  await clock.advance(0)
  return { clock, log, parts: chainParts((await playing) as CommittedRun) }
}

/** The parts, and how it ended. */
async function read(parts: AsyncIterable<Part>): Promise<string[]> {
  const seen: string[] = []
  try {
    for await (const part of parts) seen.push(part.type === 'text' ? part.text : part.type)
  } catch (thrown) {
    return [...seen, `threw ${String(thrown)}`]
  }
  return [...seen, 'done']
}

t.test('the parts of all arrivals, one by one', async (t) => {
  const { parts } = await committed([arrival(start, text('a')), arrival(text('b'), text('c')), arrival(finish, end)])
  t.strictSame(await read(parts), ['start', 'a', 'b', 'c', 'finish', 'end', 'done'])
})

t.test('an answer that breaks off throws, behind what it said', async (t) => {
  const error: Part = { type: 'error', failure: failureOf('overloaded') }
  t.strictSame(await read((await committed([arrival(text('a'))])).parts), ['a', 'threw LegFailedError: leg failed: truncated'])
  t.strictSame(await read((await committed([arrival(text('a'), error, text('b'))])).parts), ['a', 'threw LegFailedError: leg failed: overloaded'])
  t.strictSame(await read((await committed([arrival(text('a')), arrival(text('b'), error)])).parts), [
    'a', 'b', 'threw LegFailedError: leg failed: overloaded',
  ])
})

t.test('nothing comes behind the end', async (t) => {
  t.strictSame(await read((await committed([arrival(text('a'), end, text('b'))])).parts), ['a', 'end', 'done'])
  t.strictSame(await read((await committed([arrival(text('a')), arrival(end, text('b')), arrival(text('c'))])).parts), ['a', 'end', 'done'])
})

t.test('leaving early closes the leg and throws nothing', async (t) => {
  const { clock, log, parts } = await committed([arrival(text('a'), text('b')), 'hang'])
  for await (const part of parts) {
    t.strictSame(part, text('a'))
    break
  }
  t.strictSame(log.slice(-3), ['0 a close', '0 a abort aborted', '0 over a neutral aborted'])
  t.equal(clock.pending, 0)
})

t.test('leaving before the first read closes the leg too', async (t) => {
  const { clock, log, parts } = await committed([arrival(text('a')), 'hang'])
  const iterator = parts[Symbol.asyncIterator]()
  await iterator.return?.()
  t.match(await iterator.next(), { done: true })
  t.strictSame([log.at(-1), clock.pending], ['0 over a neutral aborted', 0])
})

t.test('leaving in the middle of a read ends that read', async (t) => {
  const { parts } = await committed([arrival(text('a')), 'hang'])
  const iterator = parts[Symbol.asyncIterator]()
  await iterator.next()
  const reading = iterator.next()
  await iterator.return?.()
  t.match(await reading, { done: true })
})
