import { createOpenAI } from '@ai-sdk/openai'
import { generateText, type ModelMessage } from 'ai'
import t from 'tap'
import { AI_SDK_CLIENTS } from './ai-sdk-clients.js'
import { LAST_QUESTION } from './sdk-client.js'
import { ROUTES, startSdkHost } from './sdk-host.js'
import { playMatrix } from './sdk-matrix.js'

// A busy machine takes its time.
t.setTimeout(300_000)
await playMatrix('the AI SDK', AI_SDK_CLIENTS)

t.test('ids in the place of earlier items, which the AI SDK sends unless it is told not to store, are refused by name', async (t) => {
  const host = await startSdkHost('express', { leg: 'anthropic', step: { status: 503 } }, 'gemini')
  t.teardown(host.close)
  const model = createOpenAI({ baseURL: `${host.origin}/v1`, apiKey: 'the-callers' }).responses(ROUTES.plain)
  const question: ModelMessage = { role: 'user', content: LAST_QUESTION }
  const { response } = await generateText({ model, messages: [question], maxRetries: 0 })
  const calls = host.second.calls.length
  await t.rejects(generateText({ model, messages: [question, ...response.messages, question], maxRetries: 0 }), {
    statusCode: 400,
    message: /item_reference/,
  })
  t.equal(host.second.calls.length, calls, 'no leg is asked')
})
