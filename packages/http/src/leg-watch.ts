import type { AttemptRecord, Failure, FailureKind, LegIdentity, LegMisconfiguredEvent } from '@understudy/core'
import { configuredLeg, legKey, legName } from '@understudy/core'

import { customLegFault } from './custom-leg-fault.js'
import type { LegFailureSnapshot } from './fallback.js'
import type { Warn } from './warnings.js'

/** In a row, on one leg: the limit is more likely wrong than the leg silent. */
const FIRST_CONTENT_TIMEOUTS = 3
/** In a row, on one leg, while another serves: its model, key or settings are more likely wrong than the requests. */
const FAULTS_OF_SETTING = 3
const FAULT_KINDS: ReadonlySet<FailureKind> = new Set(['not_found', 'auth_error', 'invalid_request'])

/** What is remembered of a leg. Content-free. */
export interface LegMemory {
  readonly lastServedAt: number | undefined
  readonly misconfigured: boolean
}

/** Remembers what legs did last, for the snapshot and for warnings of what is set or written wrongly. */
export interface LegWatch {
  /** A run was bound to a leg, or failed. */
  readonly record: (trail: readonly AttemptRecord[]) => void
  /** The answer of a leg broke off after the commit. */
  readonly broke: (leg: LegIdentity, failure: Failure) => void
  readonly lastFailures: () => readonly LegFailureSnapshot[]
  readonly memoryOf: (leg: LegIdentity) => LegMemory
}

/** What a watch over legs stands on. */
export interface LegWatchHost {
  readonly warn: Warn
  /** Milliseconds since the epoch. */
  readonly epoch: () => number
  readonly emit: (event: LegMisconfiguredEvent) => void
}

/** Makes a watch over the legs of one `Fallback`. */
export function createLegWatch({ warn, epoch, emit }: LegWatchHost): LegWatch {
  const failures = new Map<string, LegFailureSnapshot>()
  const silences = new Map<string, number>()
  const faulty = new Set<string>()
  const faults = new Map<string, number>()
  const served = new Map<string, number>()
  const warned = new Set<string>()

  return {
    record(trail) {
      const serves = trail.at(-1)?.outcome === 'served'
      for (const record of trail) {
        // An attempt that the client cut short, or that was never made for a fault of ours, says nothing about its leg.
        if (record.outcome === 'skipped') continue
        if (record.outcome === 'failed' && (record.failure.kind === 'aborted' || record.failure.internal === true)) continue
        const key = legKey(record)
        if (record.outcome === 'failed') {
          note(record, record.failure)
          countFault(key, record, record.failure.kind, serves)
        } else {
          served.set(key, epoch())
          if (faults.size > 0) faults.delete(key)
        }
        if (record.outcome === 'failed' && record.failure.phase === 'first_content') countSilence(key, record)
        else if (silences.size > 0) silences.delete(key)
      }
    },
    broke: note,
    lastFailures: () => [...failures.values()],
    memoryOf(leg) {
      const key = legKey(leg)
      return { lastServedAt: served.get(key), misconfigured: (faults.get(key) ?? 0) >= FAULTS_OF_SETTING }
    },
  }

  function note(leg: LegIdentity, failure: Failure): void {
    const identity = configuredLeg(leg)
    const { provider, model, region } = identity
    const { kind, status } = failure
    const at = epoch()
    failures.set(legKey(leg), region === undefined ? { provider, model, kind, status, at } : { provider, model, region, kind, status, at })
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

  function countSilence(key: string, record: LegIdentity): void {
    const count = (silences.get(key) ?? 0) + 1
    silences.set(key, count)
    if (count !== FIRST_CONTENT_TIMEOUTS) return
    const leg = legName(configuredLeg(record))
    const message =
      `leg '${leg}' gave no content in time ${count} times in a row: ` +
      'if it is slow by nature, raise its firstContentTimeoutMs (or set reasoning: true)'
    warnOnce('UNDERSTUDY_FIRST_CONTENT', key, message, { leg })
  }

  /** A fault that no other leg made good may be the request's; one of another kind says that the leg is there. */
  function countFault(key: string, record: LegIdentity, kind: FailureKind, serves: boolean): void {
    if (!FAULT_KINDS.has(kind)) {
      if (faults.size > 0) faults.delete(key)
      return
    }
    if (!serves) return
    const count = (faults.get(key) ?? 0) + 1
    faults.set(key, count)
    if (count !== FAULTS_OF_SETTING) return
    const identity = configuredLeg(record)
    const leg = legName(identity)
    const message =
      `leg '${leg}' ended its last ${count} attempts in ${kind} while another leg served: check its model, credentials and settings`
    warnOnce('UNDERSTUDY_LEG_MISCONFIGURED', key, message, { leg, kind })
    emit({ type: 'leg-misconfigured', ...identity, kind, at: epoch() })
  }

  /** A leg that is well for a while and then not again would fill the log with what was said before. */
  function warnOnce(code: string, key: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    const warning = `${code}\n${key}`
    if (warned.has(warning)) return
    warned.add(warning)
    warn(code, message, fields)
  }
}
