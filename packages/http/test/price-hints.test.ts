import t from 'tap'

import { createOrderHost } from '../src/price-hints.js'
import { fallbackOf, says } from './kit.js'

const REQUEST = { messages: [], stream: false }

t.test('prices that cannot be read count as not there, which is told once', async (t) => {
  const broken: readonly (() => unknown)[] = [
    () => ({ get 'a/a'(): number { throw new Error('secret') } }),
    () => new Proxy({}, { ownKeys: () => { throw new Error('secret') } }),
    () => { throw new Error('secret') },
    () => 7,
    () => Promise.resolve({}),
  ]
  for (const hints of broken) {
    const warnings: string[] = []
    const { pricesOf } = createOrderHost(hints as () => Record<string, number>, (code, message) => void warnings.push(`${code}: ${message}`))
    t.strictSame([pricesOf(REQUEST, 'cost'), pricesOf(REQUEST, 'cost')], [undefined, undefined])
    t.strictSame(warnings, ['UNDERSTUDY_PRICE_HINTS: priceHints threw, or gave no object that can be read, and counts as not there'])
  }
})

t.test('a request is served all the same, with the legs as they are without prices', async (t) => {
  const warnings: unknown[] = []
  const logger = { debug() {}, info() {}, warn: (fields: object) => void warnings.push(Reflect.get(fields, 'code')), error() {} }
  const fallback = fallbackOf(t, { chat: { legs: [says('a', 'one'), says('b', 'two')], order: 'cost' } }, {
    logger,
    priceHints: () => ({ get 'a/a'(): number { throw new Error('secret') } }),
  })
  const bytes = Buffer.from(JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'hi' }] }))
  const { status, headers } = await fallback.handle({
    method: 'POST', path: '/v1/chat/completions', query: '', atRoot: false, headers: { 'content-type': 'application/json' },
    readBody: () => Promise.resolve({ type: 'bytes', bytes }), signal: new AbortController().signal,
  })
  t.strictSame([status, headers['understudy-served']], [200, 'a/a'])
  t.ok(warnings.includes('UNDERSTUDY_PRICE_HINTS'))
})
