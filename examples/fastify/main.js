import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { fallbackMiddleware } from '@understudy/fastify'
import { startSimulator } from '@understudy/simulator'

// Stands for two providers; with real ones, name them ('anthropic/...', 'openai/...') and leave `providers` out.
const provider = await startSimulator({ script: { models: { 'large-1': [{ status: 503 }], 'small-1': [{}] } } })
const apiKey = 'a key'

const app = Fastify()
await app.register(swagger, { openapi: { info: { title: 'A server with a chat endpoint', version: '1.0.0' } } })
await app.register(
  fallbackMiddleware(
    { chat: ['first/large-1', { provider: 'second', model: 'small-1', firstContentTimeoutMs: 5_000 }] },
    {
      providers: {
        first: { dialect: 'openai', baseURL: provider.url, apiKey },
        second: { dialect: 'openai', baseURL: provider.url, apiKey },
      },
    },
  ),
  { prefix: '/chat' },
)
app.get('/openapi.json', () => app.swagger())

console.log(`${await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })}/chat`)
