import t from 'tap'

import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import { waitingAnswer } from '../../src/inbound/waiting-answer.js'

async function* texts(...all: readonly string[]): AsyncGenerator<Uint8Array, undefined> {
  for (const text of all) yield Buffer.from(text)
  return undefined
}

function open() {
  const clock = createFakeClock()
  const log: string[] = []
  let arrive: (stream: AsyncIterableIterator<Uint8Array>) => void = t.fail
  const rest = new Promise<AsyncIterableIterator<Uint8Array>>((resolve) => {
    arrive = resolve
  })
  const waiting = waitingAnswer({ rest, clock, everyMs: 1_000, abandon: () => void log.push('abandoned') })
  const read = async (name: string) => {
    const { done, value } = await waiting.next()
    log.push(`${name} ${done === true ? 'done' : String(value).trim()}`)
  }
  return { clock, log, arrive, waiting, read }
}

t.test('reads at once are answered each, in their order, and leave no timer', async (t) => {
  const { clock, log, arrive, read } = open()
  const all = ['first', 'second', 'third', 'fourth', 'fifth'].map(read)
  await clock.advance(1_000)
  arrive(texts('a', 'b'))
  await Promise.all(all)
  t.strictSame(log, ['first : waiting', 'second : waiting', 'third a', 'fourth b', 'fifth done'])
  t.equal(clock.pending, 0)
})

t.test('reads at once end when the reader leaves', async (t) => {
  const { clock, log, waiting, read } = open()
  await read('first')
  const all = ['second', 'third'].map(read)
  await waiting.return?.()
  await Promise.all(all)
  t.strictSame(log, ['first : waiting', 'abandoned', 'second done', 'third done'])
  t.equal(clock.pending, 0)
})
