import { isMarked } from '@understudy/core'

/** One thing that is wrong with what a person wrote. */
export interface ConfigIssue {
  /** Where: `routes.chat.legs[1].firstContentTimeoutMs`. */
  readonly path: string
  /** What came and what would be right. Shows no key and no header value. */
  readonly message: string
}

const CONFIG = Symbol.for('understudy.ConfigError')

/** The config cannot be run. `issues` has everything that is wrong with it, and the message lists all of it. */
export class ConfigError extends Error {
  readonly code = 'ERR_UNDERSTUDY_CONFIG'
  readonly issues: readonly ConfigIssue[]

  constructor(issues: readonly ConfigIssue[]) {
    super(`the config cannot be used:\n${issues.map(({ path, message }) => `  ${path}: ${message}`).join('\n')}`)
    this.name = 'ConfigError'
    this.issues = issues
    Object.defineProperty(this, CONFIG, { value: true })
  }
}

/** Recognises a `ConfigError`, from another copy of this package too. */
export function isConfigError(value: unknown): value is ConfigError {
  return isMarked(value, CONFIG)
}
