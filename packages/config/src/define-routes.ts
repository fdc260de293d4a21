import type { EmbeddingLegInput, EmbeddingRouteOptions, LegInput, RouteSettings } from './routes-input.js'

/** The legs of a route written in code: one at least. */
export type DefinedLegs = readonly [LegInput, ...LegInput[]]

/** A route written in code. */
export interface DefinedRoute extends RouteSettings {
  readonly legs: DefinedLegs
}

/** A preset written in code. */
export type DefinedPreset = DefinedLegs | { readonly legs: DefinedLegs; readonly marking?: string | undefined }

/** A route with presets written in code. */
export interface DefinedPresets extends RouteSettings {
  readonly presets: { readonly normal: DefinedPreset; readonly [name: string]: DefinedPreset }
  readonly active?: string | undefined
}

/** A route of embeddings written in code. */
export interface DefinedEmbeddings extends EmbeddingRouteOptions {
  readonly legs: readonly [EmbeddingLegInput, ...EmbeddingLegInput[]]
}

/** A route written in code, whatever it serves. */
type Defined = DefinedLegs | DefinedRoute | DefinedPresets | DefinedEmbeddings

/**
 * Gives back the routes as they are, and has the compiler refuse an empty chain, presets without `normal` and a misspelt key. The names of the
 * routes stay known: `routes.chat` compiles, `routes.chta` does not.
 */
export function defineRoutes<const Name extends string>(
  routes: Readonly<Record<Name, Defined>>,
): Readonly<Record<Name, Defined>> {
  return routes
}
