import type { Idempotency, ResolvedConfig, ResolvedLeg, ResolvedRoute } from '@understudy/config'
import type { ChatRequest, Lane, Leg, Order, PlanSettings, RunSettings } from '@understudy/core'
import { legName, legOf } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'

import { orInternalFault } from '../internal-fault.js'
import { legCodecOf } from '../leg-codec.js'
import type { ProviderAgents } from '../outbound/agents.js'
import type { WritableLeg } from '../outbound/http-leg.js'
import { createHttpLeg } from '../outbound/http-leg.js'
import { neutralOf } from '../outbound/wire-request.js'
import { AtOnceTexts } from './at-once.js'

/** A route with its legs made. */
export interface RunnableRoute {
  readonly name: string
  readonly legs: readonly Leg[]
  /** Names of the first leg, as reports have it. */
  readonly first: string
  /** Legs that speak the client's dialect need no translation of the answer. */
  readonly dialectOf: ReadonlyMap<Leg, string>
  /** The members that the `defaults` of its legs set. Absent where nothing is known of them. */
  readonly defaultNames?: ReadonlySet<string> | undefined
  /** What responses say of a run that one of these legs served at once. Absent where the legs are made for one request. */
  readonly atOnce?: ReadonlyMap<Leg, AtOnceTexts> | undefined
  readonly settings: RunSettings
  readonly order: Order
  readonly idempotency: Idempotency
  /** The preset that it runs, where the route has presets. */
  readonly preset?: string | undefined
  /** What its responses say of it. */
  readonly marking?: string | undefined
  /** Who named the chain, where no route did. */
  readonly chosenBy?: 'caller' | 'key' | undefined
  /** The class of request that it is narrowed to. Default `standard`. */
  readonly lane?: Lane | undefined
  readonly waitingCommentMs: number | undefined
  /** Whether a leg keeps the request's own model, so that there has to be one. */
  readonly needsModel: boolean
}

/** The route that takes every model which no other route names. */
export const ANY_MODEL = '*'
const DEFAULT_ROUTE = 'default'

/** Makes routes that can be run of those that can be described. One that was made before is not made again. */
export type MakeRoutes = (routes: ReadonlyMap<string, ResolvedRoute>) => ReadonlyMap<string, RunnableRoute>

/** Makes the legs of routes. */
export function createRouteMaker(
  config: ResolvedConfig,
  codecOf: (dialect: string) => DialectCodec,
  agents: ProviderAgents,
  wallClock: () => number,
): MakeRoutes {
  const { whenOpen, whenAllOpen } = config.health
  const parts = { codecOf, agents, wallClock, whenOpen, whenAllOpen }
  const made = new WeakMap<ResolvedRoute, RunnableRoute>()
  const make = (route: ResolvedRoute): RunnableRoute => {
    const runnable = made.get(route) ?? createRoute(route, parts)
    made.set(route, runnable)
    return runnable
  }
  return (routes) => new Map([...routes].map(([name, route]) => [name, make(route)]))
}

/**
 * The legs that callers may name beside those of the routes, with the settings that hold where no route says otherwise: those of
 * `callerModels`, and those of the code that a preset or a live document has taken out of their route for a while.
 */
export function createCallerLegs(
  { callers, settings, health, routes, live }: ResolvedConfig,
  codecOf: (dialect: string) => DialectCodec,
  agents: ProviderAgents,
  wallClock: () => number,
): RunnableRoute {
  const { whenOpen, whenAllOpen } = health
  const code = [...routes.values()].flatMap((route) =>
    route.presets === undefined ? (live === undefined ? [] : route.legs) : [...route.presets.values()].flatMap(({ legs }) => legs))
  const route = { name: '', legs: [...callers.models, ...code], settings, legLimits: {} }
  return createRoute(route, { codecOf, agents, wallClock, whenOpen, whenAllOpen })
}

/** What legs are made with. */
interface LegParts {
  readonly codecOf: (dialect: string) => DialectCodec
  readonly agents: ProviderAgents
  readonly wallClock: () => number
  readonly whenOpen: PlanSettings['whenOpen']
  readonly whenAllOpen: PlanSettings['whenAllOpen']
}

function createRoute(route: ResolvedRoute, parts: LegParts): RunnableRoute {
  const { advanceOn, commit, order, retries, retryOn, maxRetryAfterMs, limits, waitingComment, idempotency, untranslatable } = route.settings
  const dialectOf = new Map<Leg, string>()
  const made = route.legs.map((resolved) => {
    const leg = createLeg(resolved, route, parts)
    if (resolved.type === 'provider') dialectOf.set(leg, resolved.provider.dialect)
    return leg
  })
  // Behind the first leg of such a chain, another provider is never asked.
  const legs = idempotency === 'never' && route.name !== '' ? made.filter(({ provider }) => provider === made[0]?.provider) : made
  const first = legs[0] === undefined ? '' : legName(legs[0])
  return {
    name: route.name,
    legs,
    first,
    dialectOf,
    defaultNames: new Set(route.legs.flatMap(({ defaults }) => Object.keys(defaults))),
    atOnce: new Map(legs.map((leg) => [leg, new AtOnceTexts(leg, first, legs.length)])),
    preset: route.preset,
    marking: route.marking,
    settings: {
      advance: advanceOn,
      commit,
      retry: { retries, retryOn, maxRetryAfterMs: maxRetryAfterMs === false ? undefined : maxRetryAfterMs },
      limits,
      idempotency: idempotency === 'always' ? 'always' : 'safe',
      untranslatable,
      plan: { order, whenOpen: parts.whenOpen, whenAllOpen: parts.whenAllOpen },
    },
    order,
    idempotency,
    waitingCommentMs: waitingComment === false ? undefined : waitingComment.afterMs,
    needsModel: route.legs.some((leg) => leg.type === 'provider' && leg.anyModel),
  }
}

function createLeg(leg: ResolvedLeg, route: ResolvedRoute, { codecOf, agents, wallClock }: LegParts): WritableLeg {
  const { limits, reasoning, retries, price, weight, defaults } = leg
  if (leg.type === 'custom') {
    const { name, open } = leg.leg
    const filled = (request: ChatRequest): ChatRequest => filledRequest(neutralOf(request), defaults, codecOf)
    const settings = { limits, reasoning, retries, price, weight }
    const made = legOf({ name, ...settings, open: (request, context) => open(orInternalFault(() => filled(request)), context) })
    return { ...made, bytesOf: (request) => Buffer.from(JSON.stringify(filled(request).body ?? {})) }
  }
  const { provider, model, anyModel, region } = leg
  const codec = legCodecOf(provider, codecOf)
  const { bufferedVia, translate } = route.settings
  const fill = (request: ChatRequest): ChatRequest => filledRequest(request, defaults, codecOf)
  const settings = { region, defaults, fill, bufferedVia, translate, limits, reasoning, retries, price, weight }
  return createHttpLeg({ provider, codec, model, anyModel, agents, wallClock, ...settings })
}

/** The neutral reading of a request with the parameters filled in that it does not set. */
function filledRequest(
  request: ChatRequest,
  defaults: Readonly<Record<string, unknown>>,
  codecOf: (dialect: string) => DialectCodec,
): ChatRequest {
  const { dialect, body, native } = request
  if (dialect === undefined || body === undefined || Object.keys(defaults).length === 0) return request
  const filled = codecOf(dialect).decodeRequest({ ...defaults, ...body })
  return native === undefined ? filled : { ...filled, native }
}

/**
 * Why no route can be run: none was named, the model itself was not named, none has the name, or all legs of the one that was
 * found were left out for want of credentials.
 */
export type UnusableRoute = 'model_required' | 'own_model_required' | 'model_not_found' | 'left_out'

/** The names that a caller may say. */
export function routeNames(routes: ReadonlyMap<string, RunnableRoute>): readonly string[] {
  return [...routes.values()].filter(({ name, legs }) => name !== ANY_MODEL && legs.length > 0).map(({ name }) => name)
}

/** The route that a request asks for, or what to tell its client. */
export function routeFor(
  routes: ReadonlyMap<string, RunnableRoute>,
  model: string | undefined,
): RunnableRoute | UnusableRoute {
  const route = model === undefined || model === '' ? baseRoute(routes) : (routes.get(model) ?? routes.get(ANY_MODEL))
  if (route === undefined) return model === undefined || model === '' ? 'model_required' : 'model_not_found'
  if (route.legs.length === 0) return 'left_out'
  return route.needsModel && (model === undefined || model === '') ? 'own_model_required' : route
}

/** The route of a request that names none; what a caller's chain takes its settings from. */
export function baseRoute(routes: ReadonlyMap<string, RunnableRoute>): RunnableRoute | undefined {
  if (routes.size === 1) return [...routes.values()][0]
  return routes.get(DEFAULT_ROUTE)
}

/** The routes that a caller may name, as the list of an OpenAI `GET /models`. */
export function modelList(routes: ReadonlyMap<string, RunnableRoute>, created: number): Record<string, unknown> {
  const data = routeNames(routes)
    .map((name) => ({ id: name, object: 'model', created, owned_by: 'understudy' }))
  return { object: 'list', data }
}
