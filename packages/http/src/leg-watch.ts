import type { AttemptRecord, Failure } from '@understudy/core'
import { legName } from '@understudy/core'

import { customLegFault } from './custom-leg-fault.js'
import type { LegFailureSnapshot } from './fallback.js'
import type { Warn } from './warnings.js'

/** In a row, on one leg: the limit is more likely wrong than the leg silent. */
const FIRST_CONTENT_TIMEOUTS = 3

type LegIdentity = Pick<LegFailureSnapshot, 'provider' | 'model'>

/** Remembers what legs did last, for the snapshot and for the warnings of a limit that is too short and of custom code that is wrong. */
export interface LegWatch {
  /** A run was bound to a leg, or failed. */
  readonly record: (trail: readonly AttemptRecord[]) => void
  /** The answer of a leg broke off after the commit. */
  readonly broke: (leg: LegIdentity, failure: Failure) => void
  readonly lastFailures: () => readonly LegFailureSnapshot[]
}

/** Makes a watch over the legs of one `Fallback`. `epoch` gives milliseconds since the epoch. */
export function createLegWatch(warn: Warn, epoch: () => number): LegWatch {
  const failures = new Map<string, LegFailureSnapshot>()
  const silences = new Map<string, number>()
  const faulty = new Set<string>()

  return {
    record(trail) {
      for (const record of trail) {
        // An attempt that the client cut short says nothing about its leg.
        if (record.outcome === 'skipped' || (record.outcome === 'failed' && record.failure.kind === 'aborted')) continue
        const leg = legName(record)
        if (record.outcome === 'failed') note(record, record.failure)
        if (record.outcome === 'failed' && record.failure.phase === 'first_content') countSilence(leg)
        else if (silences.size > 0) silences.delete(leg)
      }
    },
    broke: note,
    lastFailures: () => [...failures.values()],
  }

  function note({ provider, model }: LegIdentity, failure: Failure): void {
    const { kind, status } = failure
    failures.set(legName({ provider, model }), { provider, model, kind, status, at: epoch() })
    // A custom leg has one name for both.
    if (provider === model && !faulty.has(provider)) warnOfFault(provider, failure)
  }

  function warnOfFault(leg: string, failure: Failure): void {
    const fault = customLegFault(failure)
    if (fault === undefined) return
    faulty.add(leg)
    const message = `the code of the custom leg '${leg}' is at fault: ${fault.message}`
    warn('UNDERSTUDY_CUSTOM_LEG', message, { leg, at: fault.at })
  }

  function countSilence(leg: string): void {
    const count = (silences.get(leg) ?? 0) + 1
    silences.set(leg, count)
    if (count !== FIRST_CONTENT_TIMEOUTS) return
    const message =
      `leg '${leg}' gave no content in time ${count} times in a row: ` +
      'if it is slow by nature, raise its firstContentTimeoutMs (or set reasoning: true)'
    warn('UNDERSTUDY_FIRST_CONTENT', message, { leg })
  }
}
