import type { ChatRequest, Failure, Leg, RunHealth } from '@understudy/core'
import { legName } from '@understudy/core'

import type { ChosenChain } from './choose-chain.js'
import type { Gate } from './gate.js'

/** What one check of a policy check came to, as JSON. */
export interface PolicyCheckRow {
  readonly check: 'chain' | 'health' | 'authorize'
  readonly passed: boolean
  /** A code. */
  readonly why?: string | undefined
  readonly message?: string | undefined
}

/** What would become of a leg, as JSON. */
export interface PlanRow {
  readonly model: string
  readonly admitted: boolean
  readonly why?: string | undefined
}

/** What would become of a request, as JSON. */
export interface PolicyCheck {
  readonly dry_run: true
  readonly allowed: boolean
  readonly checks: readonly PolicyCheckRow[]
  readonly plan: readonly PlanRow[]
}

/** Says what would become of a request, without a provider being asked. */
export async function policyCheck(
  chosen: ChosenChain,
  health: Pick<RunHealth, 'peek'>,
  gate: Gate | undefined,
  request?: ChatRequest,
): Promise<PolicyCheck> {
  if ('rejection' in chosen) {
    const { code, message } = chosen.rejection
    return { dry_run: true, allowed: false, checks: [{ check: 'chain', passed: false, why: code, message }], plan: [] }
  }
  const plan: PlanRow[] = []
  let allowed: boolean | undefined
  let reason: string | undefined
  for (const leg of chosen.route.legs) {
    const state = health.peek(leg)
    if (state.tier === 'out') {
      plan.push({ model: legName(leg), admitted: false, why: state.reason })
      continue
    }
    if (request !== undefined && leg.untranslatable?.(request) !== undefined) {
      plan.push({ model: legName(leg), admitted: false, why: 'untranslatable' })
      continue
    }
    const refusal = await gate?.(leg, Infinity)
    plan.push(rowOf(leg, refusal !== undefined))
    // The first leg that is not left out decides: a stop there ends the run.
    if (refusal !== 'skip' && allowed === undefined) {
      allowed = refusal === undefined
      reason = messageOf(refusal)
    }
  }
  if (plan.every(({ why }) => why !== undefined && why !== 'refused')) {
    return { dry_run: true, allowed: false, checks: [{ check: 'chain', passed: true }, { check: 'health', passed: false, why: 'no_leg_available' }], plan }
  }
  const passed = allowed ?? false
  const authorize: PolicyCheckRow = passed
    ? { check: 'authorize', passed }
    : { check: 'authorize', passed, why: 'refused', message: reason }
  return { dry_run: true, allowed: passed, checks: [{ check: 'chain', passed: true }, authorize], plan }
}

function rowOf(leg: Leg, refused: boolean): PlanRow {
  return refused ? { model: legName(leg), admitted: false, why: 'refused' } : { model: legName(leg), admitted: true }
}

function messageOf(refusal: Failure | undefined): string | undefined {
  return refusal?.providerMessage
}
