import type { IncomingMessage } from 'node:http'

import type { NodeClient } from './disconnect.js'
import { isDisconnect } from './disconnect.js'

/** What is used of a context of Koa. */
export interface ReportingContext {
  readonly req: IncomingMessage
  onerror: (error: Error) => void
}

/**
 * Koa reports a client that leaves in the middle of a stream, as everybody does who closes a page, as an error of the app. Every other
 * error is reported as ever.
 */
export function expectDisconnect(ctx: ReportingContext, client: NodeClient): void {
  const report = ctx.onerror.bind(ctx)
  ctx.onerror = (error) => {
    if (!isDisconnect(error, ctx.req, client)) report(error)
  }
}
