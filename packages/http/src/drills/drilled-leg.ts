import type { Clock, DrillFault, Leg, LegAnswer, LegContext } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'

import type { DrilledContext } from './faulted-source.js'

/** An attempt that is to be failed. */
export interface TakenAttempt {
  /** It met its fault. */
  readonly onMet: () => void
  /** It failed by itself before it could. */
  readonly onMissed: () => void
}

/** What is to be done to a leg. */
export interface LegFault {
  readonly type: DrillFault
  /** This attempt, if it may still be failed. */
  readonly take: () => TakenAttempt | undefined
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
      return isRescued().then((may) => {
        // The client may have left while the host was asked.
        const { stopSignal = context.signal } = context
        stopSignal.throwIfAborted()
        return may ? fail(request, context) : leg.open(request, context)
      })
    },
  }

  function fail(request: Parameters<Leg['open']>[0], context: LegContext): LegAnswer | Promise<LegAnswer> {
    const taken = take()
    if (taken === undefined) return leg.open(request, context)
    const onMet = (): void => {
      if (!isMet) taken.onMet()
      isMet = true
    }
    if (type !== 'fail') return tampered(request, withFault(context, { type, onMet, clock, until }), taken)
    onMet()
    throw new LegFailedError(failureOf('server_error', { processed: 'no' }))
  }

  async function tampered(request: Parameters<Leg['open']>[0], context: DrilledContext, taken: TakenAttempt): Promise<LegAnswer> {
    try {
      return await leg.open(request, context)
    } catch (error) {
      if (!isMet) taken.onMissed()
      throw error
    }
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
