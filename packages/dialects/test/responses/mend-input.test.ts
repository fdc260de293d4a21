import t from 'tap'
import { responses } from '@understudy/dialects'

const mended = (input: unknown) => responses.mendedMembers?.({ model: 'm', input }, 'm')
const unknownState = (body: Readonly<Record<string, unknown>>) => responses.unknownState?.({ model: 'm', ...body })

t.test('thoughts with an id that was made up are taken out, with what refers to them; of other items the id is', async (t) => {
  const thoughts = [
    { type: 'reasoning', id: 'rs_understudy_a0', summary: [] }, { type: 'item_reference', id: 'rs_understudy_a0' },
    { type: null, id: 'rs_understudy_a0' }, { id: 'rs_understudy_a0' },
  ]
  const message = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'x', annotations: [] }] }
  const call = { type: 'function_call', call_id: 'c1', name: 'w', arguments: '{}' }
  const kept = [
    { role: 'user', content: 'rs_understudy_a0' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'reasoning', id: 'rs_understudyx', summary: [] },
    { ...message, id: 'msg_1' }, { ...call, id: 'fc_1' }, { ...call, id: 'fc_understudyx' },
    { type: 'item_reference', id: 'msg_1' }, { type: 'item_reference', id: 'msg_understudy_a1' },
    { type: 'reasoning' }, null, 42, 'x',
  ]
  t.equal(mended(kept.filter((item) => typeof item !== 'object' || item?.id !== 'msg_understudy_a1')), undefined)
  for (const thought of thoughts) t.strictSame(mended([thought, ...kept, thought]), { input: kept })
  t.strictSame(mended([{ ...message, id: 'msg_understudy_a1' }, { id: 'fc_understudy_a2', ...call }]), { input: [message, call] })
  t.strictSame(mended([{ role: 'assistant', content: 'x', id: 'msg_understudy_a1' }]), { input: [{ role: 'assistant', content: 'x' }] })
  for (const input of ['rs_understudy_a0', undefined, null, 7, {}]) t.equal(mended(input), undefined)
})

t.test('what an answer makes up begins so', async (t) => {
  const parts = [
    { type: 'reasoning', text: 'hm' }, { type: 'text', text: 'Hi' }, { type: 'tool-call', index: 0, id: 'c1', name: 'w', arguments: '{}' },
  ] as const
  const response = responses.encodeResponse(parts, { id: `msg_${'x'.repeat(200)}`, created: 0, isForeign: true })
  const output = response['output'] as readonly Readonly<Record<string, unknown>>[]
  t.match([response['id'], ...output.map(({ id }) => id)], [/^resp_understudy_x+$/, /^rs_understudy_x+0$/, /^msg_understudy_x+1$/, /^fc_understudy_x+2$/])
  for (const id of [response['id'], ...output.map((item) => item['id'])]) t.ok(String(id).length <= 64, 'ids are no longer than the service takes')
  const withoutId = (item: object) => Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'id'))
  t.strictSame(mended(output), { input: output.slice(1).map(withoutId) })
  t.equal(responses.encodeResponse(parts, { id: 'resp_1', created: 0 })['id'], 'resp_1', 'an answer of its own leg keeps its id')
})

t.test('what a body only names and no service has is told, by its structural name', async (t) => {
  const reference = (id: string) => ({ input: [{ role: 'user', content: 'hi' }, { type: 'item_reference', id }] })
  for (const id of ['msg_understudy_a1', 'fc_understudy_a2']) {
    t.equal(unknownState(reference(id)), 'item_reference')
    t.equal(unknownState({ input: [{ id }] }), 'item_reference', 'its type may be left out')
  }
  t.equal(unknownState({ input: 'x', previous_response_id: 'resp_understudy_a' }), 'previous_response_id')
  for (const body of [reference('msg_1'), reference('rs_understudy_a0'), { input: 'x', previous_response_id: 'resp_1' }, { input: 'msg_understudy_a1' }]) {
    t.equal(unknownState(body), undefined)
  }
  t.equal(unknownState({ input: [{ type: 'message', id: 'msg_understudy_a1', role: 'assistant', content: [] }] }), undefined, 'it stands there whole')
})
