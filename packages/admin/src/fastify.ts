import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

import { readRequest, registerFault, sendReply, splitTarget } from '@understudy/http'
import type { Fallback } from '@understudy/http'

import type { AdminOptions } from './access.js'
import { createAdmin } from './admin.js'

/** No page of the host's documentation: `@fastify/swagger` reads `hide`. */
const HIDDEN = { hide: true, response: {} }

/**
 * The admin surface on a path of its own: `app.register(adminMiddleware(fallback, { authorize }), { prefix: '/understudy' })`. It has a scope of
 * its own: the host's parsers stay as they are.
 */
export function adminMiddleware(fallback: Fallback, options: AdminOptions<FastifyRequest> = {}): FastifyPluginAsync {
  const admin = createAdmin(fallback, options)

  return function understudyAdmin(scope: FastifyInstance, registered: object): Promise<void> {
    const fault = registerFault(scope, registered, 'adminMiddleware(fallback')
    if (fault !== undefined) return Promise.reject(fault)
    // The body stays a stream: the surface reads it, under its limit and with its errors.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    for (const url of admin.paths) {
      scope.route({
        method: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
        url,
        exposeHeadRoute: true,
        schema: HIDDEN,
        handler: (request, reply) => answer(url, request, reply),
      })
    }
    return Promise.resolve()
  }

  async function answer(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { path: whole, query } = splitTarget(request.originalUrl)
    const neutral = readRequest(request.raw, reply.raw, { path, query, atRoot: false }, () => request.body)
    return sendReply(reply, await admin.handle(neutral, { whole, host: request }), neutral.client)
  }
}
