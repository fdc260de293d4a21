import express from 'express'
import { fallbackMiddleware } from '@understudy/express'
import { startSimulator } from '@understudy/simulator'

// The provider is down, so the chain ends at a leg that is plain code: here a fixed answer, as well an SDK or a local model.
const provider = await startSimulator({ script: { models: { 'large-1': [{ status: 503 }] } } })

const sorry = {
  name: 'sorry',
  async *open() {
    yield 'Our assistant is having a break. '
    yield 'Please call us, or try again in a minute.'
  },
}

const app = express()
app.use(
  '/chat',
  fallbackMiddleware(
    { chat: ['first/large-1', sorry] },
    { providers: { first: { dialect: 'openai', baseURL: provider.url, apiKey: 'a key' } } },
  ),
)

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/chat`)
})
