import { nearestName } from '@understudy/config'

import type { Rejection } from './rejection.js'
import type { RunnableRoute, UnusableRoute } from './routes.js'
import { routeNames } from './routes.js'

/** So much of a name is enough to see which it was. */
const MAX_NAME = 200

/** More are not listed one by one. */
const MAX_LISTED = 5

/** The routes that are asked at another path. */
export interface OtherRoutes {
  readonly has: (name: string) => boolean
  /** What they are for, and where they are asked. */
  readonly use: string
}

/** What a client is told whose request finds no route to run. */
export function unusableRoute(problem: UnusableRoute, routes: ReadonlyMap<string, RunnableRoute>, model = '', other?: OtherRoutes): Rejection {
  const names = routeNames(routes)
  const listed = names.length > MAX_LISTED ? 'GET /models lists them' : `there is ${names.map((name) => `'${cut(name)}'`).join(', ')}`
  switch (problem) {
    case 'model_required':
    case 'own_model_required': {
      const isOwn = problem === 'own_model_required' || names.length === 0
      const message = `model: ${isOwn ? 'name a model' : `name one of the routes; ${listed}`}`
      return { status: 400, code: 'invalid_request_error', message, param: 'model' }
    }
    case 'left_out': {
      const message = 'the legs of this route were left out: their providers have no credentials'
      return { status: 404, code: 'model_not_found', message, param: 'model' }
    }
    case 'model_not_found': {
      if (other?.has(model) === true) {
        return { status: 404, code: 'model_not_found', message: `route '${cut(model)}' is for ${other.use}`, param: 'model' }
      }
      const rest = names.length === 0 ? '' : `; ${listed}${names.length > MAX_LISTED ? meantRoute(model, names) : ''}`
      return { status: 404, code: 'model_not_found', message: `no route is called '${cut(model)}'${rest}`, param: 'model' }
    }
  }
}

/** `; did you mean 'chat'?`, where a route that a caller may name is called nearly so; else nothing. */
export function meantRoute(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  return nearest === undefined ? '' : `; did you mean '${cut(nearest)}'?`
}

/** A name as an error shows it. */
export function cut(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name
}
