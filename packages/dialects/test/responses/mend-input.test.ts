import t from 'tap'
import { responses } from '@understudy/dialects'

const mended = (input: unknown) => responses.mendedMembers?.({ model: 'm', input }, 'm')

t.test('only thoughts with an id that was made up are taken out', async (t) => {
  const madeUp = { type: 'reasoning', id: 'rs_understudy_a0', summary: [] }
  const kept = [
    { role: 'user', content: 'rs_understudy_a0' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'reasoning', id: 'rs_understudyx', summary: [] },
    { type: 'message', id: 'rs_understudy_a0', role: 'assistant', content: [] },
    { type: 'item_reference', id: 'rs_understudy_a0' },
    { type: 'reasoning' }, null, 42, 'x',
  ]
  t.equal(mended(kept), undefined)
  t.strictSame(mended([madeUp, ...kept, madeUp]), { input: kept })
  for (const input of ['rs_understudy_a0', undefined, null, 7, {}]) t.equal(mended(input), undefined)
})

t.test('what an answer makes up begins so', async (t) => {
  const response = responses.encodeResponse([{ type: 'reasoning', text: 'hm' }], { id: `msg_${'x'.repeat(200)}`, created: 0, isForeign: true })
  t.match(mended(response['output']), { input: [] })
  t.ok(JSON.stringify(response['output']).length < 200, 'ids are no longer than the service takes')
})
