import type { Logger, ResolvedConfig } from '@understudy/config'
import type { BreakerEvent, Clock, HealthRegistry, ProviderHealth, StoreProblem } from '@understudy/core'
import { createHealthRegistry } from '@understudy/core'

import type { EventHub } from './event-hub.js'
import type { Warn } from './warnings.js'

/** What the health of a `Fallback` stands on. */
export interface HealthHost {
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  readonly hub: EventHub
  readonly warn: Warn
  readonly logger: Logger | undefined
}

const PROBLEMS: Readonly<Record<StoreProblem, string>> = {
  failed: 'the health store failed, or said what cannot be',
  slow: 'the health store takes too long',
}

/** Makes the memory of health that all runs of a `Fallback` share, and tells of each breaker that changes its state. */
export function createHealth({ health, providers }: ResolvedConfig, host: HealthHost): HealthRegistry {
  const { clock, random, wallClock, hub } = host
  const { breaker, cooldown, shared } = health
  const own = [...providers].map(([name, provider]): [string, ProviderHealth] => [name, { breaker: provider.breaker }])
  return createHealthRegistry({
    clock,
    random,
    epoch: wallClock,
    breaker,
    cooldown,
    providers: Object.fromEntries(own),
    store: shared?.store,
    patience: shared,
    warn: (problem) => host.warn('UNDERSTUDY_HEALTH_STORE', `${PROBLEMS[problem]}; this process goes by what it knows itself`, { problem }),
    onReturn: () => host.logger?.info({}, 'the health store answers again'),
    on(event) {
      if (hub.active()) hub.emit(event)
      tell(event, host)
    },
  })
}

/** A provider that is left out is for whoever is on call, with a logger or without one; the rest is for who reads the log. */
function tell(event: BreakerEvent, { warn, logger }: HealthHost): void {
  const { provider, region, failures } = event
  const name = region === undefined ? `'${provider}'` : `'${provider}' (${region})`
  switch (event.type) {
    case 'breaker-open':
      warn('UNDERSTUDY_BREAKER_OPEN', `provider ${name} keeps failing${howOf(event)} and is left out`, {
        provider,
        region,
        failures,
        kind: event.kind,
        status: event.status,
        openUntil: event.openUntil,
      })
      return
    case 'breaker-half-open':
      logger?.debug({ provider, region }, `provider ${name} is probed`)
      return
    case 'breaker-closed':
      logger?.info({ provider, region }, `provider ${name} answers again`)
      return
  }
}

/** ` (auth_error, 401)`; nothing where only another process knows. */
function howOf({ kind, status }: Extract<BreakerEvent, { readonly type: 'breaker-open' }>): string {
  if (kind === undefined) return ''
  return ` (${status === undefined ? kind : `${kind}, ${status}`})`
}
