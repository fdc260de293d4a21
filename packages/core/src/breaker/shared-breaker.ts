import type { Verdict } from '../failure/verdict.js'
import type { Admission, AdmissionTicket } from './admission.js'
import type { Breaker, BreakerStatus } from './breaker.js'
import type { BreakerSettings } from './breaker-settings.js'
import type { StoreLink } from './store-link.js'

/** What a shared breaker stands on. */
export interface SharedBreakerHost {
  /** What the store knows it as. */
  readonly key: string
  readonly link: StoreLink
  readonly now: () => number
  readonly settings: () => BreakerSettings
  /** How old what is known may get. Default 1 000. */
  readonly refreshMs?: number | undefined
}

/** A local breaker that follows a shared store. */
export interface SharedBreaker {
  /** A promise only for the attempt that would be the probe. */
  readonly admit: () => Admission | Promise<Admission>
  readonly settle: (ticket: AdmissionTicket, verdict: Verdict) => void
  /** Reads the store in the background if what is known here is old. */
  readonly refresh: () => void
}

export const DEFAULT_REFRESH_MS = 1_000

/**
 * Has a local breaker follow the one in a shared store. While the local one is closed or refuses, it answers by itself,
 * so that a request waits for the store only where processes have to agree: on who is the probe. Each verdict counts
 * once: in the store, or here if the store did not take it.
 */
export function createSharedBreaker(local: Breaker, host: SharedBreakerHost): SharedBreaker {
  const { key, link, now, settings, refreshMs = DEFAULT_REFRESH_MS } = host
  let readAt = -Infinity
  let asked = 0
  let followed = 0

  return {
    admit() {
      refresh()
      const { tier } = local.peek(now())
      if (tier === 'closed' || tier === 'out') return local.admit(now())
      if (!link.up()) return alone().admit(now())
      const follow = follower()
      return link.ask(
        (store) => store.admit(key, settings()),
        ({ admission, status }) => {
          follow(status)
          return admission
        },
        () => alone().admit(now()),
        // Too late to be used: the slot that it took must not wait for its lease.
        ({ admission }) => {
          if (!admission.admitted) return
          link.tell((store) => store.settle(key, admission.ticket, 'neutral', settings()), follower())
        },
      )
    },
    settle(ticket, verdict) {
      if (!link.up()) {
        alone().settle(ticket, verdict, now())
        return
      }
      link.tell(
        (store) => store.settle(key, ticket, verdict, settings()),
        follower(),
        () => alone().settle(ticket, verdict, now()),
      )
    },
    refresh,
  }

  function refresh(): void {
    if (now() - readAt < refreshMs || !link.up()) return
    readAt = now()
    link.tell((store) => store.read(key), follower())
  }

  /** What the store was asked before this process had to decide by itself is out of date. */
  function alone(): Breaker {
    followed = ++asked
    return local
  }

  /** Answers may overtake each other: an older one than what was followed last is left aside. */
  function follower(): (status: BreakerStatus) => void {
    const turn = ++asked
    return (status) => {
      if (turn < followed) return
      followed = turn
      readAt = now()
      local.adopt(status, now())
    }
  }
}
