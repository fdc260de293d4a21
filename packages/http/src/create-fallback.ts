import { setMaxListeners } from 'node:events'

import type { CloudCredentials, FallbackOptions, ResolvedMount, ResolvedRoute, RoutesInput } from '@understudy/config'
import { resolveConfig } from '@understudy/config'
import { createLatencies, createSystemClock } from '@understudy/core'
import type { Clock, Dialect } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'
import { anthropic, bedrock, gemini, openai, responses } from '@understudy/dialects'

import { createAuthorizeFaults, createHostFaults } from './authorize-faults.js'
import { routesFault } from './check-mount.js'
import { createDrills } from './drills/create-drills.js'
import { createEventHub } from './event-hub.js'
import type { Fallback, MountedFallback } from './fallback.js'
import { guardLogger } from './guard-logger.js'
import { createIdentifyFaults } from './identify-faults.js'
import { CLOSED_REJECTION, FAULT_REJECTION } from './inbound/client-errors.js'
import { isNameable } from './inbound/caller-chain.js'
import { classic } from './inbound/classic-envelope.js'
import { MODELS_PATH, readContentPath } from './inbound/content-path.js'
import { handleChat } from './inbound/handle.js'
import { asJsonArray, asksForEvents } from './inbound/json-array.js'
import { createEmbeddingRoutes } from './inbound/embedding-routes.js'
import { handleEmbeddings } from './inbound/embeddings.js'
import { createKeyDefaultsReader } from './inbound/key-defaults.js'
import type { MountPlace, Surface, SurfacePath } from './inbound/paths.js'
import { matchPath } from './inbound/paths.js'
import { jsonResponse, rejectionResponse } from './inbound/rejection.js'
import type { InboundRequest } from './inbound/request.js'
import type { OutboundResponse } from './inbound/response.js'
import { requestIdOf } from './inbound/response-headers.js'
import { createCallerLegs, createRouteMaker, modelList } from './inbound/routes.js'
import type { BodyShape } from './inbound/schemas.js'
import { chatBody, contentsBody, messagesBody, responsesBody } from './inbound/schemas.js'
import { createHealth } from './health.js'
import { createLegWatch } from './leg-watch.js'
import { liveSnapshot } from './live/chain-snapshot.js'
import { createChainControl } from './live/create-chain-control.js'
import { createLive, provenChains } from './live/create-live.js'
import { embeddingRouteSnapshot, routeSnapshot } from './live/route-snapshot.js'
import { routeToTry, tryLegs } from './live/try-legs.js'
import { createOpenRuns } from './open-runs.js'
import { createProviderAgents } from './outbound/agents.js'
import { createCloudCredentials } from './outbound/cloud-credentials.js'
import { createOrderHost } from './price-hints.js'
import { logFault } from './run-log.js'
import { runEndOptions } from './run-watch.js'
import { createWarn } from './warnings.js'

const CODECS: ReadonlyMap<string, DialectCodec> = new Map([openai, anthropic, gemini, responses].map((codec) => [codec.name, codec]))
const SUPPORTED: ReadonlySet<Dialect> = new Set([openai, anthropic, gemini, responses, bedrock].map(({ name }) => name))

/** What a body has to be where it is no chat completion. */
const SHAPES: ReadonlyMap<Surface, BodyShape> = new Map([['messages', messagesBody], ['responses', responsesBody]])

/** How a mount reaches a `Fallback` with options of its own, over those of the `Fallback`. Not part of the public shape. */
export const AT_MOUNT = Symbol.for('understudy.atMount')

/** A `Fallback` that other mounts may share. */
export interface MountableFallback extends Fallback {
  readonly [AT_MOUNT]: (resolve: (own: ResolvedMount) => ResolvedMount) => Pick<MountedFallback, 'matches' | 'handle' | 'warn' | 'onHostFault'>
}

/**
 * Makes a `Fallback` of routes. Throws a `ConfigError` that names each option that is wrong, synchronously, so that a bad config
 * stops the server at start. Close it when the server closes.
 */
export function createFallback(routes: RoutesInput, options: FallbackOptions = {}): Fallback {
  const fault = routesFault(routes)
  if (fault !== undefined) throw fault
  return createMountableFallback(routes, options)
}

/** What a `Fallback` stands on, so that a test can bring its own. */
export interface FallbackGround {
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  readonly env: Readonly<Record<string, string | undefined>>
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  /** The clouds' own ways to find credentials. */
  readonly clouds: CloudCredentials
}

/** `createFallback`, with what `mountFallback` and tests need of it. */
export function createMountableFallback(
  written: RoutesInput,
  options: FallbackOptions,
  ground: Partial<FallbackGround> = {},
): MountableFallback {
  // The server's sockets hold the process; a limit that is waited for must not.
  const { clock = createSystemClock({ unref: true }), random = Math.random, env = process.env, wallClock = Date.now } = ground
  const { clouds = createCloudCredentials() } = ground
  const logger = options?.logger == null ? undefined : guardLogger(options.logger)
  const warn = createWarn(logger)
  const config = resolveConfig(written, options, { env, supportedDialects: SUPPORTED, warn, clouds, now: wallClock })
  const agents = createProviderAgents({ proxy: config.proxy })
  const openRuns = createOpenRuns()
  const hub = createEventHub()
  const legs = createLegWatch({ warn, epoch: wallClock, emit: (event) => hub.active() && hub.emit(event) })
  const health = createHealth(config, { clock, random, wallClock, hub, warn, logger })
  const watching = { clock, random, wallClock, hub, legs, openRuns, logger, runEnd: runEndOptions({ clock, wallClock, hub }) }
  const order = createOrderHost(config.health.priceHints, warn)
  const embeddings = createEmbeddingRoutes(config, codecOf, agents, wallClock)
  const makeRoutes = createRouteMaker(config, codecOf, agents, wallClock)
  // What routes run is in one place, and is changed by one assignment: a request reads it once, when its chain is chosen.
  const pool = { routes: makeRoutes(config.routes), extra: createCallerLegs(config, codecOf, agents, wallClock), callers: config.callers }
  const choice = Object.assign(pool, { embeddings, keyDefaults: createKeyDefaultsReader((name) => isNameable(pool, name), warn) })
  const known = provenChains(config.known, (route) => makeRoutes(new Map([[route.name, route]])))
  const live = createLive(known, config.live, {
    clock,
    random,
    wallClock,
    logger,
    warn,
    emit: hub.emit,
    onRoutes(next) {
      pool.routes = makeRoutes(next)
    },
  })
  const onHostFault = createHostFaults(logger, warn)
  const onAuthorizeFault = createAuthorizeFaults(onHostFault)
  const onIdentifyFault = createIdentifyFaults(onHostFault)
  const drills = createDrills({ clock, random, wallClock, routes: () => new Map([...pool.routes, ...embeddings]), emit: hub.emit, warn, logger })
  const closing = new AbortController()
  // Whoever streams from here listens to it, each for itself, and lets go when the stream ends.
  setMaxListeners(0, closing.signal)
  const host = { ...watching, drills, choice, health, order, latencies: createLatencies(), onAuthorizeFault, onIdentifyFault }
  const startedAt = wallClock()
  const created = Math.floor(startedAt / 1000)
  const routesNow = (): ReadonlyMap<string, ResolvedRoute> => live?.running().routes ?? config.routes
  const chains = createChainControl({
    known,
    live,
    source: config.live?.source,
    clock,
    wallClock,
    isClosed: openRuns.closed,
    trial(name, preset, signal) {
      const tried = routeToTry(routesNow().get(name), preset)
      const [made] = tried === undefined ? [] : makeRoutes(new Map([[name, tried]])).values()
      return made && tryLegs(made, { ...host, authorize: config.callers.authorize }, signal)
    },
  })

  const at = (mount: ResolvedMount): ReturnType<MountableFallback[typeof AT_MOUNT]> => ({
    matches: (method, path, atRoot) => matchPath(method, path, { atRoot, shortPaths: mount.shortPaths }) !== undefined,
    handle: (request) => handle(request, mount),
    warn,
    onHostFault,
  })
  const own = at(config.mount)

  return {
    matches: (method, path, atRoot = false) => own.matches(method, path, atRoot),
    handle: own.handle,
    snapshot: () => ({
      routes: [
        ...[...routesNow().values()].map((route) => routeSnapshot(route, { live, startedAt, memoryOf: legs.memoryOf })),
        ...[...config.embeddings.values()].map((route) => embeddingRouteSnapshot(route, { startedAt, memoryOf: legs.memoryOf })),
      ],
      ...(live === undefined ? undefined : { live: liveSnapshot(live) }),
      lastFailures: legs.lastFailures(),
      ...health.snapshot(),
      openRuns: openRuns.count(),
      ...(drills.isActive && { drills: drills.running() }),
      listenerErrors: hub.errors(),
    }),
    on: hub.on,
    chains,
    drills: drills.control,
    closing: closing.signal,
    async close() {
      openRuns.close()
      drills.close()
      closing.abort()
      await Promise.all([agents.close(), live?.close()])
      // After the runs were stopped: whoever held the slot of a probe gives it back to the other processes.
      await health.close()
    },
    [AT_MOUNT]: (resolve) => at(resolve(config.mount)),
  }

  async function handle(request: InboundRequest, mount: ResolvedMount): Promise<OutboundResponse> {
    const requestId = requestIdOf(request.headers['x-request-id'])
    const row = matchPath(request.method, request.path, placeOf(request, mount))
    try {
      return named(await dispatch(request, row, mount, requestId), row, requestId)
    } catch (error) {
      logFault(logger, requestId, error)
      return named(rejectionResponse(codecFor(mount, row?.surface), FAULT_REJECTION, requestId), row, requestId)
    }
  }

  // Not async: a promise that an async function returns costs every request three turns of the microtask queue.
  function dispatch(
    request: InboundRequest,
    row: SurfacePath | undefined,
    mount: ResolvedMount,
    requestId: string,
  ): OutboundResponse | Promise<OutboundResponse> {
    if (row === undefined) {
      const codec = request.path.startsWith(MODELS_PATH) ? gemini : openai
      return rejectionResponse(codec, { status: 404, code: 'not_found', message: 'nothing is served here' }, requestId)
    }
    const codec = codecFor(mount, row.surface)
    if (openRuns.closed()) return rejectionResponse(codec, CLOSED_REJECTION, requestId)
    if (row.surface === 'models') {
      const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId }
      return jsonResponse(200, headers, modelList(new Map([...pool.routes, ...embeddings]), created))
    }
    if (row.surface === 'gemini') {
      const said = readContentPath(request.path)
      const response = handleChat(host, mount, codec, request, { requestId, shape: contentsBody, said, dryRun: false })
      return asksForEvents(request.query) ? response : response.then(asJsonArray)
    }
    if (row.surface === 'embeddings') return handleEmbeddings(host, embeddings, mount, request, requestId)
    const shape = SHAPES.get(row.surface) ?? chatBody
    return handleChat(host, mount, codec, request, { requestId, shape, dryRun: row.surface === 'policy-check' })
  }
}

function placeOf({ atRoot }: InboundRequest, { shortPaths }: ResolvedMount): MountPlace {
  return { atRoot, shortPaths }
}

/** Anthropic's SDKs read the id of a request under a name of their own; that of a leg which was passed on stands. */
function named(response: OutboundResponse, row: SurfacePath | undefined, requestId: string): OutboundResponse {
  if (row?.surface !== 'messages') return response
  return { ...response, headers: { 'request-id': requestId, ...response.headers } }
}

/** The classic envelope stands around the words of OpenAI only. */
function codecFor({ envelope }: ResolvedMount, surface: Surface | undefined): DialectCodec {
  if (surface === 'messages') return anthropic
  if (surface === 'gemini') return gemini
  if (surface === 'responses') return responses
  return envelope === 'classic' ? classic : openai
}

function codecOf(dialect: string): DialectCodec {
  const codec = CODECS.get(dialect)
  if (codec === undefined) throw new TypeError(`dialect '${dialect}' has no codec`)
  return codec
}
