import type { DrillFault, Leg, LegAnswer, LegContext } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'

import type { DrilledContext } from './faulted-source.js'

/** What is to be done to a leg. */
export interface LegFault {
  readonly type: DrillFault
  /** Whether this attempt may still be failed; counts it. */
  readonly take: () => boolean
}

/** A leg that fails on purpose, for one request. */
export function drilledLeg<Own extends Leg>(leg: Own, { type, take }: LegFault): Own {
  let isMet = false
  return {
    ...leg,
    isDrilled: () => isMet,
    open(request: Parameters<Leg['open']>[0], context: LegContext): LegAnswer | Promise<LegAnswer> {
      isMet = false
      if (!take()) return leg.open(request, context)
      const onMet = (): void => {
        isMet = true
      }
      if (type !== 'fail') return leg.open(request, withFault(context, { type, onMet }))
      onMet()
      throw new LegFailedError(failureOf('server_error', { processed: 'no' }))
    },
  }
}

/** The context of an attempt makes its signal when it is asked for it, which a copy must not do. */
function withFault(context: LegContext, fault: DrilledContext['fault']): DrilledContext {
  return {
    get signal() {
      return context.signal
    },
    stopSignal: context.stopSignal,
    onConnect: context.onConnect,
    fault,
  }
}
