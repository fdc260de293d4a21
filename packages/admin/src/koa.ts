import type { Context, Middleware } from 'koa'

import { expectDisconnect, normalisePrefix, pathUnder, readRequest, splitTarget, toPayload } from '@understudy/http'
import type { Fallback } from '@understudy/http'

import type { AdminOptions } from './access.js'
import { createAdmin } from './admin.js'

/** `AdminOptions`, and where the surface stands in a Koa app. */
export interface KoaAdminOptions extends AdminOptions<Context> {
  /** The path that is ours, in whole segments; `/` = the whole app is ours. Not needed under `koa-mount`. Default: nothing is ours outside of it. */
  readonly prefix?: string | undefined
}

const NO_PREFIX = 'the admin surface was given no prefix, and would be in the way of the paths of the app, so it serves nothing: '
  + "write app.use(adminMiddleware(fallback, { prefix: '/understudy', authorize })), or prefix: '/' where the whole app is its own"

/**
 * The admin surface on a path of its own: `app.use(adminMiddleware(fallback, { prefix: '/understudy', authorize }))`. What is not one of its
 * paths goes to `next()` untouched.
 */
export function adminMiddleware(fallback: Fallback, options: KoaAdminOptions = {}): Middleware {
  const { prefix: written, ...rest } = { ...options }
  const prefix = normalisePrefix(written)
  const admin = createAdmin(fallback, rest)
  let isWarned = false

  return async function understudyAdmin(ctx, next) {
    const { path: local, query } = splitTarget(ctx.url)
    const path = pathUnder(prefix, local)
    const isLost = written === undefined && !Reflect.has(ctx, 'mountPath')
    if (isLost && !isWarned) {
      isWarned = true
      admin.warn('UNDERSTUDY_ADMIN_PREFIX', NO_PREFIX)
    }
    if (isLost || path === undefined || !admin.matches(path)) {
      await next()
      return
    }
    const request = readRequest(ctx.req, ctx.res, { path, query, atRoot: false }, () => Reflect.get(ctx.request, 'body'))
    expectDisconnect(ctx, request.client)
    const response = await admin.handle(request, { whole: splitTarget(ctx.originalUrl).path, host: ctx })
    const payload = toPayload(response, request.client)
    ctx.status = response.status
    ctx.set(response.headers)
    ctx.body = payload
  }
}
