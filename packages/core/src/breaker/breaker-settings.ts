import type { FailureKind } from '../failure/failure.js'
import { createConsecutiveRule } from './consecutive.js'
import type { Counts } from './counts.js'
import { checkCounts } from './counts.js'
import type { RatioOptions, RatioSettings } from './ratio.js'
import { createRatioRule } from './ratio.js'
import type { TripRule } from './trip-rule.js'

/** How a breaker behaves, as a person writes it. What is absent has its default. */
export interface BreakerOptions {
  /** Opens after so many failures in a row. Default 3. */
  readonly failureThreshold?: number | undefined
  /** Opens by the share of calls that failed instead of by failures in a row. Default off. */
  readonly ratio?: false | RatioOptions | undefined
  /**
   * How long it stays open before a probe, in ms; also how long a probe keeps its slot (1 s at least). Default 60 000.
   */
  readonly recoveryMs?: number | undefined
  /** By which share of itself `recoveryMs` varies, so that processes do not probe together; 0 to 1. Default 0.2. */
  readonly jitter?: number | undefined
  /** Closes after so many probes that ended well. Default 2. */
  readonly successThreshold?: number | undefined
  /**
   * The failure kinds that count, or `sdk`: rate limits count and every other 4xx is neutral. Default the failure
   * table.
   */
  readonly counts?: Counts | readonly FailureKind[] | undefined
}

/** A breaker's options with every default filled in. */
export interface BreakerSettings {
  /** How many failures in a row open it; of no account with a `ratio`. */
  readonly failureThreshold: number
  /** The share of failed calls that opens it in place of failures in a row; `undefined` = those count. */
  readonly ratio: RatioSettings | undefined
  /** How long it stays open before a probe, in ms; also how long a probe keeps its slot (1 000 at least). */
  readonly recoveryMs: number
  /** By which share of itself `recoveryMs` varies, up or down, each time it opens; 0 to 1. */
  readonly jitter: number
  /** How many probes have to end well for it to close. */
  readonly successThreshold: number
  /** Which failures count. */
  readonly counts: Counts | readonly FailureKind[]
}

/**
 * How a breaker behaves unless somebody says otherwise: 3 failures in a row open it for 60 000 ms, a fifth more or less; 2 good
 * probes close it; the failure table says what counts.
 */
export const DEFAULT_BREAKER = {
  failureThreshold: 3,
  ratio: undefined,
  recoveryMs: 60_000,
  jitter: 0.2,
  successThreshold: 2,
  counts: 'table',
} as const satisfies BreakerSettings

/** What a `ratio` leaves open: half of the calls in the last 60 000 ms failed, of 10 at least. */
export const DEFAULT_RATIO = { threshold: 0.5, windowMs: 60_000, minimumCalls: 10 } as const satisfies RatioSettings

/**
 * The options of one provider laid over those of all; `false` = no breaker. Throws a `TypeError` that names the option,
 * what it was and what would be right; `path` says whose they are.
 */
export function breakerSettings(
  shared: false | BreakerOptions = {},
  own?: false | BreakerOptions,
  path = 'breaker',
): BreakerSettings | undefined {
  if (own === false || (own === undefined && shared === false)) return undefined
  const { ratio = false, ...rest } = { ...given(shared === false ? {} : shared), ...given(own ?? {}) }
  const settings: BreakerSettings = {
    ...DEFAULT_BREAKER,
    ...rest,
    ratio: ratio === false ? undefined : { ...DEFAULT_RATIO, ...given(ratio) },
  }
  check(settings, path)
  return settings
}

/** The trip rule that the settings ask for, with nothing to remember yet. */
export function tripRule({ ratio, failureThreshold }: BreakerSettings): TripRule {
  return ratio === undefined ? createConsecutiveRule(failureThreshold) : createRatioRule(ratio)
}

/** Whether two settings behave the same. */
export function sameSettings(one: BreakerSettings, other: BreakerSettings): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

type Given<Options> = { [Name in keyof Options]?: Exclude<Options[Name], undefined> }

/** An option that is there and undefined must not hide the one below it. */
function given<Options extends object>(options: Options): Given<Options> {
  const copy: Given<Options> = {}
  for (const name of Object.keys(options) as (keyof Options)[]) {
    const value = options[name]
    if (isGiven(value)) copy[name] = value
  }
  return copy
}

function isGiven<Value>(value: Value): value is Exclude<Value, undefined> {
  return value !== undefined
}

function check(settings: BreakerSettings, path: string): void {
  const { ratio } = settings
  for (const name of ['failureThreshold', 'recoveryMs', 'successThreshold'] as const) {
    atLeastOne(`${path}.${name}`, settings[name])
  }
  within(`${path}.jitter`, settings.jitter, settings.jitter >= 0 && settings.jitter <= 1, 'a number from 0 to 1')
  checkCounts(settings.counts, `${path}.counts`)
  if (ratio === undefined) return
  for (const name of ['windowMs', 'minimumCalls'] as const) atLeastOne(`${path}.ratio.${name}`, ratio[name])
  const { threshold } = ratio
  within(`${path}.ratio.threshold`, threshold, threshold > 0 && threshold <= 1, 'a number above 0, at most 1')
}

function atLeastOne(path: string, value: unknown): void {
  within(path, value, Number.isInteger(value) && Number(value) >= 1, 'an integer of at least 1')
}

function within(path: string, value: unknown, right: boolean, wanted: string): void {
  if (right && typeof value === 'number') return
  throw new TypeError(`\`${path}\` must be ${wanted}; got ${typeof value === 'number' ? value : typeof value}`)
}
