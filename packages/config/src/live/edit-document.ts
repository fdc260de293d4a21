import { NORMAL, type CheckedDocument } from '../document/check-document.js'
import type { KnownChains } from '../document/known-chains.js'
import { entryOf } from '../document/leg-name.js'
import { ownProperties } from '../own-properties.js'
import type { ChainDocumentJson } from './chain-source.js'
import { isPinned, pinsOf, type Pin } from './pins.js'

/** What a document says of a route, as JSON; `undefined` = nothing: the chain in code. */
export type RouteJson = ChainDocumentJson | undefined

/** Who changes it, and why. */
export interface ChangeMark {
  readonly version: number
  readonly actor: string
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The routes of a document in its long form. */
export function routesIn(document: ChainDocumentJson | undefined): Readonly<Record<string, unknown>> {
  return ownProperties(document?.['routes']) ?? {}
}

/** What a document says of a route. */
export function entryIn(document: ChainDocumentJson | undefined, route: string): RouteJson {
  const routes = routesIn(document)
  return Object.hasOwn(routes, route) ? ownProperties(routes[route]) : undefined
}

/** Whether two entries say the same, whatever the order of their members. */
export function isSameEntry(one: RouteJson, other: RouteJson): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

/** A document with these routes, marked with who wrote it and when. */
export function markedDocument(
  base: ChainDocumentJson | undefined,
  routes: Readonly<Record<string, unknown>>,
  { version, actor, reason, now }: ChangeMark,
): ChainDocumentJson {
  const schema = base?.['$schema']
  return {
    ...(schema === undefined ? undefined : { $schema: schema }),
    version,
    routes,
    updated_by: actor,
    reason,
    updated_at: new Date(now).toISOString(),
  }
}

/** The routes with another entry for one of them. */
export function withEntry(routes: Readonly<Record<string, unknown>>, route: string, entry: RouteJson): Readonly<Record<string, unknown>> {
  const others = Object.entries(routes).filter(([name]) => name !== route)
  return Object.fromEntries(entry === undefined ? others : [...others, [route, entry]])
}

/**
 * The routes of a document with the time stamped on every pin that has none: behind the new `updated_at` it would begin anew,
 * though nobody has decided that.
 */
export function stampedRoutes(
  document: CheckedDocument | undefined,
  pins: ReadonlyMap<string, Pin>,
  now: number,
): Readonly<Record<string, unknown>> {
  if (document === undefined) return {}
  const unwritten = pinsOf(document, now, now)
  return Object.fromEntries(Object.entries(routesIn(document.json)).map(([name, entry]) => {
    const checked = document.routes.get(name)
    if (checked === undefined || !isPinned(checked) || checked.expiresAt !== undefined) return [name, entry]
    const running = pins.get(name)
    const pin = running?.preset === checked.active ? running : unwritten.get(name)
    return [name, { ...ownProperties(entry), expires_at: new Date(pin?.expiresAt ?? now).toISOString() }]
  }))
}

/** The presets that a pin of a route can select: the document's own, where it has any, or else those of the code. */
export function presetNames(route: string, entry: RouteJson, { routes }: KnownChains): readonly string[] {
  const own = ownProperties(entry?.['presets'])
  return own === undefined ? [...(routes.get(route)?.presets?.keys() ?? [])] : Object.keys(own)
}

/**
 * The entry that selects a preset, until then if it is not `normal`. Whatever else the document says of the route stays, a chain that
 * it composed as the preset `normal`.
 */
export function selectingEntry(
  route: string,
  entry: RouteJson,
  preset: string,
  expiresAt: number | undefined,
  known: KnownChains,
): ChainDocumentJson {
  const time = expiresAt === undefined || preset === NORMAL ? undefined : { expires_at: new Date(expiresAt).toISOString() }
  const { presets } = entry ?? {}
  const chain = entry?.['chain']
  if (presets !== undefined) return { presets, active: preset, ...time }
  if (chain === undefined) return { active: preset, ...time }
  return { presets: { ...codePresets(route, known), [NORMAL]: chain }, active: preset, ...time }
}

function codePresets(route: string, { routes }: KnownChains): Readonly<Record<string, unknown>> {
  const presets = [...(routes.get(route)?.presets ?? [])]
  return Object.fromEntries(presets.map(([name, { legs, marking }]) => {
    const chain = legs.map(entryOf)
    return [name, marking === undefined ? chain : { chain, marking }]
  }))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  const own = ownProperties(value)
  if (own === undefined) return value
  return Object.entries(own).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, member]) => [key, sorted(member)])
}
