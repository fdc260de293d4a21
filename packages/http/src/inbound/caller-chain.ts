import type { Idempotency, ResolvedCallers } from '@understudy/config'
import type { FailureKind, Leg, LegLimits } from '@understudy/core'
import { legName } from '@understudy/core'

import type { EntryWire, Trigger } from './caller-fields.js'
import type { RunnableRoute } from './routes.js'
import { ANY_MODEL, baseRoute } from './routes.js'

/** What a caller's or a key's chain is made from. */
export interface CallerPool {
  readonly routes: ReadonlyMap<string, RunnableRoute>
  /** The legs of `callerModels`, with the settings that hold where no route says otherwise. */
  readonly extra: RunnableRoute
  readonly callers: ResolvedCallers
}

/** One entry of a chain, with the limits of its attempts where the caller set some. */
export interface ChainEntry {
  readonly name: string
  readonly limits: LegLimits
}

/** Limits for a whole chain; an entry's own win. */
export interface ChainWide {
  readonly timeoutMs?: number | null | undefined
  readonly firstTokenTimeoutMs?: number | null | undefined
}

const KINDS: Readonly<Record<Trigger, readonly FailureKind[]>> = {
  connection_error: ['connection_error'],
  server_error: ['server_error', 'overloaded', 'malformed', 'empty', 'truncated'],
  rate_limit: ['rate_limit'],
  timeout: ['timeout'],
}

const STRICTNESS: readonly Idempotency[] = ['always', 'safe', 'never']

/** The kinds that stand behind a caller's triggers. */
export function kindsOf(on: readonly Trigger[]): ReadonlySet<FailureKind> {
  return new Set(on.flatMap((trigger) => KINDS[trigger]))
}

/** An entry with its limits. A time for the attempt is one for its first content too, unless that has its own. */
export function chainEntry(entry: EntryWire, wide: ChainWide): ChainEntry {
  const own = typeof entry === 'string' ? { model: entry } : entry
  const timeoutMs = own.timeout_ms ?? wide.timeoutMs ?? undefined
  const firstContentTimeoutMs = own.first_token_timeout_ms ?? wide.firstTokenTimeoutMs ?? timeoutMs
  return { name: own.model, limits: { ...(timeoutMs !== undefined && { timeoutMs }), ...(firstContentTimeoutMs !== undefined && { firstContentTimeoutMs }) } }
}

/** Whether a caller may name it: a route, or a leg of some route or of `callerModels`. */
export function isNameable(pool: CallerPool, name: string): boolean {
  return foundFor(pool, name) !== undefined
}

/** The chain of these entries, or the position of one that nobody allowed. */
export function callerChain(
  pool: CallerPool,
  entries: readonly ChainEntry[],
  kind: 'caller' | 'key',
  advance: ReadonlySet<FailureKind>,
): RunnableRoute | { readonly unknown: number } {
  const base = baseRoute(pool.routes) ?? pool.extra
  const legs = new Map<string, Leg>()
  const dialectOf = new Map<Leg, string>()
  const defaultNames = new Set<string>()
  let { idempotency } = base
  let marking: string | undefined
  for (const [index, { name, limits }] of entries.entries()) {
    const found = foundFor(pool, name)
    if (found === undefined) return { unknown: index }
    idempotency = stricter(idempotency, found.route.idempotency)
    if (found.route.name === name) marking ??= found.route.marking
    for (const member of found.route.defaultNames ?? []) defaultNames.add(member)
    for (const leg of found.legs) {
      const identity = JSON.stringify([leg.provider, leg.model, leg.region ?? null])
      if (legs.has(identity)) continue
      const limited = withLimits(leg, limits)
      legs.set(identity, limited)
      const dialect = found.route.dialectOf.get(leg)
      if (dialect !== undefined) dialectOf.set(limited, dialect)
    }
  }
  const own = [...legs.values()]
  const chain = idempotency === 'never' ? own.filter(({ provider }) => provider === own[0]?.provider) : own
  const [first] = chain
  return {
    ...base,
    name: `${kind}-chain`,
    chosenBy: kind,
    legs: chain,
    first: first === undefined ? '' : legName(first),
    dialectOf,
    defaultNames,
    preset: undefined,
    marking,
    idempotency,
    settings: {
      ...base.settings,
      advance,
      idempotency: idempotency === 'always' ? 'always' : 'safe',
      limits: grown(base.settings.limits),
    },
    needsModel: false,
  }
}

/** A route whose attempts a caller limits. */
export function limitedRoute(route: RunnableRoute, wide: ChainWide, on: readonly Trigger[] | undefined): RunnableRoute {
  const { limits } = chainEntry(route.name, wide)
  const dialectOf = new Map<Leg, string>()
  const legs = route.legs.map((leg) => {
    const limited = withLimits(leg, limits)
    const dialect = route.dialectOf.get(leg)
    if (dialect !== undefined) dialectOf.set(limited, dialect)
    return limited
  })
  const advance = on === undefined ? route.settings.advance : kindsOf(on)
  return { ...route, legs, dialectOf, settings: { ...route.settings, advance, limits: grown(route.settings.limits) } }
}

/** A request that must not be processed twice, as its caller says. */
export function tightened(route: RunnableRoute): RunnableRoute {
  if (route.idempotency !== 'always') return route
  return { ...route, idempotency: 'safe', settings: { ...route.settings, idempotency: 'safe' } }
}

function foundFor({ routes, extra }: CallerPool, name: string): { readonly route: RunnableRoute; readonly legs: readonly Leg[] } | undefined {
  const route = name === ANY_MODEL ? undefined : routes.get(name)
  if (route !== undefined) {
    const legs = route.legs.filter(isWrittenOut)
    return legs.length === 0 ? undefined : { route, legs }
  }
  for (const holder of [...routes.values(), extra]) {
    const leg = holder.legs.find((each) => isWrittenOut(each) && legName(each) === name)
    if (leg !== undefined) return { route: holder, legs: [leg] }
  }
  return undefined
}

/** A leg that keeps the request's own model would let a chain ask for any. */
function isWrittenOut({ model }: Leg): boolean {
  return model !== ANY_MODEL
}

function withLimits(leg: Leg, limits: LegLimits): Leg {
  return Object.keys(limits).length === 0 ? leg : { ...leg, limits: { ...leg.limits, ...limits } }
}

function stricter(one: Idempotency, other: Idempotency): Idempotency {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other) ? one : other
}

/** The deadline grows with what the attempts may take, unless the host set one. */
function grown(limits: RunnableRoute['settings']['limits']): RunnableRoute['settings']['limits'] {
  return limits.deadlineMs === undefined ? { ...limits, maxDeadlineMs: Infinity } : limits
}
