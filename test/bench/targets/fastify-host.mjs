// A Fastify server with a pass-through route written by hand; the body is not parsed.
import fastify from 'fastify'
import { request } from 'undici'
import { passedOn } from './pass-headers.mjs'
import { completionsUrl, primary, serve } from './serve.mjs'

const url = completionsUrl(primary)
const app = fastify({ keepAliveTimeout: 60_000 })

app.removeAllContentTypeParsers()
app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
app.post('/v1/chat/completions', async (incoming, reply) => {
  const answer = await request(url, { method: 'POST', headers: passedOn(incoming.headers), body: incoming.body })
  return reply.code(answer.statusCode).type(answer.headers['content-type']).send(answer.body)
})

await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
serve(app.server.address().port)
