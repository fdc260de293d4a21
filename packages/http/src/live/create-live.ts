import type { KnownChains, LiveChains, LiveHost, Logger, ResolvedLive, ResolvedRoute, Tell } from '@understudy/config'
import { createLiveChains } from '@understudy/config'

import type { Warn } from '../warnings.js'

/** What live chains stand on in a `Fallback`. */
export interface LiveGround extends Omit<LiveHost, 'warn' | 'error' | 'info'> {
  readonly logger: Logger | undefined
  readonly warn: Warn
}

/**
 * What a document is judged by, and that each leg which it names, of whichever preset, can be made: so nothing can fail when it is
 * selected. `make` throws where one cannot; its message is ours.
 */
export function provenChains(known: KnownChains, make: (route: ResolvedRoute) => void): KnownChains {
  return {
    ...known,
    legFor(named, route) {
      const found = known.legFor(named, route)
      if ('wrong' in found) return found
      try {
        make({ ...route, legs: [found.leg] })
        return found
      } catch (error) {
        return { wrong: error instanceof Error ? error.message : 'cannot be asked' }
      }
    },
  }
}

/** Makes the live chains of a `Fallback` and begins to read; `undefined` where the option `chains` is not set. */
export function createLive(known: KnownChains, live: ResolvedLive | undefined, ground: LiveGround): LiveChains | undefined {
  if (live === undefined) return undefined
  const { logger, warn, ...rest } = ground
  const error: Tell = (code, message, fields = {}) => {
    if (logger === undefined) warn(code, message)
    else logger.error({ code, ...fields }, message)
  }
  const chains = createLiveChains(known, live, { ...rest, warn, error, info: (message, fields = {}) => logger?.info(fields, message) })
  rest.onRoutes(chains.running().routes)
  chains.start()
  return chains
}
