// @fastify/http-proxy. Its undici pool has 128 connections unless told otherwise, and a stream holds one.
import proxy from '@fastify/http-proxy'
import fastify from 'fastify'
import { primary, serve } from '../targets/serve.mjs'

const { origin, pathname } = new URL(primary)
const app = fastify({ keepAliveTimeout: 60_000 })
app.register(proxy, {
  upstream: origin,
  prefix: '/v1',
  rewritePrefix: pathname,
  undici: { connections: 16_384, bodyTimeout: 0, headersTimeout: 0 },
  replyOptions: { rewriteRequestHeaders: (_request, headers) => ({ ...headers, authorization: 'Bearer sk-host' }) },
})

await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
serve(app.server.address().port)
