import { channel } from 'node:diagnostics_channel'

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

const TYPES = [
  'attempt-start',
  'attempt-failure',
  'leg-skipped',
  'failover',
  'run-commit',
  'run-end',
] as const satisfies readonly FallbackEvent['type'][]

/**
 * Makes a hub. Events also go to `node:diagnostics_channel`, each on the channel of its type: `understudy:run-end` and so on.
 */
export function createEventHub(): EventHub {
  const listeners = new Set<(event: FallbackEvent) => unknown>()
  const channels = new Map(TYPES.map((type) => [type, channel(`understudy:${type}`)]))
  let queue: FallbackEvent[] = []
  let errors = 0

  return {
    active: () => listeners.size > 0 || [...channels.values()].some(({ hasSubscribers }) => hasSubscribers),
    emit(event) {
      queue.push(event)
      if (queue.length === 1) setImmediate(flush)
    },
    on(listener) {
      // A listener that is added twice is told twice and taken away twice.
      const own = (event: FallbackEvent): unknown => listener(event)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    errors: () => errors,
  }

  function flush(): void {
    const events = queue
    queue = []
    for (const event of events) {
      channels.get(event.type)?.publish(event)
      for (const listener of listeners) tell(listener, event)
    }
  }

  function tell(listener: (event: FallbackEvent) => unknown, event: FallbackEvent): void {
    try {
      const result = listener(event)
      if (result instanceof Promise) result.catch(count)
    } catch {
      count()
    }
  }

  function count(): void {
    errors += 1
  }
}
