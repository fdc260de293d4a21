import type { AttemptRecord } from '@understudy/core'
import { legName } from '@understudy/core'

import type { LegFailureSnapshot } from './fallback.js'
import type { Warn } from './warnings.js'

/** In a row, on one leg: the limit is more likely wrong than the leg silent. */
const FIRST_CONTENT_TIMEOUTS = 3

/** Remembers what legs did last, for the snapshot and for the warning of a limit that is too short. */
export interface LegWatch {
  readonly record: (trail: readonly AttemptRecord[]) => void
  readonly lastFailures: () => readonly LegFailureSnapshot[]
}

/** Makes a watch over the legs of one `Fallback`. */
export function createLegWatch(warn: Warn, epoch: () => number): LegWatch {
  const failures = new Map<string, LegFailureSnapshot>()
  const silences = new Map<string, number>()

  return {
    record(trail) {
      for (const record of trail) {
        if (record.outcome === 'skipped') continue
        const leg = legName(record)
        if (record.outcome === 'served') {
          if (silences.size > 0) silences.delete(leg)
          continue
        }
        const { kind, status, phase } = record.failure
        failures.set(leg, { provider: record.provider, model: record.model, kind, status, at: epoch() })
        if (phase === 'first_content') countSilence(leg)
        else silences.delete(leg)
      }
    },
    lastFailures: () => [...failures.values()],
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
