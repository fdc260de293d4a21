import { chatRequestOf } from '@understudy/core'
import t from 'tap'

t.test('a request without turns is refused with the name of what is missing', async (t) => {
  const convert = (input?: unknown): unknown => Reflect.apply(chatRequestOf, undefined, [input])
  for (const input of [undefined, null, {}, { messages: 'hi' }, { messages: [null] }]) {
    t.throws(() => convert(input), { name: 'TypeError', message: /^run: `messages` must be an array of turns/ })
  }
})

t.test('plain text becomes a block, a stream is the default, and the input stays as it was', async (t) => {
  const input = Object.freeze({
    model: 'm',
    maxTokens: 5,
    messages: Object.freeze([
      Object.freeze({ role: 'user' as const, content: 'hi', name: 'ada' }),
      Object.freeze({ role: 'assistant' as const, content: [{ type: 'text' as const, text: 'ho' }] }),
    ]),
  })
  t.strictSame(chatRequestOf(input), {
    model: 'm',
    maxTokens: 5,
    stream: true,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi' }], name: 'ada' },
      { role: 'assistant', content: [{ type: 'text', text: 'ho' }] },
    ],
  })
  t.equal(chatRequestOf({ ...input, stream: false }).stream, false)
})
