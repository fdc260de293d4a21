import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import compress from '@fastify/compress'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { fallbackMiddleware } from '@understudy/fastify'

import { adapterContract } from '../../../test/kit/adapter-contract.js'
import type { Harness, HarnessSetup } from '../../../test/kit/adapter-contract.js'
import { leavingContract } from '../../../test/kit/leaving-contract.js'

const { version }: { version: string } = createRequire(import.meta.url)('fastify/package.json')

adapterContract({ name: 'fastify', version, major: 5, parsers: false, makeHarness })
leavingContract('fastify', async (fallback, transport) => {
  const errors: unknown[] = []
  const app = transport === 'http1' ? Fastify() : (Fastify({ http2: true }) as unknown as FastifyInstance)
  app.setErrorHandler((error) => {
    errors.push(error)
    throw error
  })
  await app.register(fallbackMiddleware(fallback))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, server: app.server, errors, close: () => app.close() }
})

async function makeHarness({ fallback, options, mountAt, compression, begins }: HarnessSetup): Promise<Harness> {
  const errors: unknown[] = []
  const seen: string[] = []
  const app = Fastify()
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.is404) return payload
    seen.push(`${request.method} ${reply.statusCode}`)
    return payload
  })
  if (compression) await app.register(compress)
  if (begins) app.addHook('preHandler', async (_request, reply) => void reply.raw.write('begun'))
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.removeContentTypeParser('application/json')
  app.setErrorHandler((error, _request, reply) => {
    errors.push(error)
    return reply.code(500).send()
  })
  app.setNotFoundHandler((request, reply) => reply.code(200).send({ host: `${request.method} ${request.url}`, body: request.body ?? '' }))
  await app.register(fallbackMiddleware(fallback, options), mountAt === '' ? {} : { prefix: mountAt })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    port: (app.server.address() as AddressInfo).port,
    server: app.server,
    errors,
    seen,
    close: () => app.close(),
  }
}
