import type { Failure } from '../failure/failure.js'
import { makeRoom } from './bounded-map.js'
import type { LegIdentity } from './leg-key.js'
import { legKey } from './leg-key.js'

/** How long a leg rests, and whether a rate limit is why. */
export interface Rest {
  readonly leftMs: number
  readonly afterRateLimit: boolean
}

/** The remembered rate limits of legs. Every method is given the time of an injected clock, in ms. */
export interface Cooldowns {
  /** `undefined` = the leg may be asked. */
  readonly restOf: (leg: LegIdentity, now: number) => Rest | undefined
  /** The end of an attempt; no failure = it answered. Gives the rest that came of it, if one did. */
  readonly settle: (leg: LegIdentity, failure: Failure | undefined, now: number) => Rest | undefined
  /** Takes over a rest that another process knows of. A longer one that is known here stays. */
  readonly adopt: (leg: LegIdentity, rest: Rest, now: number) => void
  /** Forgets what is known of the legs of these providers. */
  readonly forget: (gone: (provider: string) => boolean) => void
  /** The legs that rest now. */
  readonly resting: (now: number) => readonly (LegIdentity & Rest)[]
}

interface Entry {
  readonly leg: LegIdentity
  readonly until: number
  readonly afterRateLimit: boolean
  /** The next rest after a 429 that does not say how long. */
  readonly stepMs: number
}

const FIRST_STEP_MS = 1_000
const LAST_STEP_MS = 60_000
const MAX_REST_MS = 300_000
const MAX_LEGS = 1_000

/**
 * Makes the memory of rate limits. A 429 rests its leg for the `Retry-After` that it carries (at most 5 min), else for
 * 1 s, then twice as long each time up to 60 s until the leg answers. A 503 or 529 rests it only with a `Retry-After`.
 */
export function createCooldowns(): Cooldowns {
  const entries = new Map<string, Entry>()

  return {
    restOf(leg, now) {
      // The usual case costs no key.
      if (entries.size === 0) return undefined
      const entry = entries.get(legKey(leg))
      return entry === undefined || entry.until <= now ? undefined : restAt(entry, now)
    },
    settle(leg, failure, now) {
      if (failure === undefined) {
        answered(leg, now)
        return undefined
      }
      const limited = failure.kind === 'rate_limit'
      const askedMs = failure.retryAfterMs
      if (!limited && !(askedMs !== undefined && isUnavailable(failure))) return undefined
      const known = entries.get(legKey(leg))
      const stepMs = known?.stepMs ?? FIRST_STEP_MS
      if (askedMs !== undefined) {
        return rest(leg, now + Math.min(Math.max(askedMs, 0), MAX_REST_MS), limited, stepMs, now)
      }
      // Requests that were under way together are refused together: one refusal, and not a step for each.
      if (known !== undefined && known.until > now) return restAt(known, now)
      return rest(leg, now + stepMs, true, Math.min(2 * stepMs, LAST_STEP_MS), now)
    },
    adopt(leg, { leftMs, afterRateLimit }, now) {
      const stepMs = entries.get(legKey(leg))?.stepMs ?? FIRST_STEP_MS
      rest(leg, now + Math.min(leftMs, MAX_REST_MS), afterRateLimit, stepMs, now)
    },
    forget(gone) {
      for (const [key, { leg }] of entries) if (gone(leg.provider)) entries.delete(key)
    },
    resting(now) {
      const left = [...entries.values()].filter(({ until }) => until > now)
      return left.map((entry) => ({ ...entry.leg, ...restAt(entry, now) }))
    },
  }

  function answered(leg: LegIdentity, now: number): void {
    if (entries.size === 0) return
    const key = legKey(leg)
    const entry = entries.get(key)
    if (entry === undefined) return
    // An answer that was under way when the leg was told to rest ends the doubling, not the rest.
    if (entry.until <= now) entries.delete(key)
    else entries.set(key, { ...entry, stepMs: FIRST_STEP_MS })
  }

  function rest(
    leg: LegIdentity,
    until: number,
    afterRateLimit: boolean,
    stepMs: number,
    now: number,
  ): Rest | undefined {
    const key = legKey(leg)
    const known = entries.get(key)
    const kept = known !== undefined && known.until >= until
    const entry: Entry = {
      leg: { provider: leg.provider, model: leg.configuredModel ?? leg.model, region: leg.region },
      until: kept ? known.until : until,
      afterRateLimit: kept ? known.afterRateLimit : afterRateLimit,
      stepMs,
    }
    if (known === undefined) makeRoom(entries, MAX_LEGS, (other) => other.until <= now)
    entries.set(key, entry)
    return entry.until <= now ? undefined : restAt(entry, now)
  }
}

function restAt({ until, afterRateLimit }: Entry, now: number): Rest {
  return { leftMs: until - now, afterRateLimit }
}

function isUnavailable({ kind, status }: Failure): boolean {
  return kind === 'overloaded' || (kind === 'server_error' && (status === 503 || status === 529))
}
