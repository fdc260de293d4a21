import type { Dialect } from '@understudy/core'
import { ConfigError } from './config-error.js'
import type { FallbackOptions, MountOptions } from './options.js'
import type { ResolvedConfig, ResolvedMount } from './resolved-config.js'
import type { RoutesInput } from './routes-input.js'

/** What a config is resolved in. */
export interface ConfigContext {
  /** Read once, now. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The dialects that a leg can be asked in. */
  readonly supportedDialects: ReadonlySet<Dialect>
  /** Told what a person should know but what does not stop the mount. The code is stable. */
  readonly warn: (code: string, message: string) => void
}

/** Checks routes and options and fills in their defaults. Throws one `ConfigError` with everything that is wrong. */
export function resolveConfig(routes: RoutesInput, options: FallbackOptions, context: ConfigContext): ResolvedConfig {
  throw new ConfigError([{ path: 'routes', message: `cannot be resolved yet ${typeof routes}${typeof options}${typeof context}` }])
}

/** Checks what stands beside a ready `Fallback`: mount options only. Throws a `ConfigError`. */
export function resolveMount(options: MountOptions): ResolvedMount {
  throw new ConfigError([{ path: 'options', message: `cannot be resolved yet ${typeof options}` }])
}
