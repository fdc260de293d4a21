import type { KnownChains, RoutesInput } from '@understudy/config'
import { routesIn } from '@understudy/config'
import { knownOf } from './known-of.js'

const ANY = { name: 'any', async* open() { yield await Promise.resolve('') } }

/**
 * What a document would need, made of the document itself: its routes and presets are there, and so is every leg. Judged by that it can
 * only be wrong in its shape.
 */
export function knownByShape(document: Readonly<Record<string, unknown>>): KnownChains {
  const routes: Record<string, RoutesInput[string]> = {}
  for (const [name, entry] of Object.entries(routesIn(document))) routes[name] = routeFor(entry)
  const known = knownOf(Object.keys(routes).length === 0 ? { chat: [ANY] } : routes, undefined)
  return {
    routes: known.routes,
    embeddings: known.embeddings,
    liveChanges: 'any',
    legFor: (_named, route) => {
      const [leg] = route.legs
      return leg === undefined ? { wrong: 'cannot be judged' } : { leg }
    },
  }
}

function routeFor(entry: unknown): RoutesInput[string] {
  const active: unknown = typeof entry === 'object' && entry !== null && !('presets' in entry) ? Reflect.get(entry, 'active') : undefined
  return typeof active === 'string' && active !== '' ? { presets: { normal: [ANY], [active]: [ANY] } } : [ANY]
}
