import type { ChatRequest, DrillFault, FailureKind, Leg, RunHealth } from '@understudy/core'
import { legName } from '@understudy/core'

import type { RunnableRoute } from '../inbound/routes.js'

/** What each fault can look like to the chain: what is left of an answer is read in the way of its dialect. */
const KINDS = {
  fail: ['server_error'],
  cut: ['truncated', 'malformed', 'empty'],
  stall: ['timeout'],
  corrupt: ['truncated', 'malformed', 'empty'],
} as const satisfies Record<DrillFault, readonly FailureKind[]>

/** A part that leaves the leg behind it most of a deadline. */
const SHARE_OF_LIMIT = 1 / 3
/** Nobody waits longer for a drill, whatever the limits allow. */
const LONGEST_FAULT_MS = 10_000
/** A third of less is no time for an answer to come and to be tampered with. */
const LEAST_LIMIT_MS = 1_000

/** The leg of a route that a drill is for; `undefined` = it has no such leg. */
export function drilledLeg({ legs }: RunnableRoute, name: string | undefined): Leg | undefined {
  return name === undefined ? legs[0] : legs.find((leg) => legName(leg) === name)
}

/** The legs that come behind this one and are left alone. */
function rescuers({ legs, settings }: RunnableRoute, leg: Leg): readonly Leg[] {
  const isAsWritten = (settings.plan?.order ?? 'configured') === 'configured'
  const others = isAsWritten ? legs.slice(legs.indexOf(leg) + 1) : legs.filter((other) => other !== leg)
  return others.filter(({ isDrilled }) => isDrilled === undefined)
}

/**
 * Those of them that can serve this request as far as is known before the host is asked: they have words for it. None unless one of them
 * is well, and none if the route stops at a leg that has no words.
 */
export function rescuersOf(route: RunnableRoute, leg: Leg, request: ChatRequest, health: Pick<RunHealth, 'peek'>): readonly Leg[] {
  const behind = rescuers(route, leg)
  const able = behind.filter((other) => other.untranslatable?.(request) === undefined)
  if (able.length < behind.length && route.settings.untranslatable === 'refuse') return []
  return able.some((other) => isWell(other, health)) ? able : []
}

/** Whether a leg is asked like any other. */
export function isWell(leg: Leg, health: Pick<RunHealth, 'peek'>): boolean {
  return health.peek(leg).tier === 'closed'
}

/** How long behind the beginning of a run an answer may be tampered with, in ms. */
export function faultTime({ settings: { limits } }: RunnableRoute): number {
  return Math.min(LONGEST_FAULT_MS, limitOf(limits) * SHARE_OF_LIMIT)
}

function limitOf({ deadlineMs, windowMs }: RunnableRoute['settings']['limits']): number {
  return Math.min(typeof deadlineMs === 'number' ? deadlineMs : Infinity, windowMs ?? Infinity)
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
  if (limitOf(settings.limits) < LEAST_LIMIT_MS) return "the limits of the chain leave no time for it (deadlineMs, windowMs); use the fault 'fail'"
  if (commit === 'established') return "the route commits before the first content; use the fault 'fail'"
  if (idempotency === 'safe') return "the route asks nobody else once a provider may have processed a request (idempotency); use the fault 'fail'"
  return undefined
}
