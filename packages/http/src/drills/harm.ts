import type { DrillFault, FailureKind, Leg } from '@understudy/core'
import { legName } from '@understudy/core'

import type { RunnableRoute } from '../inbound/routes.js'

/** What each fault looks like to the chain. */
const KINDS = {
  fail: 'server_error',
  cut: 'truncated',
  stall: 'timeout',
  corrupt: 'malformed',
} as const satisfies Record<DrillFault, FailureKind>

/** The kind of failure that a fault rehearses. */
export function kindOf(fault: DrillFault): FailureKind {
  return KINDS[fault]
}

/** The leg of a route that a drill is for; `undefined` = it has no such leg. */
export function drilledLeg({ legs }: RunnableRoute, name: string | undefined): Leg | undefined {
  return name === undefined ? legs[0] : legs.find((leg) => legName(leg) === name)
}

/** Why a client would come to harm if this leg failed in this way; `undefined` = the chain moves on. */
export function harmOf(route: RunnableRoute, leg: Leg, fault: DrillFault): string | undefined {
  const { settings, legs, dialectOf } = route
  const { advance, commit, idempotency } = settings
  const order = settings.plan?.order ?? 'configured'
  if (legs.length < 2 || (order === 'configured' && legs.at(-1) === leg)) return 'no leg comes behind it'
  if (!advance.has(KINDS[fault])) return `the route does not move on for ${KINDS[fault]} (advanceOn)`
  if (fault === 'fail') return undefined
  if (!dialectOf.has(leg)) return "a custom leg has no bytes to tamper with; use the fault 'fail'"
  if (commit === 'established') return "the route commits before the first content; use the fault 'fail'"
  if (idempotency === 'safe') return "the route asks nobody else once a provider may have processed a request (idempotency); use the fault 'fail'"
  return undefined
}
