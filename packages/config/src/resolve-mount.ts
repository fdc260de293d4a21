import { ConfigError, type ConfigIssue } from './config-error.js'
import type { MountOptions } from './options.js'
import type { ResolvedMount } from './resolved-config.js'
import { checkObject } from './schema/check-object.js'
import { mountOnly } from './schema/options.js'

const DEFAULTS: ResolvedMount = {
  shortPaths: false,
  maxBodyBytes: 20 * 1024 * 1024,
  envelope: 'dialect',
  report: true,
  reportKey: 'understudy',
  exposeTrail: true,
  exposeProviderMessages: false,
  clientRetries: false,
  exhaustedStatus: 'by_cause',
}

/** Fills in what a mount leaves open. */
export function settleMount(options: MountOptions, under = DEFAULTS): ResolvedMount {
  return {
    shortPaths: options.shortPaths ?? under.shortPaths,
    maxBodyBytes: options.maxBodyBytes ?? under.maxBodyBytes,
    envelope: options.envelope ?? under.envelope,
    report: options.report ?? under.report,
    reportKey: options.reportKey ?? under.reportKey,
    exposeTrail: options.exposeTrail ?? under.exposeTrail,
    exposeProviderMessages: options.exposeProviderMessages ?? under.exposeProviderMessages,
    clientRetries: options.clientRetries ?? under.clientRetries,
    exhaustedStatus: options.exhaustedStatus ?? under.exhaustedStatus,
  }
}

/**
 * Checks what stands beside a `Fallback` that is made already: mount options only; what they leave open is as `under` says.
 * Throws a `ConfigError`.
 */
export function resolveMount(options: MountOptions = {}, under = DEFAULTS): ResolvedMount {
  const issues: ConfigIssue[] = []
  const checked = checkObject(mountOnly, options, ['options'], issues)
  if (checked === undefined) throw new ConfigError(issues)
  return settleMount(checked, under)
}
