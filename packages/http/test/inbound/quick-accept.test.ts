import fc from 'fast-check'
import t from 'tap'
import { z } from 'zod'

import { quickAccept } from '../../src/inbound/quick-accept.js'
import { chatBody, messagesBody } from '../../src/inbound/schemas.js'

const JITLESS = { jitless: true } as const

/** Values as they come out of JSON, with the names of the fields that are looked at, right and wrong. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1.5, Infinity, '', 'user', 'text'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'model', 'models', 'messages', 'role', 'content', 'type', 'text', 'name', 'tools', 'tool_calls', 'function', 'arguments', 'stop',
        'stream', 'stream_options', 'include_usage', 'n', 'max_tokens', 'tool_choice', 'system', 'input_schema', 'redundancy', 'other',
      ),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
})).value

t.test('what is accepted at once, the schema accepts', (t) => {
  for (const { whole, quick } of [chatBody, messagesBody]) {
    fc.assert(
      fc.property(json, fc.array(json, { minLength: 1, maxLength: 2 }), (body, messages) => {
        for (const value of [body, typeof body === 'object' && body !== null ? { ...body, messages } : body]) {
          if (quick(value)) t.equal(whole.safeParse(value, JITLESS).success, true, JSON.stringify(value))
        }
      }),
      { numRuns: 3000 },
    )
  }
  t.end()
})

t.test('the bodies of everyday need no second look', (t) => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const chat = {
    model: 'chat',
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: 'https://x' } }] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '4' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    tool_choice: 'auto',
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.3,
    stop: ['x'],
    metadata: { any: 'thing' },
  }
  t.equal(chatBody.quick(chat), true)
  t.equal(messagesBody.quick({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], system: [{ type: 'text' }] }), true)
  t.end()
})

t.test('nothing is accepted at once that a rule beyond the types may refuse', (t) => {
  const refuses = (schema: z.ZodType, ...values: readonly unknown[]) => {
    for (const value of values) t.equal(quickAccept(schema)(value), false, `${schema.type} ${String(value)}`)
  }
  refuses(z.string().min(1), 'a')
  refuses(z.number().int(), 1)
  refuses(z.number(), Infinity, NaN, '1')
  refuses(z.array(z.string()).max(1), [])
  refuses(z.array(z.string()).min(1), [], ['a', 1], {})
  refuses(z.array(z.string()).min(1).min(2), ['a'])
  refuses(z.looseObject({ a: z.string() }), {}, { a: 1 }, [], null, 'a')
  refuses(z.looseObject({ a: z.string() }).refine(() => true), { a: '' })
  refuses(z.strictObject({}), {})
  refuses(z.object({}), {})
  refuses(z.string().transform(Number), '1')
  refuses(z.enum(['a']), 'a')
  refuses(z.union([z.string(), z.array(z.string())]), 1, [1])
  t.equal(quickAccept(z.array(z.string()).min(1))(['a']), true)
  t.equal(quickAccept(z.string().nullish())(undefined), true)
  t.equal(quickAccept(z.string().nullish())(null), true)
  t.equal(quickAccept(z.boolean())(false), true)
  t.end()
})
