import { anthropic, anthropicOnBedrock } from '@understudy/dialects'
import t from 'tap'

const mended = (messages: unknown) => anthropic.mendedMembers?.({ model: 'm', messages }, 'm')

t.test('only thoughts without a signature are taken out, and a turn that has nothing else with them', async (t) => {
  const unsigned = [{ type: 'thinking', thinking: 'hm', signature: '' }, { type: 'thinking', thinking: 'hm' }, { type: 'thinking', signature: 7 }]
  const kept = [
    { type: 'thinking', thinking: '', signature: 'sig' },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'text', text: 'thinking', signature: '' },
    { type: 'tool_use', id: 'a', name: 'b', input: { type: 'thinking', signature: '' } },
    null, 42, 'x',
  ]
  const user = { role: 'user', content: [{ type: 'thinking', thinking: 'no turn of the model', signature: '' }] }
  const others = [user, { role: 'assistant', content: kept }, { role: 'assistant', content: 'thinking' }, { role: 'assistant' }, null, 7]
  t.equal(mended(others), undefined)
  for (const block of unsigned) {
    t.strictSame(
      mended([user, { role: 'assistant', content: [block, ...kept, block], extra: 1 }, ...others, { role: 'assistant', content: [block] }]),
      { messages: [user, { role: 'assistant', content: kept, extra: 1 }, ...others] },
    )
  }
  for (const messages of ['x', undefined, null, 7, {}]) t.equal(mended(messages), undefined)
})

t.test('what an answer of another dialect makes of its thoughts is taken out, at the clouds too', async (t) => {
  const response = anthropic.encodeResponse([{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'Hi' }], { id: 'a', created: 0, isForeign: true })
  const turn = { role: 'assistant', content: response['content'] }
  for (const codec of [anthropic, anthropicOnBedrock]) {
    t.match(codec.mendedMembers?.({ messages: [turn] }, 'm'), { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }] })
  }
})
