import type { Arrival, Part } from '@understudy/core'
import t from 'tap'
import { arrivalsOf, closeArrivals, closeIterator } from '../src/iterable.js'

async function all(arrivals: AsyncIterable<Arrival>): Promise<Arrival[]> {
  const list: Arrival[] = []
  for await (const arrival of arrivals) list.push(arrival)
  return list
}

async function* yields(...items: unknown[]): AsyncGenerator<string | Part> {
  for (const item of items) yield item as string
}

t.test('text becomes parts, and an end without a finish is a finish', async (t) => {
  t.strictSame(await all(arrivalsOf(yields('a', '', 'b'))), [
    { parts: [{ type: 'text', text: 'a' }], events: 1 },
    { parts: [{ type: 'text', text: '' }], events: 1 },
    { parts: [{ type: 'text', text: 'b' }], events: 1 },
    { parts: [{ type: 'finish', reason: 'stop' }, { type: 'end' }], events: 1 },
  ])
})

t.test('parts stay what they are, and a finish is not said twice', async (t) => {
  const finish: Part = { type: 'finish', reason: 'length' }
  const usage: Part = { type: 'usage', usage: { outputTokens: 1 } }
  t.strictSame(await all(arrivalsOf(yields(finish, usage))), [
    { parts: [finish], events: 1 },
    { parts: [usage], events: 1 },
    { parts: [{ type: 'end' }], events: 1 },
  ])
})

t.test('a piece that is not there says nothing', async (t) => {
  t.strictSame((await all(arrivalsOf(yields(undefined, null)))).slice(0, 2), [
    { parts: [], events: 1 },
    { parts: [], events: 1 },
  ])
})

t.test('what is neither text nor a part is malformed', async (t) => {
  for (const item of [7, true, {}, [], { type: 1 }, () => 'a', Symbol('a')]) {
    t.match(await all(arrivalsOf(yields(item))).catch((thrown: unknown) => thrown), { failure: { kind: 'malformed' } })
  }
})

t.test('nothing comes behind the end, and what the source throws comes through', async (t) => {
  const iterator = arrivalsOf(yields())[Symbol.asyncIterator]()
  t.match(await iterator.next(), { done: false })
  t.match(await iterator.next(), { done: true })
  t.match(await iterator.next(), { done: true })
  await t.rejects(
    all(
      arrivalsOf({
        // eslint-disable-next-line require-yield
        async *[Symbol.asyncIterator]() {
          throw new Error('own')
        },
      }),
    ),
    { message: 'own' },
  )
})

t.test('closing closes the source once, even while it is stuck', async (t) => {
  let closed = 0
  const iterator = arrivalsOf({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => undefined),
      return() {
        closed += 1
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  })[Symbol.asyncIterator]()
  void iterator.next()
  await iterator.return?.()
  t.equal(closed, 1)
  t.match(await iterator.next(), { done: true })
})

t.test('closing survives every iterator', async (t) => {
  const next = () => Promise.resolve({ done: true as const, value: undefined })
  const odd: readonly unknown[] = [
    { next },
    { next, return: () => Promise.reject(new Error('no')) },
    { next, return: () => undefined },
    { next, return: () => ({ done: true }) },
    { next, return: 7 },
    {
      next,
      return() {
        throw new Error('no')
      },
    },
    {
      next,
      get return() {
        throw new Error('no')
      },
    },
  ]
  for (const iterator of odd) t.doesNotThrow(() => closeIterator(iterator as AsyncIterator<unknown>))
  for (const answer of [{}, { arrivals: undefined }, { arrivals: {} }]) {
    t.doesNotThrow(() => closeArrivals(answer as { arrivals: AsyncIterable<unknown> }))
  }
  await new Promise((resolve) => setImmediate(resolve))
})
