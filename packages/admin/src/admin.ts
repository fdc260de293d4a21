import { createBegunFault, mountFallback } from '@understudy/http'
import type { Fallback, InboundRequest, OutboundResponse } from '@understudy/http'

import type { AdminOptions } from './access.js'
import { accessOf } from './access.js'
import { checkAdmin } from './check-options.js'
import type { AdminHost, Endpoint } from './endpoint.js'
import { ENDPOINTS } from './endpoints.js'
import { faultReply } from './fault-reply.js'
import { PAGE_ENDPOINTS } from './page.js'
import { refusal, SAFE_HEADERS } from './reply.js'
import { isCrossOrigin } from './same-origin.js'
import { statusJson } from './status.js'
import { createTraffic } from './traffic.js'

/** A request as its framework has it. */
export interface AdminTarget<Host = unknown> {
  /** The whole path, the mount included. */
  readonly whole: string
  /** What `authorize` is given beside the request. */
  readonly host: Host
}

/** The surface without a framework: what the adapters mount. */
export interface Admin<Host = unknown> {
  /** Whether a path under the mount is one of ours. */
  readonly matches: (path: string) => boolean
  /** Answers a request. Never rejects. */
  readonly handle: (request: InboundRequest, target: AdminTarget<Host>) => Promise<OutboundResponse>
  /** Every path under the mount. */
  readonly paths: readonly string[]
  /** Says what a person should know of the mount. */
  readonly warn: (code: string, message: string) => void
}

/** What the surface stands on, so that a test can bring its own. */
export interface AdminGround {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined
  /** How often a stream of events looks for news, in ms. Default 2 000. */
  readonly tickMs?: number | undefined
}

const ALL: readonly Endpoint[] = [...PAGE_ENDPOINTS, ...ENDPOINTS]
const PATHS: readonly string[] = [...new Set(ALL.map(({ path }) => path))]
const PATH_SET: ReadonlySet<string> = new Set(PATHS)

const NO_AUTHORIZE = 'the admin surface refuses every request until it is given the option authorize: '
  + 'adminMiddleware(fallback, { authorize: (request) => ({ actor }) })'

/**
 * Makes the surface of one `Fallback`. It listens to the `Fallback` from now on, to count. Throws a `ConfigError` for something else than a
 * `Fallback`, and for options that are none.
 */
export function createAdmin<Host = unknown>(fallback: Fallback, options: AdminOptions<Host> = {}, ground: AdminGround = {}): Admin<Host> {
  checkAdmin(fallback, options)
  const { authorize } = options
  const { onHostFault, warn } = mountFallback(fallback)
  const begunFault = createBegunFault(warn)
  const { now = Date.now, tickMs = 2_000 } = ground
  const traffic = createTraffic(now, () => fallback.snapshot().routes)
  fallback.on(traffic.hear)
  const host: AdminHost = { fallback, tickMs, status: () => statusJson(fallback, traffic, now()) }

  return {
    matches: (path) => PATH_SET.has(path),
    paths: PATHS,
    warn,
    async handle(request, target) {
      const begun = begunFault(request)
      if (begun !== undefined) throw begun
      try {
        return await answer(request, target)
      } catch (error) {
        return faultReply(error)
      }
    },
  }

  async function answer(request: InboundRequest, { whole, host: native }: AdminTarget<Host>): Promise<OutboundResponse> {
    if (authorize === undefined) return refusal('forbidden', NO_AUTHORIZE)
    const access = await accessOf(authorize, request, { host: native, onHostFault })
    if (access === undefined) return refusal('forbidden', 'authorize did not let this request in')
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const endpoints = ALL.filter(({ path }) => path === request.path)
    const endpoint = endpoints.find((each) => each.method === method)
    if (endpoint === undefined) {
      if (endpoints.length === 0) return refusal('not_found', 'nothing is served here')
      return refusal('method_not_allowed', `only ${endpoints.map((each) => each.method).join(', ')} is answered here`)
    }
    if (method === 'POST' && isCrossOrigin(request.headers)) {
      return refusal('cross_origin', 'the request comes from a page of another origin; changes are made from the same origin only')
    }
    if (request.path === '/' && !whole.endsWith('/')) return slashAdded(whole)
    return endpoint.answer(host, request, access)
  }
}

/** The page's own links are relative to a path that ends in a slash. */
function slashAdded(whole: string): OutboundResponse {
  const location = `./${whole.slice(whole.lastIndexOf('/') + 1)}/`
  return { status: 302, headers: { ...SAFE_HEADERS, location, 'content-length': '0' }, body: new Uint8Array(0) }
}
