import type { TripRule } from './trip-rule.js'

/** What the ratio rule looks at. */
export interface RatioSettings {
  /** Trips when this share of the calls failed, above 0 and at most 1. Default 0.5. */
  readonly threshold: number
  /** How far it looks back, in ms. Default 60 000. */
  readonly windowMs: number
  /** With fewer calls in the window it never trips. Default 10. */
  readonly minimumCalls: number
}

/** The same as a person writes it. What is absent has its default. */
export type RatioOptions = { readonly [Name in keyof RatioSettings]?: RatioSettings[Name] | undefined }

/** The window slides in tenths, so that what it remembers does not grow with the traffic. */
const SLICES = 10

interface Slice {
  /** The tenth that it counts, numbered from the clock's zero. */
  period: number
  calls: number
  failures: number
}

/** Trips when too large a share of the calls in a sliding window failed. */
export function createRatioRule({ threshold, windowMs, minimumCalls }: RatioSettings): TripRule {
  const sliceMs = windowMs / SLICES
  const slices: readonly Slice[] = Array.from({ length: SLICES }, () => ({ period: -Infinity, calls: 0, failures: 0 }))

  return {
    success(now) {
      count(now, 0)
    },
    failure(now) {
      count(now, 1)
      const { calls, failures } = total(now)
      return calls >= minimumCalls && failures >= threshold * calls
    },
    failures: (now) => total(now).failures,
  }

  function count(now: number, failed: number): void {
    const period = Math.floor(now / sliceMs)
    const slice = slices[((period % SLICES) + SLICES) % SLICES]
    if (slice === undefined) return
    if (slice.period !== period) {
      slice.period = period
      slice.calls = 0
      slice.failures = 0
    }
    slice.calls += 1
    slice.failures += failed
  }

  function total(now: number): { readonly calls: number; readonly failures: number } {
    const oldest = Math.floor(now / sliceMs) - SLICES
    let calls = 0
    let failures = 0
    for (const slice of slices) {
      if (slice.period <= oldest) continue
      calls += slice.calls
      failures += slice.failures
    }
    return { calls, failures }
  }
}
