import { gemini } from '@understudy/dialects'
import t from 'tap'

const mended = (contents: unknown, model = 'gemini-3-pro-preview') => gemini.mendedMembers?.({ contents }, model)
const call = (name: string) => ({ functionCall: { name, args: {} } })
const none = 'skip_thought_signature_validator'

t.test('a turn of calls without a signature gets the vendor\'s word for none, at its first call', async (t) => {
  const user = { role: 'user', parts: [call('not the model\'s')] }
  const signed = { role: 'model', parts: [call('a'), { ...call('b'), thoughtSignature: 'sig' }] }
  const others = [user, signed, { role: 'model', parts: [{ text: 'x' }] }, { role: 'model' }, { role: 'model', parts: [null, 7] }, null, 7]
  t.equal(mended(others), undefined)
  t.strictSame(mended([...others, { role: 'model', parts: [{ text: 'x' }, call('a'), call('b')], extra: 1 }]), {
    contents: [...others, { role: 'model', parts: [{ text: 'x' }, { ...call('a'), thoughtSignature: none }, call('b')], extra: 1 }],
  })
  for (const contents of ['x', undefined, null, 7, {}]) t.equal(mended(contents), undefined)
})

t.test('models that take a call without a signature get what the client sent', async (t) => {
  for (const model of ['gemini-2.5-pro', 'gemini-2.5-flash', 'another', '']) t.equal(mended([{ role: 'model', parts: [call('a')] }], model), undefined)
  t.ok(mended([{ role: 'model', parts: [call('a')] }], 'google/gemini-pro-latest'))
})
