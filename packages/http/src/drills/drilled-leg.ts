import type { Clock, DrillFault, Leg, LegAnswer, LegContext } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'

import type { DrilledContext } from './faulted-source.js'

/** What is to be done to a leg. */
export interface LegFault {
  readonly type: DrillFault
  /** Whether this attempt may still be failed; counts it. */
  readonly take: () => boolean
  readonly clock: Clock
  /** Until when an answer may be tampered with, by that clock: whoever comes behind needs the rest of the time. */
  readonly until: number
  /** Whether the host lets another leg serve the request; absent = it is not asked. Never rejects. */
  readonly isRescued?: (() => Promise<boolean>) | undefined
}

/** A leg that fails on purpose, for one request. */
export function drilledLeg<Own extends Leg>(leg: Own, { type, take, clock, until, isRescued }: LegFault): Own {
  let isMet = false
  return {
    ...leg,
    isDrilled: () => isMet,
    open(request: Parameters<Leg['open']>[0], context: LegContext): LegAnswer | Promise<LegAnswer> {
      isMet = false
      if (type !== 'fail' && clock.now() >= until) return leg.open(request, context)
      if (isRescued === undefined) return fail(request, context)
      return isRescued().then((may) => (may ? fail(request, context) : leg.open(request, context)))
    },
  }

  function fail(request: Parameters<Leg['open']>[0], context: LegContext): LegAnswer | Promise<LegAnswer> {
    if (!take()) return leg.open(request, context)
    const onMet = (): void => {
      isMet = true
    }
    if (type !== 'fail') return leg.open(request, withFault(context, { type, onMet, clock, until }))
    onMet()
    throw new LegFailedError(failureOf('server_error', { processed: 'no' }))
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
