import type { Context, Middleware } from 'koa'

import {
  createPrefixWarning, createRouteWarning, expectDisconnect, mountFallback, normalisePrefix, pathUnder, readRequest, splitTarget, toPayload, wrongHost,
} from '@understudy/http'
import type { Fallback, FallbackOptions, RoutesInput } from '@understudy/http'

/** `FallbackOptions`, and where we stand in a Koa app. */
export interface KoaOptions extends FallbackOptions {
  /**
   * The path that is ours, in whole segments: `/chat` is not `/chatty`. `ctx.path` stays as it is. Not needed under
   * `koa-mount`, which takes the path off itself. Default none: the root.
   */
  readonly prefix?: string | undefined
}

/**
 * Answers LLM requests by walking a chain of legs: `app.use(fallbackMiddleware(routes, { prefix: '/chat' }))`. A request that
 * is not ours goes to `next()` untouched, and one that the host has begun to answer is an error of the app. Throws a `ConfigError`
 * at once if routes or options cannot be used.
 */
export function fallbackMiddleware(routes: RoutesInput | Fallback, options: KoaOptions = {}): Middleware {
  const { prefix: written, ...rest } = options
  const prefix = normalisePrefix(written)
  const mounted = mountFallback(routes, rest)
  const warnOfRoute = createRouteWarning(mounted.warn, "give it the path of the route too, as in { prefix: '/chat' }")
  const warnOfPrefix = createPrefixWarning(mounted.warn, 'leave prefix out under koa-mount')

  return async function understudy(ctx, next) {
    if (typeof next !== 'function' || typeof ctx?.set !== 'function') throw wrongHost('koa', ctx, next)
    // Not `ctx.path`: it throws, or is null, for some of the targets that clients may send.
    const { path: whole, query } = splitTarget(ctx.url)
    const path = pathUnder(prefix, whole)
    const atRoot = prefix === '' && !isMounted(ctx, whole)
    if (path === undefined || !mounted.matches(ctx.method, path, atRoot)) {
      if (isMounted(ctx, whole)) warnOfPrefix(prefix, splitTarget(ctx.originalUrl).path, whole)
      const matched: unknown = Reflect.get(ctx, 'matched')
      if (Array.isArray(matched) && (prefix === '' || path === undefined)) warnOfRoute(matched, understudy, whole)
      await next()
      return
    }
    const request = readRequest(ctx.req, ctx.res, { path, query, atRoot }, () => bodyOf(ctx))
    expectDisconnect(ctx, request.client)
    const response = await mounted.handle(request)
    // First of all, so that it is closed with the response, whatever else goes wrong.
    const payload = toPayload(response, request.client)
    ctx.status = response.status
    ctx.set(response.headers)
    ctx.body = payload
  }
}

/** What a body parser before us left. */
function bodyOf({ request }: Context): unknown {
  return Reflect.get(request, 'body')
}

/** `koa-mount` leaves its mark on a context also when the mounted app has let it through. */
function isMounted(ctx: Context, path: string): boolean {
  return Reflect.has(ctx, 'mountPath') && splitTarget(ctx.originalUrl).path !== path
}
