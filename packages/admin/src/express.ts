import type { IncomingMessage, ServerResponse } from 'node:http'

import { createRouteWarning, hostNext, readRequest, splitTarget, writeResponse } from '@understudy/http'
import type { Fallback, HostNext } from '@understudy/http'

import type { AdminOptions } from './access.js'
import { createAdmin } from './admin.js'

/** A request as Express, Connect or bare `node:http` hands it over. */
export interface HostRequest extends IncomingMessage {
  /** Express and Connect: `url` as it came. */
  readonly originalUrl?: string | undefined
  /** Express: the route that matched last. */
  readonly route?: unknown
  /** What a body parser before us left. */
  readonly body?: unknown
}

/** A middleware on `node:http`'s own types, so that it serves Connect and, without `next`, a bare server too. */
export type AdminMiddleware = (req: HostRequest, res: ServerResponse, next?: HostNext) => void

const RIGHT_MOUNT = "mount the admin surface with app.use('/understudy', adminMiddleware(fallback, { authorize }))"

/**
 * The admin surface on a path of its own: `app.use('/understudy', adminMiddleware(fallback, { authorize }))`. What is not one of its
 * paths goes to `next()` untouched, and is told once where it came by a route (`app.get('/understudy', ...)`), which takes nothing off a path.
 */
export function adminMiddleware(fallback: Fallback, options: AdminOptions<HostRequest> = {}): AdminMiddleware {
  const admin = createAdmin(fallback, options)
  const warnOfRoute = createRouteWarning(admin.warn, RIGHT_MOUNT)

  return function understudyAdmin(req, res, next) {
    const leave = hostNext(res, next)
    const { path, query } = splitTarget(req.url)
    if (!admin.matches(path)) {
      if (req.route !== undefined) warnOfRoute([req.route], understudyAdmin, path)
      leave()
      return
    }
    const whole = splitTarget(req.originalUrl ?? req.url).path
    const request = readRequest(req, res, { path, query, atRoot: false }, () => req.body)
    admin
      .handle(request, { whole, host: req })
      .then((response) => writeResponse(res, response, request.client))
      .catch(leave)
  }
}
