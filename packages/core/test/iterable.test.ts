import type { Arrival, Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { inspect } from 'node:util'
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

t.test('a part is looked at, copied, and given without what it cannot hold', async (t) => {
  const parts: readonly Part[] = [
    { type: 'start', id: 'x', model: 'm', created: 1, systemFingerprint: 'f' },
    { type: 'text', text: '', choice: 1 },
    { type: 'reasoning', text: 'hm', signature: 's', redacted: 'r' },
    { type: 'refusal', text: 'no' },
    { type: 'tool-call', index: 0, id: 'c', name: 'f', arguments: '{}' },
    { type: 'media' },
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 0, totalTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 1, reasoningTokens: 0 } },
    { type: 'finish', reason: 'unknown', raw: 'odd', stopSequence: '!' },
    { type: 'error', failure: failureOf('overloaded') },
    { type: 'end' },
  ]
  for (const part of parts) {
    t.strictSame((await all(arrivalsOf(yields(part))))[0]?.parts, [part], part.type)
    t.strictSame((await all(arrivalsOf(yields({ ...part, weather: 'fine' }))))[0]?.parts, [part], `${part.type} with more`)
  }
  const nulls = { type: 'text', text: 'a', choice: null }
  t.strictSame((await all(arrivalsOf(yields(nulls))))[0]?.parts, [{ type: 'text', text: 'a' }], 'null is absent')
})

t.test('a part of an unknown type, or with an odd field, is malformed, and its field is named without what it holds', async (t) => {
  const table: readonly (readonly [string, unknown])[] = [
    ['type', { type: 'weather', text: 'secret' }],
    ['type', { type: '__proto__' }],
    ['type', { type: 'toString' }],
    ['text.text', { type: 'text' }],
    ['text.text', { type: 'text', text: { secret: 1 } }],
    ['text.choice', { type: 'text', text: 'secret', choice: 'secret' }],
    ['text.choice', { type: 'text', text: 'a', choice: -1 }],
    ['text.choice', { type: 'text', text: 'a', choice: 0.5 }],
    ['reasoning.signature', { type: 'reasoning', text: 'a', signature: 7 }],
    ['refusal.text', { type: 'refusal', text: null }],
    ['tool-call.index', { type: 'tool-call', arguments: '' }],
    ['tool-call.index', { type: 'tool-call', index: NaN, arguments: '' }],
    ['tool-call.arguments', { type: 'tool-call', index: 0, arguments: { secret: 1 } }],
    ['tool-call.name', { type: 'tool-call', index: 0, name: Symbol('secret'), arguments: '' }],
    ['media.choice', { type: 'media', choice: 1n }],
    ['finish.reason', { type: 'finish', reason: 'secret' }],
    ['finish.reason', { type: 'finish', reason: '__proto__' }],
    ['finish.raw', { type: 'finish', reason: 'stop', raw: {} }],
    ['usage.usage', { type: 'usage' }],
    ['usage.usage', { type: 'usage', usage: { inputTokens: 'secret' } }],
    ['usage.usage', { type: 'usage', usage: { outputTokens: 1n } }],
    ['start.created', { type: 'start', created: 'secret' }],
    ['text.text', { type: 'text', get text() { throw new Error('secret') } }],
  ]
  for (const [name, item] of table) {
    const thrown: unknown = await all(arrivalsOf(yields(item))).catch((error: unknown) => error)
    t.match(thrown, { failure: { kind: 'malformed', code: `odd_part.${name}` } }, name)
    t.notMatch(inspect(thrown), /secret/, `${name}: nothing of it is told`)
  }
})

t.test('a part that changes while it is looked at is written as it was looked at', async (t) => {
  let looks = 0
  const part = { type: 'text', get text() { return (looks += 1) === 1 ? 'a' : { odd: true } } }
  t.strictSame((await all(arrivalsOf(yields(part))))[0]?.parts, [{ type: 'text', text: 'a' }])
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

t.test('an iterator that gives no result fails the leg, and says nothing for ever', async (t) => {
  for (const result of [5, null, undefined, 'text']) {
    const source: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(result as never) }) }
    t.match(await all(arrivalsOf(source)).catch((thrown: unknown) => thrown), { failure: { kind: 'malformed', code: 'no_result' } }, String(result))
  }
})
