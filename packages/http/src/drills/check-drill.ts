import type { DrillFault } from '@understudy/core'
import { legName } from '@understudy/core'

import type { RunnableRoute } from '../inbound/routes.js'
import type { DrillRequest } from './drill-control.js'
import { DrillError } from './drill-error.js'
import { drilledLeg, harmOf } from './harm.js'

const FAULTS: readonly DrillFault[] = ['fail', 'cut', 'stall', 'corrupt']
const LONGEST_MS = 3_600_000
const MOST_REQUESTS = 10_000

/** A drill that is in bounds and harms no client as the route stands now. Throws a `DrillError` for any other. */
export function checkedDrill(request: DrillRequest, routes: ReadonlyMap<string, RunnableRoute>): DrillRequest {
  const { route: name, leg: wanted, fault, share, signed, forMs, maxRequests } = request
  for (const member of ['actor', 'reason'] as const) {
    const text: unknown = request[member]
    if (typeof text !== 'string' || text.trim() === '') throw invalid(`${member} is missing: say ${member === 'actor' ? 'who' : 'why'}`)
  }
  if (!FAULTS.includes(fault)) throw invalid(`fault must be one of ${FAULTS.join(', ')}`)
  if (!isBetween(forMs, LONGEST_MS)) throw invalid(`forMs must be a whole number of ms, at most ${LONGEST_MS} (an hour)`)
  if (!isBetween(maxRequests, MOST_REQUESTS)) throw invalid(`maxRequests must be a whole number, at most ${MOST_REQUESTS}`)
  if ((share === undefined) === (signed !== true)) throw invalid('say which requests: share, or signed: true, and not both')
  if (share !== undefined && !(Number.isFinite(share) && share > 0 && share <= 1)) throw invalid('share must be over 0 and at most 1')
  const route = routes.get(name)
  if (route === undefined) throw new DrillError('unknown_route', `no route is called '${name}'; there is ${[...routes.keys()].join(', ')}`)
  const leg = drilledLeg(route, wanted)
  if (leg === undefined) {
    throw new DrillError('unknown_leg', `route '${name}' runs no leg '${wanted ?? ''}'; it runs ${route.legs.map(legName).join(', ')}`)
  }
  const harm = harmOf(route, leg, fault)
  if (harm !== undefined) throw invalid(`the clients of route '${name}' would see this drill: ${harm}`)
  return request
}

function isBetween(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

function invalid(message: string): DrillError {
  return new DrillError('invalid_request', message)
}
