import { suggestName } from '../nearest-name.js'
import type { ResolvedLeg, ResolvedRoute } from '../resolved-config.js'

/** A leg as a document names it, in one form. */
export interface NamedLeg {
  readonly provider: string
  readonly model: string
  readonly region: string | undefined
  readonly timeoutMs: number | undefined
}

/** What a document is judged by: what the code of this process has. Nothing of it can be changed by a document. */
export interface KnownChains {
  /** The routes in code, by name. */
  readonly routes: ReadonlyMap<string, ResolvedRoute>
  /** The names of the routes of embeddings: vectors of two models cannot be compared, so no document changes what they run. */
  readonly embeddings: ReadonlySet<string>
  /** `presets`: a document may select presets of the code, and not compose a chain. */
  readonly liveChanges: 'any' | 'presets'
  /** The leg for a route, with the settings that the code gives it; or why there is none. */
  readonly legFor: (named: NamedLeg, route: ResolvedRoute) => { readonly leg: ResolvedLeg } | { readonly wrong: string }
}

/** Why a name is none of a route that can be changed, as the rest of a sentence. */
export function unknownRoute(name: string, { routes, embeddings }: KnownChains): string {
  if (embeddings.has(name)) return 'is a route of embeddings, which only the code can change: vectors of two models cannot be compared'
  return `no route is called so; ${suggestName(name, [...routes.keys()])}`
}
