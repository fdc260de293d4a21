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

t.test('a budget of thinking stays behind where the answer that results go on with began without a thought', async (t) => {
  const user = { role: 'user', content: 'hi' }
  const call = { type: 'tool_use', id: 'a', name: 'b', input: {} }
  const own = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }, call] }
  const hidden = { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }, call] }
  const foreign = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: '' }, call] }
  const bare = { role: 'assistant', content: [call] }
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }
  const thinking = { type: 'enabled', budget_tokens: 2_000 }
  const of = (messages: readonly unknown[], fields: object = { thinking }) => anthropic.mendedMembers?.({ model: 'm', messages, ...fields }, 'm')

  const off = [
    [user, bare, result], [user, own, result, user, bare, result], [user, bare, result, bare, result], [user, bare, result, own, result],
    [user, { role: 'assistant', content: [{ type: 'text', text: 'Well' }, call] }, result],
  ]
  for (const messages of off) t.strictSame(of(messages), { thinking: undefined })
  t.strictSame(of([user, foreign, result]), { messages: [user, bare, result], thinking: undefined })
  t.strictSame(of([user, foreign, result, user]), { messages: [user, bare, result, user] }, 'that answer is over')
  t.strictSame(of([user, own, result, foreign, result]), { messages: [user, own, result, bare, result] }, 'it began with one')

  const on = [[user, own, result], [user, hidden, result], [user, own, result, bare, result], [user, bare, result, user], [user], [user, bare], []]
  for (const messages of on) t.equal(of(messages), undefined)
  for (const fields of [{}, { thinking: { type: 'disabled' } }, { thinking: { type: 'adaptive' } }]) t.equal(of([user, bare, result], fields), undefined)
  t.strictSame(of([user, foreign, result], { thinking: { type: 'adaptive' } }), { messages: [user, bare, result] }, 'which needs none')

  const clear = { type: 'clear_thinking_20251015' }
  const edits = [{ type: 'clear_tool_uses_20250919' }]
  t.strictSame(of([user, bare, result], { thinking, context_management: { edits: [clear, ...edits] } }), { thinking: undefined, context_management: { edits } })
  t.strictSame(of([user, bare, result], { thinking, context_management: { edits } }), { thinking: undefined })
})

t.test('a body that is made anew is mended too', async (t) => {
  const body = {
    model: 'm', max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 2_000 }, messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: '' }, { type: 'tool_use', id: 'a', name: 'b', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
    ],
  }
  const { thinking, messages } = anthropic.encodeRequest(anthropic.decodeRequest(body), 'm')
  t.strictSame([thinking, messages], [undefined, [body.messages[0], { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] }, body.messages[2]]])
})
