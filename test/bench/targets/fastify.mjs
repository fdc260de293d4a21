// Understudy on Fastify.
import { fallbackMiddleware } from '@understudy/fastify'
import fastify from 'fastify'
import { options, routes } from './routes.mjs'
import { serve } from './serve.mjs'

const app = fastify({ keepAliveTimeout: 60_000 })
app.register(fallbackMiddleware(routes, options), { prefix: '/v1' })

await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
serve(app.server.address().port)
