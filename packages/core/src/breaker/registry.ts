import type { Failure } from '../failure/failure.js'
import type { Verdict } from '../failure/verdict.js'
import type { Admission, AdmissionTicket } from './admission.js'
import type { Cooldowns, Rest } from './cooldowns.js'
import { createCooldowns } from './cooldowns.js'
import { verdictOf } from './counts.js'
import type { HealthConfig, HealthOptions } from './health-options.js'
import type { HealthSnapshot } from './health-snapshot.js'
import type { LegIdentity } from './leg-key.js'
import type { GuardedProvider } from './provider-breakers.js'
import { createProviderBreakers } from './provider-breakers.js'
import type { AdmitOptions, LegAdmission, LegHealth, Permit, Refusal, RunHealth } from './run-health.js'
import { createSharedRests } from './shared-rests.js'
import { createStoreLink } from './store-link.js'

/** The remembered health of every provider and leg: one object, shared by all that runs chains. */
export interface HealthRegistry {
  /** For one run; see `RunHealth`. */
  readonly forRun: () => RunHealth
  /** What is known of a leg now; takes no slot. */
  readonly peek: (leg: LegIdentity) => LegHealth
  readonly snapshot: () => HealthSnapshot
  /**
   * Other options from now on, atomically: throws a `TypeError` and changes nothing if they are not right. A provider
   * whose fingerprint is the same keeps its state; one that changed starts afresh; one that is gone is forgotten.
   */
  readonly reload: (config: HealthConfig) => void
  /**
   * Lets go of a shared store: nothing is asked of it any more, and runs that are still under way go by what is known
   * here. Resolves when what is on its way has ended, a second later at most by default.
   */
  readonly close: () => Promise<void>
}

const CLOSED: LegHealth = { tier: 'closed', probeTurn: false }
/** Where there is no breaker there is nothing to hold. */
const UNGUARDED: AdmissionTicket = { probe: false, episode: -1 }

/**
 * Makes the memory of health. Throws a `TypeError` for an option that is none.
 *
 * Hot: a leg whose breaker is closed costs one look-up and a few comparisons, and no promise.
 */
export function createHealthRegistry(options: HealthOptions): HealthRegistry {
  const { clock, epoch = Date.now, store, patience = {}, warn, onReturn } = options
  const now = (): number => clock.now()
  const link = store && createStoreLink(store, { clock, warn, onReturn }, patience)
  const breakers = createProviderBreakers(options, { now, epoch, link, refreshMs: patience.refreshMs })
  const cooldowns: Cooldowns = createCooldowns()
  const rests = link && createSharedRests(cooldowns, { link, now, refreshMs: patience.refreshMs })
  let cooldown = options.cooldown !== false

  return {
    forRun: createRun,
    peek,
    snapshot: () => ({
      breakers: breakers.snapshot(),
      cooldowns: cooldowns.resting(now()).map(({ provider, model, region, leftMs }) => ({
        provider,
        model,
        ...(region === undefined ? undefined : { region }),
        until: Math.round(epoch() + leftMs),
      })),
    }),
    reload(config) {
      const changed = breakers.reload(config)
      cooldown = config.cooldown !== false
      cooldowns.forget(cooldown ? changed : () => true)
    },
    close: async () => link?.close(),
  }

  function createRun(): RunHealth {
    let charged: Set<string> | undefined

    return { peek, admit, refusesRetry: (leg) => breakers.find(leg)?.local.peek(now()).tier === 'out' }

    function admit(leg: LegIdentity, options: AdmitOptions = {}): LegAdmission | Promise<LegAdmission> {
      const { retried = false, force = false } = options
      // Before the breaker, or the slot of a probe would go to a leg that is not asked.
      const resting = retried || force ? undefined : restOf(leg)
      if (resting !== undefined) return restRefusal(resting)
      const guarded = breakers.findOrMake(leg)
      if (guarded === undefined) return permit(leg, undefined, UNGUARDED)
      const said = guarded.shared === undefined ? guarded.local.admit(now()) : guarded.shared.admit()
      return 'then' in said ? said.then(admission) : admission(said)

      function admission(said: Admission): LegAdmission {
        if (said.admitted) return permit(leg, guarded, said.ticket)
        if (!force || guarded === undefined) return circuitOpen(said.retryAfterMs)
        return permit(leg, guarded, guarded.local.force())
      }
    }

    function permit(leg: LegIdentity, guarded: GuardedProvider | undefined, ticket: AdmissionTicket): Permit {
      let booked: Verdict | undefined
      return {
        admitted: true,
        probe: ticket.probe,
        settle(failure) {
          booked ??= settle(leg, guarded, ticket, failure)
          return booked
        },
      }
    }

    function settle(
      leg: LegIdentity,
      guarded: GuardedProvider | undefined,
      ticket: AdmissionTicket,
      failure: Failure | undefined,
    ): Verdict {
      rest(leg, failure)
      if (guarded === undefined) return verdictOf(failure, 'table')
      const verdict = verdictOf(failure, guarded.settings().counts)
      const counted = once(guarded.key, ticket, verdict)
      // A stop of our own says nothing about the provider, so it is not its last word either.
      if (failure?.kind !== 'refused' && failure?.kind !== 'aborted') guarded.lastVerdict = verdict
      if (guarded.shared === undefined) guarded.local.settle(ticket, counted, now())
      else guarded.shared.settle(ticket, counted)
      return verdict
    }

    /** The charge of a failed probe opens a breaker again; it is no count that a run could hand in twice. */
    function once(key: string, ticket: AdmissionTicket, verdict: Verdict): Verdict {
      if (verdict !== 'charge' || ticket.probe) return verdict
      charged ??= new Set()
      if (charged.has(key)) return 'neutral'
      charged.add(key)
      return verdict
    }
  }

  function peek(leg: LegIdentity): LegHealth {
    const guarded = breakers.find(leg)
    guarded?.shared?.refresh()
    const known = guarded?.local.peek(now())
    const resting = restOf(leg)
    if (known?.tier === 'out') return { tier: 'out', ...circuitOpen(known.retryAfterMs, resting) }
    if (resting !== undefined) return { tier: 'out', ...restRefusal(resting) }
    return known === undefined || known.tier === 'closed' ? CLOSED : known
  }

  function restOf(leg: LegIdentity): Rest | undefined {
    if (!cooldown) return undefined
    rests?.refresh(leg)
    return cooldowns.restOf(leg, now())
  }

  function rest(leg: LegIdentity, failure: Failure | undefined): void {
    if (!cooldown) return
    const rested = cooldowns.settle(leg, failure, now())
    if (rested !== undefined) rests?.tell(leg, rested)
  }
}

function circuitOpen(leftMs: number, resting?: Rest): Refusal {
  const retryAfterMs = Math.max(leftMs, resting?.leftMs ?? 0)
  return { admitted: false, reason: 'circuit_open', retryAfterMs, afterRateLimit: false }
}

function restRefusal({ leftMs, afterRateLimit }: Rest): Refusal {
  return { admitted: false, reason: 'cooldown', retryAfterMs: leftMs, afterRateLimit }
}

