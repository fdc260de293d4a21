import type { ServerResponse } from 'node:http'

/** What a host does with a request that is not ours, or that failed inside us. */
export type HostNext = (error?: unknown) => void

/** The host's own `next`; a bare `node:http` server has none, so there what is not ours is a 404, and what failed a 500. */
export function hostNext(res: ServerResponse, next: HostNext | undefined): HostNext {
  return next ?? ((error) => {
    if (res.headersSent) res.destroy()
    else res.writeHead(error === undefined ? 404 : 500, { 'content-length': '0' }).end()
  })
}
