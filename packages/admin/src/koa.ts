import type { Context, Middleware } from 'koa'

import { isDisconnect, normalisePrefix, pathUnder, readRequest, splitTarget, toPayload } from '@understudy/http'
import type { Fallback } from '@understudy/http'

import type { AdminOptions } from './access.js'
import { createAdmin } from './admin.js'

/** `AdminOptions`, and where the surface stands in a Koa app. */
export interface KoaAdminOptions extends AdminOptions<Context> {
  /** The path that is ours, in whole segments. Not needed under `koa-mount`. Default none: the root. */
  readonly prefix?: string | undefined
}

/**
 * The admin surface on a path of its own: `app.use(adminMiddleware(fallback, { prefix: '/understudy', authorize }))`. What is not one of its
 * paths goes to `next()` untouched.
 */
export function adminMiddleware(fallback: Fallback, { prefix: written, ...options }: KoaAdminOptions = {}): Middleware {
  const prefix = normalisePrefix(written)
  const admin = createAdmin(fallback, options)

  return async function understudyAdmin(ctx, next) {
    const { path: local, query } = splitTarget(ctx.url)
    const path = pathUnder(prefix, local)
    if (path === undefined || !admin.matches(path)) {
      await next()
      return
    }
    const request = readRequest(ctx.req, ctx.res, { path, query, atRoot: false }, () => Reflect.get(ctx.request, 'body'))
    const report = ctx.onerror.bind(ctx)
    // Koa reports a client that leaves in the middle of a stream, as every page that is closed does, as an error of the app.
    ctx.onerror = (error) => {
      if (!isDisconnect(error, ctx.req, request.client)) report(error)
    }
    const response = await admin.handle(request, { whole: splitTarget(ctx.originalUrl).path, host: ctx })
    const payload = toPayload(response, request.client)
    ctx.status = response.status
    ctx.set(response.headers)
    ctx.body = payload
  }
}
