import { makeRoom } from './bounded-map.js'
import type { Cooldowns, Rest } from './cooldowns.js'
import type { LegIdentity } from './leg-key.js'
import { legKey } from './leg-key.js'
import { DEFAULT_REFRESH_MS } from './shared-breaker.js'
import type { StoreLink } from './store-link.js'

/** Local cooldowns that follow a shared store, in the background. */
export interface SharedRests {
  /** Reads the store if what is known of the leg is old. */
  readonly refresh: (leg: LegIdentity) => void
  readonly tell: (leg: LegIdentity, rest: Rest) => void
}

/** What shared rests stand on. */
export interface SharedRestsHost {
  readonly link: StoreLink
  readonly now: () => number
  readonly refreshMs?: number | undefined
}

const MAX_LEGS = 1_000

/** Has local cooldowns follow those of a shared store. No request waits for it. */
export function createSharedRests(cooldowns: Cooldowns, host: SharedRestsHost): SharedRests {
  const { link, now, refreshMs = DEFAULT_REFRESH_MS } = host
  const readAt = new Map<string, number>()

  return {
    refresh(leg) {
      const key = legKey(leg)
      if (now() - (readAt.get(key) ?? -Infinity) < refreshMs || !link.up()) return
      makeRoom(readAt, MAX_LEGS, (at) => now() - at >= refreshMs)
      readAt.set(key, now())
      link.tell(
        (store) => store.restOf(key),
        (rest) => rest && cooldowns.adopt(leg, rest, now()),
      )
    },
    tell(leg, rest) {
      if (link.up()) link.tell((store) => store.rest(legKey(leg), rest), ignore)
    },
  }
}

function ignore(): void {
  return undefined
}
