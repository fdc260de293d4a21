import type { CustomLeg, LegContext, LegLimits } from '@understudy/core'
import { createChain, legOf } from '@understudy/core'
import t from 'tap'
import { scriptedLeg } from './scripted-leg.js'
import { chat } from './stage.js'
import { createFakeClock } from '../../../test/kit/fake-clock.js'

const context: LegContext = { signal: new AbortController().signal, onConnect: () => undefined }

t.test('a leg stays what it is', async (t) => {
  const leg = scriptedLeg(createFakeClock(), () => undefined, { name: 'a' })
  t.equal(legOf(leg), leg)
})

t.test('a custom leg\'s name is its provider and its model, and its settings are kept', async (t) => {
  const open = (): AsyncIterable<string> => (async function* () {})()
  const { open: opened, ...rest } = legOf({ name: 'fixed', limits: { timeoutMs: 5 }, reasoning: true, retries: 2, open })
  t.strictSame(rest, { provider: 'fixed', model: 'fixed', limits: { timeoutMs: 5 }, reasoning: true, retries: 2, price: undefined, weight: undefined })
  t.type(opened, 'function')
})

t.test('a custom leg may be an object of a class', async (t) => {
  class Local {
    readonly name = 'local'
    readonly #words = ['a']
    async *open() {
      yield* this.#words
    }
  }
  const answer = await legOf(new Local()).open(chat(), context)
  t.equal(answer.form, 'none')
  t.match(await answer.arrivals[Symbol.asyncIterator]().next(), { value: { parts: [{ type: 'text', text: 'a' }] } })
})

t.test('it is handed the request and the context, and may take its time', async (t) => {
  const request = chat()
  const seen: Parameters<CustomLeg['open']>[] = []
  const leg: CustomLeg = {
    name: 'late',
    async open(...args) {
      seen.push(args)
      await Promise.resolve()
      return (async function* () {})()
    },
  }
  await legOf(leg).open(request, context)
  const [asked, told] = seen[0] ?? []
  t.equal(asked, request)
  t.equal(told?.signal, context.signal)
  t.equal(told?.onConnect, context.onConnect)
})

t.test('it is connected from the start, unless somebody set a limit for that', async (t) => {
  const connects = async (limits?: LegLimits): Promise<number> => {
    let connected = 0
    const leg = legOf({ name: 'a', limits, open: () => (async function* () {})() })
    await leg.open(chat(), { ...context, onConnect: () => (connected += 1) })
    return connected
  }
  t.strictSame([await connects(), await connects({ timeoutMs: 5 }), await connects({ connectTimeoutMs: 5 })], [1, 1, 0])
})

t.test('an odd part fails the leg, before the commit and behind it', async (t) => {
  const yields = (...items: unknown[]): CustomLeg['open'] => async function* () {
    yield* items as string[]
  }
  const odd = { type: 'text', text: 7 }
  const code = 'odd_part.text.text'
  const chain = (open: CustomLeg['open']) => createChain({ legs: [{ name: 'odd', open }, { name: 'good', open: yields('b') }] })
  const early = await chain(yields('', odd, 'a')).run(chat())
  t.match([early.leg.provider, early.failures], ['good', [{ failure: { kind: 'malformed', code } }]])

  const late = await chain(yields('a', odd, 'more')).run(chat())
  const texts: unknown[] = []
  const error: unknown = await (async () => { for await (const part of late.parts) texts.push(part) })().catch((thrown: unknown) => thrown)
  t.strictSame(texts, [{ type: 'text', text: 'a' }])
  t.match(error, { failure: { kind: 'malformed', code } })
})
