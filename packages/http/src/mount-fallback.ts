import type { FallbackOptions, RoutesInput } from '@understudy/config'
import { resolveMount } from '@understudy/config'

import { createHostFaults } from './authorize-faults.js'
import { uncalledFault } from './check-mount.js'
import type { MountableFallback } from './create-fallback.js'
import { AT_MOUNT, createMountableFallback } from './create-fallback.js'
import type { Fallback, MountedFallback } from './fallback.js'
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
    return { fallback, owned: true, ...fallback[AT_MOUNT]((own) => own) }
  }
  if (isMountable(routes)) {
    return { fallback: routes, owned: false, ...routes[AT_MOUNT]((own) => resolveMount(options, own)) }
  }
  resolveMount(options)
  const warn = createWarn(undefined)
  return { fallback: routes, owned: false, matches: routes.matches, handle: routes.handle, warn, onHostFault: createHostFaults(undefined, warn) }
}

function isFallback(value: RoutesInput | Fallback): value is Fallback {
  return typeof value?.handle === 'function' && typeof value.matches === 'function'
}

function isMountable(fallback: Fallback): fallback is MountableFallback {
  return AT_MOUNT in fallback
}
