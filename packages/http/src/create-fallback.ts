import type { FallbackOptions, ResolvedMount, RoutesInput } from '@understudy/config'
import { resolveConfig } from '@understudy/config'
import { createSystemClock } from '@understudy/core'
import type { Dialect } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'
import { openai } from '@understudy/dialects'

import { createEventHub } from './event-hub.js'
import type { Fallback } from './fallback.js'
import { handleChat } from './inbound/handle.js'
import { matchPath } from './inbound/paths.js'
import { jsonResponse, rejectionResponse } from './inbound/rejection.js'
import type { InboundRequest } from './inbound/request.js'
import type { OutboundResponse } from './inbound/response.js'
import { requestIdOf } from './inbound/response-headers.js'
import { createRoutes, modelList } from './inbound/routes.js'
import { createLegWatch } from './leg-watch.js'
import { createProviderAgents } from './outbound/agents.js'
import { logRun } from './run-log.js'
import { createWarn } from './warnings.js'

const CODECS: ReadonlyMap<string, DialectCodec> = new Map([[openai.name, openai]])
const SUPPORTED: ReadonlySet<Dialect> = new Set([openai.name])

/** How a mount reaches a `Fallback` with options of its own. Not part of the public shape. */
export const AT_MOUNT = Symbol.for('understudy.atMount')

/** A `Fallback` that other mounts may share. */
export interface MountableFallback extends Fallback {
  readonly [AT_MOUNT]: (mount: ResolvedMount) => Pick<Fallback, 'handle'> & {
    readonly matches: (method: string, path: string, atRoot: boolean) => boolean
  }
}

/**
 * Makes a `Fallback` of routes. Throws a `ConfigError` that names each option that is wrong, synchronously, so that a bad config
 * stops the server at start. Close it when the server closes.
 */
export function createFallback(routes: RoutesInput, options: FallbackOptions = {}): Fallback {
  return createMountableFallback(routes, options)
}

/** `createFallback`, with what `mountFallback` needs of it. */
export function createMountableFallback(routes: RoutesInput, options: FallbackOptions): MountableFallback {
  const warn = createWarn(options.logger)
  const config = resolveConfig(routes, options, { env: process.env, supportedDialects: SUPPORTED, warn })
  const { logger } = config
  // The server's sockets hold the process; a limit that is waited for must not.
  const clock = createSystemClock({ unref: true })
  const agents = createProviderAgents({ proxy: config.proxy })
  const runnable = createRoutes(config, codecOf, agents)
  const hub = createEventHub()
  const watch = createLegWatch(warn, Date.now)
  const created = Math.floor(Date.now() / 1000)
  let openRuns = 0
  let closed = false

  const host = {
    routes: runnable,
    clock,
    hub,
    watch,
    onOutcome: logRun.bind(undefined, logger),
  }

  const atMount: MountableFallback[typeof AT_MOUNT] = (mount) => ({
    matches: (method, path, atRoot) => matchPath(method, path, { atRoot, shortPaths: mount.shortPaths }) !== undefined,
    handle: (request) => handle(request, mount),
  })
  const own = atMount(config.mount)

  return {
    matches: (method, path, atRoot = false) => own.matches(method, path, atRoot),
    handle: own.handle,
    snapshot: () => ({
      routes: [...runnable.values()].map(({ name, legs }) => ({
        name,
        legs: legs.map(({ provider, model }) => ({ provider, model })),
      })),
      lastFailures: watch.lastFailures(),
      openRuns,
      listenerErrors: hub.errors(),
    }),
    on: hub.on,
    async close() {
      closed = true
      await agents.close()
    },
    [AT_MOUNT]: atMount,
  }

  async function handle(request: InboundRequest, mount: ResolvedMount): Promise<OutboundResponse> {
    const requestId = requestIdOf(request.headers['x-request-id'])
    openRuns += 1
    try {
      return await dispatch(request, mount, requestId)
    } catch (error) {
      logger?.error({ requestId, error: error instanceof Error ? error.name : 'unknown' }, 'a request failed inside Understudy')
      return rejectionResponse(openai, { status: 500, code: 'internal_error', message: 'Understudy failed' }, requestId)
    } finally {
      openRuns -= 1
    }
  }

  async function dispatch(request: InboundRequest, mount: ResolvedMount, requestId: string): Promise<OutboundResponse> {
    const place = { atRoot: request.atRoot, shortPaths: mount.shortPaths }
    const row = matchPath(request.method, request.path, place)
    if (row === undefined) {
      return rejectionResponse(openai, { status: 404, code: 'not_found', message: 'nothing is served here' }, requestId)
    }
    if (closed) {
      return rejectionResponse(openai, { status: 503, code: 'no_leg_available', message: 'Understudy is closed' }, requestId)
    }
    if (row.surface === 'models') {
      const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId }
      return jsonResponse(200, headers, modelList(runnable, created))
    }
    return handleChat(host, mount, openai, request, requestId)
  }
}

function codecOf(dialect: string): DialectCodec {
  const codec = CODECS.get(dialect)
  if (codec === undefined) throw new TypeError(`dialect '${dialect}' has no codec`)
  return codec
}
