import OpenAI from 'openai'
import { withFallback } from '@understudy/client'
import { startSimulator } from '@understudy/simulator'

// Two providers on loopback, the first of them overloaded. Real ones: `new OpenAI()`, `new Anthropic()`, and so on.
const busy = await startSimulator({ script: { models: { 'large-1': [{ status: 529 }] } } })
const healthy = await startSimulator()

const other = new OpenAI({ baseURL: healthy.url, apiKey: 'key of the other' })
const client = withFallback(new OpenAI({ baseURL: busy.url, apiKey: 'key of the first' }), {
  provider: 'first',
  fallback: [[other, 'small-1', {}, 'second']],
  on(event) {
    if (event.type === 'failover') console.log(`${event.from} failed (${event.reason}), ${event.to} takes over\n`)
  },
})

const messages = [{ role: 'user', content: 'Hello' }]
const stream = await client.chat.completions.create({ model: 'large-1', messages, stream: true })
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')
console.log()

await Promise.all([busy.close(), healthy.close()])
