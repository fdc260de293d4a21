import type { Channel } from 'node:diagnostics_channel'
import { channel } from 'node:diagnostics_channel'

import { runHostCode } from '@understudy/core'
import type { FallbackEvent } from '@understudy/core'

/** Takes events in and hands them on once the bytes of the moment are written. */
export interface EventHub {
  /** Whether anybody listens: an event that nobody hears is not made. */
  readonly active: () => boolean
  readonly emit: (event: FallbackEvent) => void
  readonly on: (listener: (event: FallbackEvent) => void) => () => void
  /** How often a listener threw or rejected. */
  readonly errors: () => number
}

type Listener = (event: FallbackEvent) => unknown

const CHANNELS = {
  'attempt-start': channel('understudy:attempt-start'),
  'attempt-failure': channel('understudy:attempt-failure'),
  'leg-skipped': channel('understudy:leg-skipped'),
  failover: channel('understudy:failover'),
  'run-commit': channel('understudy:run-commit'),
  'run-end': channel('understudy:run-end'),
  'breaker-open': channel('understudy:breaker-open'),
  'breaker-half-open': channel('understudy:breaker-half-open'),
  'breaker-closed': channel('understudy:breaker-closed'),
  'leg-misconfigured': channel('understudy:leg-misconfigured'),
  'chain-applied': channel('understudy:chain-applied'),
  'chain-rejected': channel('understudy:chain-rejected'),
  'chain-reverted': channel('understudy:chain-reverted'),
  'pin-active-long': channel('understudy:pin-active-long'),
  'pin-expiring': channel('understudy:pin-expiring'),
  'pin-expired': channel('understudy:pin-expired'),
  'drill-start': channel('understudy:drill-start'),
  'drill-end': channel('understudy:drill-end'),
} as const satisfies Record<FallbackEvent['type'], Channel>

const ALL_CHANNELS: readonly Channel[] = Object.values(CHANNELS)

/**
 * Makes a hub. Events also go to `node:diagnostics_channel`, each on the channel of its type: `understudy:run-end` and so on.
 */
export function createEventHub(): EventHub {
  let listeners: readonly Listener[] = []
  let queue: FallbackEvent[] = []
  let errors = 0

  return {
    active: () => listeners.length > 0 || ALL_CHANNELS.some(isHeard),
    emit(event) {
      queue.push(event)
      if (queue.length === 1) setImmediate(flush)
    },
    on(listener) {
      // A listener that is added twice is told twice and taken away twice.
      const own: Listener = (event) => listener(event)
      listeners = [...listeners, own]
      return () => {
        listeners = listeners.filter((other) => other !== own)
      }
    },
    errors: () => errors,
  }

  function flush(): void {
    const events = queue
    queue = []
    for (const event of events) {
      CHANNELS[event.type].publish(event)
      for (const listener of listeners) runHostCode(() => listener(event), countError)
    }
  }

  function countError(): void {
    errors += 1
  }
}

function isHeard({ hasSubscribers }: Channel): boolean {
  return hasSubscribers
}
