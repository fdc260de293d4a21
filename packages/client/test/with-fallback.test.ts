import OpenAI from 'openai'
import t from 'tap'

import { startSimulator } from '@understudy/simulator'
import { withFallback } from '@understudy/client'

t.test('a call that the first provider throttles is answered by the next, as the SDK would answer it', async (t) => {
  const one = await startSimulator({ script: { models: { large: [{ status: 429 }] } } })
  const two = await startSimulator()
  t.teardown(() => Promise.all([one.close(), two.close()]))
  const other = new OpenAI({ baseURL: two.url, apiKey: 'key-2' })
  const client = withFallback(new OpenAI({ baseURL: one.url, apiKey: 'key-1' }), { fallback: [[other, 'small']] })
  const answer = await client.chat.completions.create({ model: 'large', messages: [{ role: 'user', content: 'Hello' }] })
  t.match(answer, { model: 'small', object: 'chat.completion', _request_id: 'req-small-1' })
})
