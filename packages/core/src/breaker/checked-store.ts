import { field, numberField } from '../failure/field.js'
import type { Admission } from './admission.js'
import type { BreakerStatus } from './breaker.js'
import type { Rest } from './cooldowns.js'
import type { HealthStore } from './health-store.js'

/** The longest wait that a store may speak of; no breaker and no rest has such a long one. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * A store whose answers are what they have to be: one that says anything else rejects, as a store that is down does. It
 * may be another version's, or somebody may have written into its data.
 */
export function checkedStore(store: HealthStore): HealthStore {
  return {
    read: async (key) => statusOf(await store.read(key)),
    async admit(key, settings) {
      const said = await store.admit(key, settings)
      return { admission: admissionOf(field(said, 'admission')), status: statusOf(field(said, 'status')) }
    },
    settle: async (key, ticket, verdict, settings) => statusOf(await store.settle(key, ticket, verdict, settings)),
    rest: async (key, rest) => store.rest(key, rest),
    async restOf(key) {
      const said = await store.restOf(key)
      return said === undefined ? undefined : restOf(said)
    },
  }
}

function statusOf(said: unknown): BreakerStatus {
  const state = field(said, 'state')
  const known = { episode: countOf(said, 'episode'), failures: countOf(said, 'failures') }
  switch (state) {
    case 'closed':
      return { state, ...known }
    case 'open':
      return { state, ...known, dueInMs: lengthOf(said, 'dueInMs') }
    case 'half-open': {
      const probe = field(said, 'probe')
      return {
        state,
        ...known,
        successes: countOf(said, 'successes'),
        probe: probe == null ? undefined : { lease: countOf(probe, 'lease'), leftMs: lengthOf(probe, 'leftMs') },
      }
    }
    default:
      return lie('state')
  }
}

function admissionOf(said: unknown): Admission {
  const admitted = field(said, 'admitted')
  if (admitted === false) return { admitted, reason: 'circuit_open', retryAfterMs: lengthOf(said, 'retryAfterMs') }
  if (admitted !== true) return lie('admitted')
  const ticket = field(said, 'ticket')
  const probe = field(ticket, 'probe')
  if (typeof probe !== 'boolean') return lie('probe')
  const lease = field(ticket, 'lease') == null ? undefined : countOf(ticket, 'lease')
  return { admitted, ticket: { probe, episode: countOf(ticket, 'episode'), lease } }
}

function restOf(said: unknown): Rest {
  const afterRateLimit = field(said, 'afterRateLimit')
  if (typeof afterRateLimit !== 'boolean') return lie('afterRateLimit')
  return { leftMs: lengthOf(said, 'leftMs'), afterRateLimit }
}

function countOf(said: unknown, key: string): number {
  const count = field(said, key)
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : lie(key)
}

function lengthOf(said: unknown, key: string): number {
  const length = numberField(said, key)
  return length !== undefined && length >= 0 && length <= LONGEST_MS ? length : lie(key)
}

function lie(key: string): never {
  throw new TypeError(`the store says of \`${key}\` what cannot be`)
}
