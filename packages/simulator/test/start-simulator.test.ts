import t from 'tap'
import OpenAI from 'openai'
import { HEALTHY_TEXT, startSimulator } from '../src/index.js'

t.test('answers the healthy text to the official client, streamed and whole', async (t) => {
  const simulator = await startSimulator()
  t.teardown(() => simulator.close())
  const client = new OpenAI({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'hi' }]

  const whole = await client.chat.completions.create({ model: 'any', messages })
  t.equal(whole.choices[0]?.message.content, HEALTHY_TEXT)

  const pieces: string[] = []
  for await (const chunk of await client.chat.completions.create({ model: 'any', messages, stream: true })) {
    pieces.push(chunk.choices[0]?.delta.content ?? '')
  }
  t.equal(pieces.join(''), HEALTHY_TEXT)
  t.equal(pieces.filter((piece) => piece !== '').length, 60)
  t.strictSame(simulator.calls.map(({ stream, number }) => [stream, number]), [[false, 1], [true, 2]])
})
