import type { Leg } from '@understudy/core'
import { legName, toldName } from '@understudy/core'

import type { RunnableRoute } from './routes.js'

/**
 * A route as one request asks it: a leg `provider/*` has the request's own model, which trails, reports and events then say. Its
 * health stays that of the leg as it is configured.
 */
export function askedRoute(route: RunnableRoute, model: string | undefined): RunnableRoute {
  if (model === undefined || model === '' || !route.legs.some(keepsModel)) return route
  const dialectOf = new Map(route.dialectOf)
  const legs = route.legs.map((leg) => {
    if (!keepsModel(leg)) return leg
    const asked: Leg = { ...leg, model: toldName(model), configuredModel: leg.model }
    const dialect = dialectOf.get(leg)
    if (dialect !== undefined) dialectOf.set(asked, dialect)
    return asked
  })
  const [first] = legs
  return { ...route, legs, dialectOf, first: first === undefined ? '' : legName(first) }
}

function keepsModel(leg: Leg): boolean {
  return 'anyModel' in leg && leg.anyModel === true
}
