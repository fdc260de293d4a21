import t from 'tap'

import { chatBodySchema } from '../../src/inbound/schemas.js'

const MESSAGES = [{ role: 'user', content: 'hi' }]

/** The paths of what is wrong. */
function problems(body: unknown): readonly string[] {
  const { error } = chatBodySchema.safeParse(body)
  return error === undefined ? [] : error.issues.map(({ path }) => path.join('.'))
}

t.test('what clients send passes', async (t) => {
  const bodies = [
    { messages: MESSAGES },
    { model: null, messages: MESSAGES, stream: null, n: null, tools: null, temperature: null },
    { model: 'chat', messages: [{ role: 'system', content: [{ type: 'text', text: 'x', cache: 1 }] }, ...MESSAGES], stream: true },
    { messages: [{ role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }] },
    { messages: [{ role: 'tool', tool_call_id: 'a', content: '' }], tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] },
    { messages: MESSAGES, tools: [{ type: 'custom', custom: { name: 'x' } }], tool_choice: { type: 'function', function: { name: 'f' } } },
    { messages: MESSAGES, stop: ['a'], response_format: { type: 'json_object' }, unknown_field: { deep: [1] } },
    JSON.parse('{"messages":[{"role":"user","content":"x"}],"__proto__":{"a":1},"constructor":1}'),
  ]
  for (const body of bodies) t.strictSame(problems(body), [], JSON.stringify(body))
})

t.test('what is wrong is named by its path', async (t) => {
  t.strictSame(problems({}), ['messages'])
  t.strictSame(problems({ messages: [] }), ['messages'])
  t.strictSame(problems({ messages: 'hi' }), ['messages'])
  t.strictSame(problems({ messages: [...MESSAGES, { content: 'x' }] }), ['messages.1.role'])
  t.strictSame(problems({ messages: [{ role: 'user', content: 7 }] }), ['messages.0.content'])
  t.strictSame(problems({ messages: MESSAGES, model: 7, stream: 'yes', temperature: 'hot', tools: {} }), [
    'model', 'stream', 'temperature', 'tools',
  ])
  for (const body of [null, [], 'text', 7]) t.strictSame(problems(body), [''])
})
