import { ConfigError, type ConfigIssue } from './config-error.js'
import type { MountOptions } from './options.js'
import type { ResolvedMount } from './resolved-config.js'
import { checkObject } from './schema/check-object.js'
import { mountOnly } from './schema/options.js'

const MAX_BODY_BYTES = 20 * 1024 * 1024

/** Fills in the defaults of a mount. */
export function settleMount(options: MountOptions): ResolvedMount {
  return {
    shortPaths: options.shortPaths ?? false,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    report: options.report ?? true,
    reportKey: options.reportKey ?? 'understudy',
    exposeTrail: options.exposeTrail ?? true,
    exposeProviderMessages: options.exposeProviderMessages ?? false,
    clientRetries: options.clientRetries ?? false,
    exhaustedStatus: options.exhaustedStatus ?? 'by_cause',
  }
}

/** Checks what stands beside a `Fallback` that is made already: mount options only. Throws a `ConfigError`. */
export function resolveMount(options: MountOptions = {}): ResolvedMount {
  const issues: ConfigIssue[] = []
  const checked = checkObject(mountOnly, options, ['options'], issues)
  if (checked === undefined) throw new ConfigError(issues)
  return settleMount(checked)
}
