import type { ChatRequest, Failure, Latencies, Leg, RunHealth } from '@understudy/core'
import { AS_CONFIGURED, legName, makePlan } from '@understudy/core'

import type { Gate } from './gate.js'
import type { Rejection } from './rejection.js'
import type { RunnableRoute } from './routes.js'

/** What one check of a policy check came to, as JSON. */
export interface PolicyCheckRow {
  readonly check: 'chain' | 'health' | 'translate' | 'authorize'
  readonly passed: boolean
  /** The preset that the route runs, where it has presets. */
  readonly preset?: string | undefined
  /** What responses of that preset say of it. */
  readonly marking?: string | undefined
  /** A code. */
  readonly why?: string | undefined
  readonly message?: string | undefined
}

/** What would become of a leg, as JSON. */
export interface PlanRow {
  readonly model: string
  readonly admitted: boolean
  readonly why?: string | undefined
  /** What of the request the leg has no words for, where that is why. */
  readonly feature?: string | undefined
}

/** What would become of a request, as JSON. */
export interface PolicyCheck {
  readonly dry_run: true
  readonly allowed: boolean
  readonly checks: readonly PolicyCheckRow[]
  readonly plan: readonly PlanRow[]
}

/** What a check looks at, beside the chain. */
export interface PolicyCheckHost {
  readonly request: ChatRequest
  readonly health: Pick<RunHealth, 'peek'>
  readonly random: () => number
  readonly latencies: Latencies
  readonly prices: Readonly<Record<string, number>> | undefined
  readonly gate: Gate | undefined
}

/**
 * Says what would become of a request, without a provider being asked: the legs in the order in which they would be asked. What decides
 * is the first leg that is not left out: a stop there ends the run.
 */
export async function policyCheck(route: RunnableRoute, host: PolicyCheckHost): Promise<PolicyCheck> {
  const { request, health, random, latencies, prices, gate } = host
  const settings = route.settings.plan ?? AS_CONFIGURED
  const { legs, skips, stop } = makePlan({ legs: route.legs, request, settings, health, random, latencies, prices })
  const plan: PlanRow[] = []
  let decision: PolicyCheckRow | undefined
  let isOver = false

  for (let place = 0; place <= legs.length; place += 1) {
    for (const { leg, refusal } of skips.filter(({ before }) => before === place)) plan.push(leftOut(leg, refusal.reason))
    const leg = legs[place]
    if (leg === undefined || isOver) continue
    const feature = leg.untranslatable?.(request)
    if (feature !== undefined) {
      unsayable(leg, feature)
      continue
    }
    const refusal = await gate?.(leg, Infinity)
    if (typeof refusal === 'object' && 'untranslatable' in refusal) {
      unsayable(leg, refusal.untranslatable)
      continue
    }
    plan.push(refusal === undefined ? { model: legName(leg), admitted: true } : leftOut(leg, 'refused'))
    if (refusal === undefined) decision ??= { check: 'authorize', passed: true }
    else if (refusal !== 'skip') decision ??= refusal.internal === true ? INTERNAL : refused(refusal)
  }
  if (stop !== undefined && !isOver) {
    plan.push(leftOut(stop.leg, stop.refusal.reason))
    decision ??= { check: 'health', passed: false, why: 'circuit_open' }
  }
  const checks = [chainPassed(route), decision ?? allLeftOut(plan)]
  return { dry_run: true, allowed: checks.every(({ passed }) => passed), checks, plan }

  function unsayable(leg: Leg, feature: string): void {
    plan.push({ ...leftOut(leg, 'untranslatable'), feature })
    isOver = route.settings.untranslatable === 'refuse'
    if (isOver) decision ??= { check: 'translate', passed: false, why: 'untranslatable_request' }
  }
}

/** What a check says of a chain that cannot be run at all. */
export function unusableChain({ code, message }: Rejection): PolicyCheck {
  return { dry_run: true, allowed: false, checks: [{ check: 'chain', passed: false, why: code, message }], plan: [] }
}

const INTERNAL: PolicyCheckRow = { check: 'authorize', passed: false, why: 'internal_error' }

function chainPassed({ preset, marking }: RunnableRoute): PolicyCheckRow {
  return { check: 'chain', passed: true, ...(preset !== undefined && { preset }), ...(marking !== undefined && { marking }) }
}

function allLeftOut(plan: readonly PlanRow[]): PolicyCheckRow {
  const all = (why: string): boolean => plan.length > 0 && plan.every((row) => row.why === why)
  if (all('untranslatable')) return { check: 'translate', passed: false, why: 'untranslatable_request' }
  if (plan.some(({ why }) => why === 'refused')) return refused(undefined)
  return { check: 'health', passed: false, why: 'no_leg_available' }
}

function refused(failure: Failure | undefined): PolicyCheckRow {
  return { check: 'authorize', passed: false, why: 'refused', message: failure?.providerMessage }
}

function leftOut(leg: Leg, why: string): PlanRow {
  return { model: legName(leg), admitted: false, why }
}
