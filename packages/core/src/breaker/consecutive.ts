import type { TripRule } from './trip-rule.js'

/** Trips at so many failures without a success between them. */
export function createConsecutiveRule(failureThreshold: number): TripRule {
  let failures = 0
  return {
    success() {
      failures = 0
    },
    failure() {
      failures += 1
      return failures >= failureThreshold
    },
    failures: () => failures,
  }
}
