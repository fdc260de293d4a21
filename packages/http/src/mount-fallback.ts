import type { FallbackOptions, RoutesInput } from '@understudy/config'
import { resolveMount } from '@understudy/config'

import { createHostFaults } from './authorize-faults.js'
import { createBegunFault, uncalledFault } from './check-mount.js'
import type { MountableFallback } from './create-fallback.js'
import { AT_MOUNT, createMountableFallback } from './create-fallback.js'
import type { Fallback, MountedFallback } from './fallback.js'
import type { InboundRequest } from './inbound/request.js'
import { createWarn } from './warnings.js'

/**
 * What an adapter mounts: routes become a `Fallback` of this mount's own; a `Fallback` that is passed in is shared, and beside it
 * only mount options are taken, over those that it was made with. Throws a `ConfigError` for options that are wrong.
 */
export function mountFallback(routes: RoutesInput | Fallback, options: FallbackOptions = {}): MountedFallback {
  const fault = uncalledFault(routes, options)
  if (fault !== undefined) throw fault
  if (!isFallback(routes)) {
    const fallback = createMountableFallback(routes, options)
    return mounted(fallback, true, fallback[AT_MOUNT]((own) => own))
  }
  if (isMountable(routes)) {
    return mounted(routes, false, routes[AT_MOUNT]((own) => resolveMount(options, own)))
  }
  resolveMount(options)
  const warn = createWarn(undefined)
  const { matches, handle } = routes
  return mounted(routes, false, { matches, handle, warn, onHostFault: createHostFaults(undefined, warn) })
}

/** A request whose response the host has begun is never handed on. */
function mounted(fallback: Fallback, owned: boolean, at: ReturnType<MountableFallback[typeof AT_MOUNT]>): MountedFallback {
  const begunFault = createBegunFault(at.warn)
  const handle = (request: InboundRequest) => {
    const fault = begunFault(request)
    return fault === undefined ? at.handle(request) : Promise.reject(fault)
  }
  return { fallback, owned, ...at, handle }
}

function isFallback(value: RoutesInput | Fallback): value is Fallback {
  return typeof value?.handle === 'function' && typeof value.matches === 'function'
}

function isMountable(fallback: Fallback): fallback is MountableFallback {
  return AT_MOUNT in fallback
}
