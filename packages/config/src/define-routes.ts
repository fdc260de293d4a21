import type { LegInput, RouteSettings } from './routes-input.js'

/** The legs of a route written in code: one at least. */
export type DefinedLegs = readonly [LegInput, ...LegInput[]]

/** A route written in code. */
export interface DefinedRoute extends RouteSettings {
  readonly legs: DefinedLegs
}

/**
 * Gives back the routes as they are, and has the compiler refuse an empty chain and a misspelt key. The names of the
 * routes stay known: `routes.chat` compiles, `routes.chta` does not.
 */
export function defineRoutes<const Name extends string>(
  routes: Readonly<Record<Name, DefinedLegs | DefinedRoute>>,
): Readonly<Record<Name, DefinedLegs | DefinedRoute>> {
  return routes
}
