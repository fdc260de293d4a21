import type { DrillFault, FailureKind, Leg } from '@understudy/core'
import { legName } from '@understudy/core'

import type { RunnableRoute } from '../inbound/routes.js'

/** What each fault can look like to the chain: what is left of an answer is read in the way of its dialect. */
const KINDS = {
  fail: ['server_error'],
  cut: ['truncated', 'malformed', 'empty'],
  stall: ['timeout'],
  corrupt: ['truncated', 'malformed', 'empty'],
} as const satisfies Record<DrillFault, readonly FailureKind[]>

/** The leg of a route that a drill is for; `undefined` = it has no such leg. */
export function drilledLeg({ legs }: RunnableRoute, name: string | undefined): Leg | undefined {
  return name === undefined ? legs[0] : legs.find((leg) => legName(leg) === name)
}

/** The legs that come behind this one and are left alone. */
export function rescuers({ legs, settings }: RunnableRoute, leg: Leg): readonly Leg[] {
  const isAsWritten = (settings.plan?.order ?? 'configured') === 'configured'
  const others = isAsWritten ? legs.slice(legs.indexOf(leg) + 1) : legs.filter((other) => other !== leg)
  return others.filter(({ isDrilled }) => isDrilled === undefined)
}

/** Why a client would come to harm if this leg failed in this way; `undefined` = the chain moves on. */
export function harmOf(route: RunnableRoute, leg: Leg, fault: DrillFault): string | undefined {
  const { settings, dialectOf } = route
  const { advance, commit, idempotency } = settings
  if (rescuers(route, leg).length === 0) return 'no leg comes behind it'
  const kind = KINDS[fault].find((each) => !advance.has(each))
  if (kind !== undefined) return `the route does not move on for ${kind} (advanceOn)`
  if (fault === 'fail') return undefined
  if ('dimensions' in route) return "vectors are no stream that could be tampered with; use the fault 'fail'"
  if (!dialectOf.has(leg)) return "a custom leg has no bytes to tamper with; use the fault 'fail'"
  if (commit === 'established') return "the route commits before the first content; use the fault 'fail'"
  if (idempotency === 'safe') return "the route asks nobody else once a provider may have processed a request (idempotency); use the fault 'fail'"
  return undefined
}
