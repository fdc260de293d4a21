import express from 'express'
import { fallbackMiddleware } from '@understudy/express'
import { startSimulator } from '@understudy/simulator'

// Stands for two providers; with real ones, name them ('anthropic/...', 'openai/...') and leave `providers` out.
const provider = await startSimulator({ script: { models: { 'large-1': [{ status: 503 }], 'small-1': [{}] } } })
const apiKey = 'a key'

const app = express()
app.get('/', (req, res) => res.send('POST to /chat'))
app.use(
  '/chat',
  fallbackMiddleware(
    { chat: ['first/large-1', { provider: 'second', model: 'small-1', firstContentTimeoutMs: 5_000 }] },
    {
      providers: {
        first: { dialect: 'openai', baseURL: provider.url, apiKey },
        second: { dialect: 'openai', baseURL: provider.url, apiKey },
      },
    },
  ),
)

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/chat`)
})
