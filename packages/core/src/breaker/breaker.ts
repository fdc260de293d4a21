import type { Verdict } from '../failure/verdict.js'
import type { Admission, AdmissionTicket, BreakerPeek } from './admission.js'
import type { BreakerSettings } from './breaker-settings.js'
import { sameSettings, tripRule } from './breaker-settings.js'
import type { TripRule } from './trip-rule.js'

/**
 * Where a breaker stands, free of any clock's zero, so that one process can tell another. `episode` counts the changes
 * of state; `failures` are those that the trip rule remembers, or that opened it.
 */
export type BreakerStatus =
  | { readonly state: 'closed'; readonly episode: number; readonly failures: number }
  | { readonly state: 'open'; readonly episode: number; readonly failures: number; readonly dueInMs: number }
  | {
      readonly state: 'half-open'
      readonly episode: number
      readonly failures: number
      readonly successes: number
      /** The probe under way, if one is. */
      readonly probe?: { readonly lease: number; readonly leftMs: number } | undefined
    }

/** The memory of one provider's health. Every method is given the time of an injected clock, in ms. */
export interface Breaker {
  /** What `admit` would say, without taking the slot. */
  readonly peek: (now: number) => BreakerPeek
  /** Asked right before an attempt; the ticket goes back to `settle`. One probe at a time; nobody waits for it. */
  readonly admit: (now: number) => Admission
  /**
   * A ticket for an attempt that starts although the breaker refuses it. While the breaker is not closed it changes
   * nothing.
   */
  readonly force: () => AdmissionTicket
  /** The verdict at the end of an attempt. */
  readonly settle: (ticket: AdmissionTicket, verdict: Verdict, now: number) => void
  readonly status: (now: number) => BreakerStatus
  /** Takes over what another process knows. */
  readonly adopt: (status: BreakerStatus, now: number) => void
  /** Other settings from now on. The state stays; what a closed breaker has counted begins anew. */
  readonly configure: (settings: BreakerSettings) => void
}

/** What a breaker stands on. */
export interface BreakerHost {
  /** In [0, 1). For the jitter of `recoveryMs`. */
  readonly random: () => number
  /** Told of each change of state, after it. */
  readonly onChange?: ((status: BreakerStatus) => void) | undefined
}

type State =
  | { readonly name: 'closed'; readonly rule: TripRule; readonly admission: Admission }
  | { readonly name: 'open'; readonly failures: number; readonly dueAt: number }
  | {
      readonly name: 'half-open'
      readonly failures: number
      readonly successes: number
      readonly probe: Probe | undefined
    }

interface Probe {
  readonly lease: number
  readonly leasedUntil: number
}

const CLOSED: BreakerPeek = { tier: 'closed' }
const LEAST_LEASE_MS = 1_000
/** A probe that goes well is over long before its lease. */
const BUSY_RETRY_MS = 1_000

/**
 * Makes a closed breaker. It has no timers: an open one is due once its time is up, and becomes half-open with the
 * attempt that is admitted then.
 *
 * Hot: while it is closed, `peek` and `admit` compare once and make nothing.
 */
export function createBreaker(initial: BreakerSettings, { random, onChange }: BreakerHost): Breaker {
  let settings = initial
  let episode = 0
  let leases = 0
  let probedAt = -Infinity
  let state: State = closed()

  return { peek, admit, force, settle, status, adopt, configure }

  function peek(now: number): BreakerPeek {
    if (state.name === 'closed') return CLOSED
    const retryAfterMs = refusedForMs(state, now)
    if (retryAfterMs > 0) return { tier: 'out', retryAfterMs }
    return { tier: state.name === 'open' ? 'due' : 'half-open', probeTurn: now - probedAt >= settings.recoveryMs }
  }

  function admit(now: number): Admission {
    if (state.name === 'closed') return state.admission
    const retryAfterMs = refusedForMs(state, now)
    if (retryAfterMs > 0) return { admitted: false, reason: 'circuit_open', retryAfterMs }
    const { name, failures } = state
    const successes = state.name === 'open' ? 0 : state.successes
    const lease = ++leases
    const probe = { lease, leasedUntil: now + leaseMs() }
    const next: State = { name: 'half-open', failures, successes, probe }
    probedAt = now
    if (name === 'open') move(() => next, now)
    else state = next
    return { admitted: true, ticket: { probe: true, episode, lease } }
  }

  function force(): AdmissionTicket {
    return { probe: false, episode }
  }

  function settle(ticket: AdmissionTicket, verdict: Verdict, now: number): void {
    if (ticket.episode !== episode) return
    if (state.name === 'closed') {
      if (verdict === 'success') state.rule.success(now)
      else if (verdict === 'charge' && state.rule.failure(now)) open(state.rule.failures(now), now)
      return
    }
    if (state.name === 'open' || !ticket.probe) return
    // A probe that outlived its lease still tells the truth about this episode, but the slot may be another's by now.
    const probe = state.probe?.lease === ticket.lease ? undefined : state.probe
    const successes = state.successes + (verdict === 'success' ? 1 : 0)
    if (verdict === 'charge') open(state.failures + 1, now)
    else if (successes >= settings.successThreshold) move(closed, now)
    else state = { ...state, successes, probe }
  }

  function status(now: number): BreakerStatus {
    switch (state.name) {
      case 'closed':
        return { state: 'closed', episode, failures: state.rule.failures(now) }
      case 'open':
        return { state: 'open', episode, failures: state.failures, dueInMs: Math.max(0, state.dueAt - now) }
      case 'half-open': {
        const { failures, successes, probe } = state
        const leftMs = (probe?.leasedUntil ?? now) - now
        return {
          state: 'half-open',
          episode,
          failures,
          successes,
          probe: probe === undefined || leftMs <= 0 ? undefined : { lease: probe.lease, leftMs },
        }
      }
    }
  }

  function adopt(told: BreakerStatus, now: number): void {
    const next = stateOf(told, now)
    const isOther = told.episode !== episode
    // One that is closed in another episode was away in between, which nobody here has seen.
    const isNews = next.name !== state.name || (isOther && next.name !== 'closed')
    episode = told.episode
    // Within one closed episode the rule keeps what it counted while it was on its own.
    if (next.name !== 'closed') state = next
    else if (isOther || state.name !== 'closed') state = closed()
    if (next.name === 'half-open') noteProbe(next, now)
    if (isNews) onChange?.(status(now))
  }

  function noteProbe({ probe }: Extract<State, { readonly name: 'half-open' }>, now: number): void {
    if (probe === undefined) return
    probedAt = now
    leases = Math.max(leases, probe.lease)
  }

  function stateOf(told: BreakerStatus, now: number): State {
    switch (told.state) {
      case 'closed':
        return closed()
      case 'open':
        return { name: 'open', failures: told.failures, dueAt: now + Math.min(told.dueInMs, longestWaitMs()) }
      case 'half-open': {
        const { failures, successes, probe } = told
        return {
          name: 'half-open',
          failures,
          successes,
          probe: probe && { lease: probe.lease, leasedUntil: now + Math.min(probe.leftMs, leaseMs()) },
        }
      }
    }
  }

  function leaseMs(): number {
    return Math.max(settings.recoveryMs, LEAST_LEASE_MS)
  }

  /** Whatever another process says, a provider is not left out longer than it would be here. */
  function longestWaitMs(): number {
    return settings.recoveryMs * (1 + settings.jitter)
  }

  function configure(next: BreakerSettings): void {
    if (sameSettings(settings, next)) return
    settings = next
    if (state.name === 'closed') state = closed()
  }

  function closed(): State {
    const admission: Admission = { admitted: true, ticket: { probe: false, episode } }
    return { name: 'closed', rule: tripRule(settings), admission }
  }

  function open(failures: number, now: number): void {
    const waitMs = settings.recoveryMs * (1 + settings.jitter * (2 * random() - 1))
    move(() => ({ name: 'open', failures, dueAt: now + waitMs }), now)
  }

  function move(next: () => State, now: number): void {
    episode += 1
    state = next()
    onChange?.(status(now))
  }
}

/** How long the breaker refuses; 0 = the next to ask is the probe. */
function refusedForMs(state: Exclude<State, { readonly name: 'closed' }>, now: number): number {
  if (state.name === 'open') return Math.max(0, state.dueAt - now)
  if (state.probe === undefined) return 0
  return Math.min(BUSY_RETRY_MS, Math.max(0, state.probe.leasedUntil - now))
}
