import type { IncomingMessage, ServerResponse } from 'node:http'

import { createRouteWarning, hostNext, mountFallback, readRequest, splitTarget, writeResponse, wrongHost } from '@understudy/http'
import type { Fallback, FallbackOptions, HostNext, RoutesInput } from '@understudy/http'

/** A request as Express, Connect or bare `node:http` hands it over. */
export interface HostRequest extends IncomingMessage {
  /** Express: the path that we are mounted on, taken off `url`. */
  readonly baseUrl?: string | undefined
  /** Express and Connect: `url` as it came. */
  readonly originalUrl?: string | undefined
  /** Express: the route that matched last. */
  readonly route?: unknown
  /** What a body parser before us left. */
  readonly body?: unknown
}

/** A middleware on `node:http`'s own types, so that it serves Connect and, without `next`, a bare server too. */
export type NodeMiddleware = (req: HostRequest, res: ServerResponse, next?: HostNext) => void

/**
 * Answers LLM requests by walking a chain of legs. Mount it on a path of its own with `app.use('/chat', ...)`; a request that
 * is not ours goes to `next()` untouched, and one that the host has begun to answer to `next(error)`. Throws a `ConfigError` at once if routes or options cannot be used.
 */
export function fallbackMiddleware(routes: RoutesInput | Fallback, options: FallbackOptions = {}): NodeMiddleware {
  const mounted = mountFallback(routes, options)
  const warnOfRoute = createRouteWarning(mounted.warn, "mount it with app.use('/chat', ...)")

  return function understudy(req, res, next) {
    if ((next !== undefined && typeof next !== 'function') || typeof res?.setHeader !== 'function') throw wrongHost('express', req, res)
    const leave = hostNext(res, next)
    const { path, query } = splitTarget(req.url)
    const atRoot = isAtRoot(req)
    if (!mounted.matches(req.method ?? '', path, atRoot)) {
      if (req.route !== undefined) warnOfRoute([req.route], understudy, path)
      leave()
      return
    }
    const request = readRequest(req, res, { path, query, atRoot }, () => req.body)
    mounted
      .handle(request)
      .then((response) => writeResponse(res, response, request.client))
      .catch(leave)
  }
}

/** Connect says where we are mounted only by what it took off `url`. */
function isAtRoot({ baseUrl, originalUrl, url }: HostRequest): boolean {
  return baseUrl === undefined ? originalUrl === undefined || originalUrl === url : baseUrl === ''
}
