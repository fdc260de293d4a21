import type { LiveChains, LiveHost, Logger, ResolvedConfig, Tell } from '@understudy/config'
import { createLiveChains } from '@understudy/config'

import type { Warn } from '../warnings.js'

/** What live chains stand on in a `Fallback`. */
export interface LiveGround extends Omit<LiveHost, 'warn' | 'error' | 'info'> {
  readonly logger: Logger | undefined
  readonly warn: Warn
}

/** Makes the live chains of a `Fallback` and begins to read; `undefined` where the option `chains` is not set. */
export function createLive({ live, known }: ResolvedConfig, ground: LiveGround): LiveChains | undefined {
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
