import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'

import {
  bodySchemaOf, mountFallback, readRequest, registerFault, routedPath, sendReply, splitTarget, SURFACE_PATHS,
} from '@understudy/http'
import type { Fallback, FallbackOptions, RoutesInput } from '@understudy/http'

/**
 * A plugin that answers LLM requests by walking a chain of legs: `app.register(fallbackMiddleware(routes), { prefix: '/chat' })`.
 * It has a scope of its own: the host's parsers, validators and serializers stay as they are. A request that a hook has begun to answer
 * goes to the host's error handler. Throws a `ConfigError` at once if routes or options cannot be used.
 */
export function fallbackMiddleware(routes: RoutesInput | Fallback, options: FallbackOptions = {}): FastifyPluginAsync {
  const mounted = mountFallback(routes, options)

  function understudy(scope: FastifyInstance, registered: object): Promise<void> {
    const fault = registerFault(scope, registered)
    if (fault !== undefined) return Promise.reject(fault)
    const prefix = scope.prefix.endsWith('/') ? scope.prefix.slice(0, -1) : scope.prefix
    const atRoot = prefix === ''
    // The body stays a stream: `readRequest` reads it, under our limit and with our errors.
    scope.removeAllContentTypeParsers()
    // The usual type by its name too: Fastify takes every other one apart at each request.
    scope.addContentTypeParser(['application/json', '*'], (_request, payload, done) => done(null, payload))
    // The schemas describe; what is wrong with a body is said in the client's dialect.
    scope.setValidatorCompiler(() => (value: unknown) => ({ value }))
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      // Fastify refuses a malformed content type before any parser sees it; we refuse it in the client's dialect.
      if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error
      return answer(request, reply)
    })
    if (mounted.owned) scope.addHook('onClose', () => mounted.fallback.close())

    for (const { method, path, surface } of SURFACE_PATHS) {
      if (!mounted.matches(method, path, atRoot)) continue
      for (const [index, url] of spellings(scope, path).entries()) {
        scope.route({
          method,
          url,
          exposeHeadRoute: true,
          prefixTrailingSlash: 'slash',
          schema: { hide: index > 0, ...bodySchemaOf(surface) },
          config: { swaggerTransform: jsonSchemaTransform },
          handler: answer,
        })
      }
    }
    return Promise.resolve()

    async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { path: whole, query } = splitTarget(request.url)
      const path = routedPath(prefix, request.routeOptions.url ?? '', whole)
      if (!mounted.matches(request.method, path, atRoot)) {
        reply.callNotFound()
        return reply
      }
      const neutral = readRequest(request.raw, reply.raw, { path, query, atRoot }, () => request.body)
      return sendReply(reply, await mounted.handle(neutral), neutral.client)
    }
  }

  return plugin(understudy, { name: '@understudy/fastify', fastify: '5.x', encapsulate: true })
}

/** A path without and with its trailing slash, unless the host takes the two for one. */
function spellings({ prefix, initialConfig }: FastifyInstance, path: string): readonly string[] {
  if ((path === '/' && prefix === '') || path.endsWith('*')) return [path]
  const bare = path === '/' ? '' : path
  const { ignoreTrailingSlash, routerOptions } = initialConfig
  return ignoreTrailingSlash === true || routerOptions?.ignoreTrailingSlash === true ? [bare] : [bare, `${bare}/`]
}
