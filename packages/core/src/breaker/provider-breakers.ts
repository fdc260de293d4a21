import type { Failure } from '../failure/failure.js'
import type { Verdict } from '../failure/verdict.js'
import { makeRoom } from './bounded-map.js'
import type { Breaker, BreakerStatus } from './breaker.js'
import { createBreaker } from './breaker.js'
import type { BreakerEvent } from './breaker-events.js'
import type { BreakerSettings } from './breaker-settings.js'
import { breakerSettings } from './breaker-settings.js'
import type { HealthConfig, HealthOptions } from './health-options.js'
import type { BreakerSnapshot } from './health-snapshot.js'
import type { LegIdentity } from './leg-key.js'
import { breakerKey } from './leg-key.js'
import type { SharedBreaker } from './shared-breaker.js'
import { createSharedBreaker } from './shared-breaker.js'
import type { StoreLink } from './store-link.js'

/** A provider's breaker, and what is remembered beside it. */
export interface GuardedProvider {
  readonly key: string
  readonly local: Breaker
  /** Present when the state is shared between processes. */
  readonly shared: SharedBreaker | undefined
  readonly settings: () => BreakerSettings
  lastVerdict: Verdict | undefined
  /** How the last attempt that was charged failed, since when none went well. */
  lastCharge: Charge | undefined
}

/** What is kept of a failure: nothing that a provider said. */
export type Charge = Pick<Failure, 'kind' | 'status'>

/** One breaker for each provider name, and region if a leg has one. */
export interface ProviderBreakers {
  /** The breaker of a leg that was asked before; `undefined` = none yet, or none at all. */
  readonly find: (leg: LegIdentity) => GuardedProvider | undefined
  /** The breaker of a leg; `undefined` = its provider has none. */
  readonly findOrMake: (leg: LegIdentity) => GuardedProvider | undefined
  readonly snapshot: () => readonly BreakerSnapshot[]
  /** Takes other options; says which providers are no longer what they were. */
  readonly reload: (config: HealthConfig) => (provider: string) => boolean
}

/** What the breakers stand on. */
export interface ProviderBreakersHost {
  readonly now: () => number
  /** Milliseconds since the epoch. */
  readonly epoch: () => number
  readonly link: StoreLink | undefined
  readonly refreshMs: number | undefined
}

interface Entry extends GuardedProvider {
  readonly leg: Pick<LegIdentity, 'provider' | 'region'>
  readonly configure: (settings: BreakerSettings) => void
}

const MAX_BREAKERS = 1_000

/** Makes the breakers of all providers, each when its first leg is asked. */
export function createProviderBreakers(options: HealthOptions, host: ProviderBreakersHost): ProviderBreakers {
  const { random = Math.random, on } = options
  const { now, epoch, link, refreshMs } = host
  const entries = new Map<string, Entry>()
  let settings = settingsOf(options)

  return {
    find: (leg) => entries.get(breakerKey(leg)),
    findOrMake(leg) {
      const key = breakerKey(leg)
      return entries.get(key) ?? make(key, leg)
    },
    snapshot: () => [...entries.values()].map(snapshotOf),
    reload(config) {
      const known = settings
      settings = settingsOf(config)
      const changed = (name: string): boolean => known.of(name).fingerprint !== settings.of(name).fingerprint
      for (const [key, { leg, configure }] of entries) {
        const next = settings.of(leg.provider).breaker
        if (next === undefined || changed(leg.provider)) entries.delete(key)
        else configure(next)
      }
      return changed
    },
  }

  function make(key: string, { provider, region }: LegIdentity): Entry | undefined {
    const { breaker, fingerprint = '' } = settings.of(provider)
    if (breaker === undefined) return undefined
    let current = breaker
    const leg = { provider, ...(region === undefined ? undefined : { region }) }
    const local = createBreaker(current, { random, onChange: on && ((status) => tell(entry, status)) })
    const storeKey = `${key}\n${fingerprint}`
    const shared = link && createSharedBreaker(local, { key: storeKey, link, now, settings: () => current, refreshMs })
    const entry: Entry = {
      key,
      leg,
      local,
      shared,
      settings: () => current,
      lastVerdict: undefined,
      lastCharge: undefined,
      configure(next) {
        current = next
        local.configure(next)
      },
    }
    makeRoom(entries, MAX_BREAKERS, (other) => other.local.peek(now()).tier === 'closed')
    entries.set(key, entry)
    return entry
  }

  function snapshotOf({ leg, local, lastVerdict }: Entry): BreakerSnapshot {
    const status = local.status(now())
    return {
      ...leg,
      state: status.state,
      failures: status.failures,
      ...(lastVerdict === undefined ? undefined : { lastVerdict }),
      ...(status.state === 'open' ? { openUntil: Math.round(epoch() + status.dueInMs) } : undefined),
    }
  }

  function tell(entry: Entry, status: BreakerStatus): void {
    try {
      on?.(eventOf(entry, status, epoch()))
    } catch {
      // A listener that throws must not take the attempt down that it hears of.
      return
    }
  }
}

function eventOf({ leg, lastCharge }: Entry, status: BreakerStatus, at: number): BreakerEvent {
  const told = { ...leg, failures: status.failures, at }
  switch (status.state) {
    case 'open':
      return { type: 'breaker-open', state: 'open', ...told, openUntil: Math.round(at + status.dueInMs), ...lastCharge }
    case 'half-open':
      return { type: 'breaker-half-open', state: 'half-open', ...told }
    case 'closed':
      return { type: 'breaker-closed', state: 'closed', ...told }
  }
}

interface ProviderSettings {
  readonly breaker: BreakerSettings | undefined
  readonly fingerprint: string | undefined
}

interface SettingsByName {
  readonly of: (provider: string) => ProviderSettings
}

/** Every provider's settings, checked at once, so that a wrong one is found before anything changes. */
function settingsOf({ breaker, providers = {} }: HealthConfig): SettingsByName {
  const shared: ProviderSettings = { breaker: breakerSettings(breaker), fingerprint: undefined }
  const own = new Map(
    Object.entries(providers).map(([name, provider]): [string, ProviderSettings] => [
      name,
      {
        breaker: breakerSettings(breaker, provider.breaker, `providers.${name}.breaker`),
        fingerprint: provider.fingerprint ?? '',
      },
    ]),
  )
  return { of: (provider) => own.get(provider) ?? shared }
}
