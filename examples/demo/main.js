// Two providers (simulated, on loopback), the first of them down, and a client that never notices.
// `--once` ends after the two requests; otherwise the server stays up for you to try. PORT chooses its port.
import express from 'express'
import OpenAI from 'openai'
import { fallbackMiddleware } from '@understudy/express'
import { startSimulator } from '@understudy/simulator'

const once = process.argv.includes('--once')

const down = await startSimulator({ script: { models: { 'large-1': [{ status: 503 }] } } })
const healthy = await startSimulator({ script: { models: { 'small-1': [{ eventDelayMs: 25 }] } } })

const app = express()
app.use(
  '/chat',
  fallbackMiddleware(
    { chat: ['first/large-1', 'second/small-1'] },
    {
      providers: {
        first: { dialect: 'openai', baseURL: down.url, apiKey: 'key-of-the-first' },
        second: { dialect: 'openai', baseURL: healthy.url, apiKey: 'key-of-the-second' },
      },
    },
  ),
)
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
const address = `http://127.0.0.1:${server.address().port}/chat`

const client = new OpenAI({ baseURL: address, apiKey: 'the client needs none' })
const messages = [{ role: 'user', content: 'Say something.' }]

console.log(`Understudy serves the route 'chat' on ${address}; its first leg, first/large-1, answers 503.\n`)

console.log('A streamed request:')
const streamed = await client.chat.completions.create({ model: 'chat', messages, stream: true }).withResponse()
for await (const chunk of streamed.data) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')
printTrail(streamed.response)

console.log('A buffered request:')
const buffered = await client.chat.completions.create({ model: 'chat', messages }).withResponse()
process.stdout.write(buffered.data.choices[0].message.content)
printTrail(buffered.response)

if (once) await stop()
else {
  console.log('Still serving. Try it, and end it with Ctrl-C:\n')
  console.log(`  curl -N ${address} -H 'content-type: application/json' \\`)
  console.log(`    -d '{"model":"chat","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`)
  process.once('SIGINT', stop).once('SIGTERM', stop)
}

function printTrail({ headers }) {
  console.log(`\n  served by ${headers.get('understudy-served')}`)
  console.log(`  trail     ${headers.get('understudy-trail')}\n`)
}

async function stop() {
  server.close()
  server.closeAllConnections()
  await Promise.all([down.close(), healthy.close()])
}
