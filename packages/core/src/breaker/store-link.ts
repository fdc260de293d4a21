import type { Clock } from '../clock.js'
import type { HealthStore } from './health-store.js'

/** How patient a process is with a shared store. */
export interface StorePatience {
  /** How long a request that would be the probe waits for the store's word, in ms. Default 25. */
  readonly admitWaitMs?: number | undefined
  /** How long what no request waits for may take, in ms. Default 1 000. */
  readonly settleWaitMs?: number | undefined
  /** How long the store is left alone after it failed or was too slow, in ms. Default 5 000. */
  readonly pauseMs?: number | undefined
  /**
   * How old what is known of a breaker may get before it is read again, in ms; no request waits for it. Default 1 000.
   */
  readonly refreshMs?: number | undefined
}

/** What a link stands on. */
export interface StoreLinkHost {
  readonly clock: Clock
  /** Told when local state takes over: once an outage, and every ten minutes at most. */
  readonly warn?: ((problem: 'failed' | 'slow') => void) | undefined
}

/**
 * The way to a shared store, which may be slow or down. Nothing here rejects, and nothing waits longer than it is
 * allowed to.
 */
export interface StoreLink {
  /** False while the store is left alone. */
  readonly up: () => boolean
  /** Waited for by a request: what the store says in time, else `without`. `late` is told what came after that. */
  readonly ask: <Said, Result>(
    call: (store: HealthStore) => Promise<Said>,
    said: (value: Said) => Result,
    without: () => Result,
    late: (value: Said) => void,
  ) => Promise<Result>
  /** Waited for by nobody. `lost` is called if the store did not take it. */
  readonly tell: <Said>(
    call: (store: HealthStore) => Promise<Said>,
    said: (value: Said) => void,
    lost?: () => void,
  ) => void
}

export const DEFAULT_ADMIT_WAIT_MS = 25
export const DEFAULT_SETTLE_WAIT_MS = 1_000
export const DEFAULT_PAUSE_MS = 5_000
const WARN_EVERY_MS = 600_000
/** More calls than this on their way at once mean that the store does not keep up. */
const MAX_UNDER_WAY = 1_000

/** Makes the way to a store. */
export function createStoreLink(store: HealthStore, host: StoreLinkHost, patience: StorePatience = {}): StoreLink {
  const { clock, warn } = host
  const { admitWaitMs = DEFAULT_ADMIT_WAIT_MS, settleWaitMs = DEFAULT_SETTLE_WAIT_MS } = patience
  const { pauseMs = DEFAULT_PAUSE_MS } = patience
  let pausedUntil = -Infinity
  let warnedAt = -Infinity
  let underWay = 0

  return {
    up: () => clock.now() >= pausedUntil,
    ask: (call, said, without, late) => bounded(admitWaitMs, call, said, without, late),
    tell(call, said, lost = nothing) {
      void bounded(settleWaitMs, call, said, lost, said)
    },
  }

  function bounded<Said, Result>(
    waitMs: number,
    call: (store: HealthStore) => Promise<Said>,
    said: (value: Said) => Result,
    without: () => Result,
    late: (value: Said) => void,
  ): Promise<Result> {
    return new Promise((resolve) => {
      let open = true
      if (underWay >= MAX_UNDER_WAY) {
        giveUp('slow')
        return
      }
      underWay += 1
      const cancel = clock.schedule(waitMs, () => giveUp('slow'))
      started(call)
        .then((value) => {
          if (open) resolve(said(value))
          else late(value)
        })
        .catch(() => giveUp('failed'))
        .finally(() => {
          underWay -= 1
          cancel()
        })

      function giveUp(problem: 'failed' | 'slow'): void {
        if (!open) return
        open = false
        pause(problem)
        resolve(without())
      }
    })
  }

  /** A store that throws instead of rejecting is no different. */
  async function started<Said>(call: (store: HealthStore) => Promise<Said>): Promise<Said> {
    return await call(store)
  }

  function pause(problem: 'failed' | 'slow'): void {
    const now = clock.now()
    pausedUntil = now + pauseMs
    if (now - warnedAt < WARN_EVERY_MS) return
    warnedAt = now
    warn?.(problem)
  }
}

function nothing(): void {
  return undefined
}
