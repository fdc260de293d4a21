import type { Failure } from '../failure/failure.js'
import type { Verdict } from '../failure/verdict.js'
import type { Admission, AdmissionTicket } from './admission.js'
import type { Cooldowns, Rest } from './cooldowns.js'
import { createCooldowns } from './cooldowns.js'
import { verdictOf } from './counts.js'
import type { HealthConfig, HealthOptions } from './health-options.js'
import type { HealthSnapshot } from './health-snapshot.js'
import type { LegIdentity } from './leg-key.js'
import type { Charge, GuardedProvider, ProviderBreakers } from './provider-breakers.js'
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
  const parts: RegistryParts = { now, breakers, peek, restOf, rest }

  return {
    forRun: () => new RegisteredRun(parts),
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

/** What a run's view of the registry stands on. */
interface RegistryParts {
  readonly now: () => number
  readonly breakers: ProviderBreakers
  readonly peek: (leg: LegIdentity) => LegHealth
  /** The rest that a leg has left, if any. */
  readonly restOf: (leg: LegIdentity) => Rest | undefined
  /** Takes from how an attempt ended what rest its leg has from now on. */
  readonly rest: (leg: LegIdentity, failure: Failure | undefined) => void
}

/** A class: one is made for every run, and an open stream holds it. */
class RegisteredRun implements RunHealth {
  readonly #parts: RegistryParts
  #charged: Set<string> | undefined

  constructor(parts: RegistryParts) {
    this.#parts = parts
  }

  peek(leg: LegIdentity): LegHealth {
    return this.#parts.peek(leg)
  }

  refusesRetry(leg: LegIdentity): boolean {
    const { breakers, now } = this.#parts
    return breakers.find(leg)?.local.peek(now()).tier === 'out'
  }

  admit(leg: LegIdentity, { retried = false, force = false }: AdmitOptions = NO_OPTIONS): LegAdmission | Promise<LegAdmission> {
    const { breakers, now, restOf } = this.#parts
    // Before the breaker, or the slot of a probe would go to a leg that is not asked.
    const resting = retried || force ? undefined : restOf(leg)
    if (resting !== undefined) return restRefusal(resting)
    const guarded = breakers.findOrMake(leg)
    if (guarded === undefined) return new AttemptPermit(this, leg, undefined, UNGUARDED)
    const said = guarded.shared === undefined ? guarded.local.admit(now()) : guarded.shared.admit()
    return 'then' in said ? said.then((late) => this.#admission(leg, guarded, late, force)) : this.#admission(leg, guarded, said, force)
  }

  #admission(leg: LegIdentity, guarded: GuardedProvider, said: Admission, force: boolean): LegAdmission {
    if (said.admitted) return new AttemptPermit(this, leg, guarded, said.ticket)
    if (!force) return circuitOpen(said.retryAfterMs)
    return new AttemptPermit(this, leg, guarded, guarded.local.force())
  }

  /** What the end of an attempt says of its provider. */
  settle(leg: LegIdentity, guarded: GuardedProvider | undefined, ticket: AdmissionTicket, failure: Failure | undefined): Verdict {
    const { rest, now } = this.#parts
    rest(leg, failure)
    if (guarded === undefined) return verdictOf(failure, 'table')
    const verdict = verdictOf(failure, guarded.settings().counts)
    const counted = this.#once(guarded.key, ticket, verdict)
    // Before the breaker hears of it, which may open with it and then say why.
    if (verdict === 'charge' && failure !== undefined) guarded.lastCharge = chargeOf(failure)
    else if (verdict === 'success') guarded.lastCharge = undefined
    // A stop of our own says nothing about the provider, so it is not its last word either.
    if (failure?.kind !== 'refused' && failure?.kind !== 'aborted') guarded.lastVerdict = verdict
    if (guarded.shared === undefined) guarded.local.settle(ticket, counted, now())
    else guarded.shared.settle(ticket, counted)
    return verdict
  }

  /** The charge of a failed probe opens a breaker again; it is no count that a run could hand in twice. */
  #once(key: string, ticket: AdmissionTicket, verdict: Verdict): Verdict {
    if (verdict !== 'charge' || ticket.probe) return verdict
    this.#charged ??= new Set()
    if (this.#charged.has(key)) return 'neutral'
    this.#charged.add(key)
    return verdict
  }
}

const NO_OPTIONS: AdmitOptions = {}

class AttemptPermit implements Permit {
  readonly admitted = true
  readonly probe: boolean
  readonly #run: RegisteredRun
  readonly #leg: LegIdentity
  readonly #guarded: GuardedProvider | undefined
  readonly #ticket: AdmissionTicket
  #booked: Verdict | undefined

  constructor(run: RegisteredRun, leg: LegIdentity, guarded: GuardedProvider | undefined, ticket: AdmissionTicket) {
    this.probe = ticket.probe
    this.#run = run
    this.#leg = leg
    this.#guarded = guarded
    this.#ticket = ticket
  }

  settle(failure: Failure | undefined): Verdict {
    this.#booked ??= this.#run.settle(this.#leg, this.#guarded, this.#ticket, failure)
    return this.#booked
  }
}

function chargeOf({ kind, status }: Failure): Charge {
  return status === undefined ? { kind } : { kind, status }
}

function circuitOpen(leftMs: number, resting?: Rest): Refusal {
  const retryAfterMs = Math.max(leftMs, resting?.leftMs ?? 0)
  return { admitted: false, reason: 'circuit_open', retryAfterMs, afterRateLimit: false }
}

function restRefusal({ leftMs, afterRateLimit }: Rest): Refusal {
  return { admitted: false, reason: 'cooldown', retryAfterMs: leftMs, afterRateLimit }
}

