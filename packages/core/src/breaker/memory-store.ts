import { makeRoom } from './bounded-map.js'
import type { Breaker } from './breaker.js'
import { createBreaker } from './breaker.js'
import type { BreakerSettings } from './breaker-settings.js'
import type { Rest } from './cooldowns.js'
import type { HealthStore } from './health-store.js'

const MAX_ENTRIES = 10_000

/** What the memory of a store stands on. */
export interface MemoryStoreHost {
  /** Monotonic milliseconds. Any clock of the process will do. */
  readonly now: () => number
  /** In [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

/**
 * A `HealthStore` in this process: for several registries that shall share one memory, and the measure for any other
 * store. A single registry needs none.
 */
export function createMemoryStore({ now, random = Math.random }: MemoryStoreHost): HealthStore {
  const breakers = new Map<string, Breaker>()
  const rests = new Map<string, { readonly until: number; readonly afterRateLimit: boolean }>()

  return {
    read: (key) => Promise.resolve(breakers.get(key)?.status(now()) ?? { state: 'closed', episode: 0, failures: 0 }),
    admit(key, settings) {
      const breaker = breakerOf(key, settings)
      const admission = breaker.admit(now())
      return Promise.resolve({ admission, status: breaker.status(now()) })
    },
    settle(key, ticket, verdict, settings) {
      const breaker = breakerOf(key, settings)
      breaker.settle(ticket, verdict, now())
      return Promise.resolve(breaker.status(now()))
    },
    rest(legKey, { leftMs, afterRateLimit }: Rest) {
      const until = now() + leftMs
      const known = rests.get(legKey)
      if (known === undefined) makeRoom(rests, MAX_ENTRIES, (other) => other.until <= now())
      if (known === undefined || known.until < until) rests.set(legKey, { until, afterRateLimit })
      return Promise.resolve()
    },
    restOf(legKey) {
      const known = rests.get(legKey)
      const leftMs = (known?.until ?? 0) - now()
      const rest = known === undefined || leftMs <= 0 ? undefined : { leftMs, afterRateLimit: known.afterRateLimit }
      return Promise.resolve(rest)
    },
  }

  function breakerOf(key: string, settings: BreakerSettings): Breaker {
    const known = breakers.get(key)
    if (known !== undefined) {
      known.configure(settings)
      return known
    }
    makeRoom(breakers, MAX_ENTRIES, (other) => other.status(now()).state === 'closed')
    const made = createBreaker(settings, { random })
    breakers.set(key, made)
    return made
  }
}
