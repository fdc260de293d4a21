import type { Clock } from '../clock.js'
import { checkedStore } from './checked-store.js'
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
  readonly warn?: ((problem: StoreProblem) => void) | undefined
  /** Told when a store that was left alone, and warned of, answers again. */
  readonly onReturn?: (() => void) | undefined
}

/** Why a store was left alone: it rejected or said what cannot be, or it took too long. */
export type StoreProblem = 'failed' | 'slow'

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
  /** Asks nothing more. Resolves when what is on its way has ended or was waited for long enough. */
  readonly close: () => Promise<void>
}

const DEFAULT_ADMIT_WAIT_MS = 25
const DEFAULT_SETTLE_WAIT_MS = 1_000
const DEFAULT_PAUSE_MS = 5_000
const WARN_EVERY_MS = 600_000
/** More calls than this on their way at once mean that the store does not keep up. */
const MAX_UNDER_WAY = 1_000

/** Makes the way to a store. */
export function createStoreLink(store: HealthStore, host: StoreLinkHost, patience: StorePatience = {}): StoreLink {
  const { clock, warn, onReturn } = host
  const checked = checkedStore(store)
  const { admitWaitMs = DEFAULT_ADMIT_WAIT_MS, settleWaitMs = DEFAULT_SETTLE_WAIT_MS } = patience
  const { pauseMs = DEFAULT_PAUSE_MS } = patience
  let pausedUntil = -Infinity
  let warnedAt = -Infinity
  let warned = false
  let underWay = 0
  let closed = false
  const waits = new Set<Promise<unknown>>()

  return {
    up: () => !closed && clock.now() >= pausedUntil,
    ask: (call, said, without, late) => bounded(admitWaitMs, call, said, without, late),
    tell(call, said, lost = nothing) {
      void bounded(settleWaitMs, call, said, lost, said)
    },
    async close() {
      closed = true
      await Promise.all(waits)
    },
  }

  function bounded<Said, Result>(
    waitMs: number,
    call: (store: HealthStore) => Promise<Said>,
    said: (value: Said) => Result,
    without: () => Result,
    late: (value: Said) => void,
  ): Promise<Result> {
    if (closed) return Promise.resolve(without())
    const wait = new Promise<Result>((resolve) => {
      let open = true
      if (underWay >= MAX_UNDER_WAY) {
        pause('slow')
        resolve(without())
        return
      }
      underWay += 1
      const cancel = clock.schedule(waitMs, () => giveUp('slow'))
      started(call)
        .then((value) => {
          if (!open) {
            late(value)
            return
          }
          resolve(said(value))
          end()
          answered()
        })
        .catch(() => giveUp('failed'))

      function giveUp(problem: StoreProblem): void {
        if (!open) return
        end()
        pause(problem)
        resolve(without())
      }

      /** A call that was given up is no longer waited for, or a store that was deaf for a while would stay too busy for ever. */
      function end(): void {
        open = false
        underWay -= 1
        cancel()
      }
    })
    waits.add(wait)
    void wait.then(() => waits.delete(wait))
    return wait
  }

  /** A store that throws instead of rejecting is no different. */
  async function started<Said>(call: (store: HealthStore) => Promise<Said>): Promise<Said> {
    return await call(checked)
  }

  function pause(problem: StoreProblem): void {
    const now = clock.now()
    pausedUntil = now + pauseMs
    if (now - warnedAt < WARN_EVERY_MS) return
    warnedAt = now
    warned = true
    warn?.(problem)
  }

  function answered(): void {
    if (!warned || clock.now() < pausedUntil) return
    warned = false
    onReturn?.()
  }
}

function nothing(): void {
  return undefined
}
