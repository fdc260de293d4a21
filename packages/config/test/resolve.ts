import { isConfigError, resolveConfig } from '@understudy/config'
import type { ConfigContext, ConfigIssue, ResolvedConfig } from '@understudy/config'

export interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly supportedDialects?: ConfigContext['supportedDialects']
  readonly warn?: ConfigContext['warn']
  readonly clouds?: ConfigContext['clouds']
  readonly now?: ConfigContext['now']
}

export const ENV = { OPENAI_API_KEY: 'sk-openai-test-key', GROQ_API_KEY: 'gsk-groq-test-key' }

/** Resolves what may be of any shape, as from a host without types. */
export function resolve(routes: unknown, options?: unknown, around: Surroundings = {}): ResolvedConfig {
  return Reflect.apply(resolveConfig, undefined, [routes, options, {
    env: around.env ?? ENV,
    supportedDialects: around.supportedDialects ?? new Set(['openai']),
    warn: around.warn ?? (() => {}),
    clouds: around.clouds,
    now: around.now,
  }])
}

/** What is wrong with it, as the error lists it. */
export function issuesOf(routes: unknown, options?: unknown, around?: Surroundings): readonly ConfigIssue[] {
  try {
    resolve(routes, options, around)
  } catch (error) {
    if (!isConfigError(error)) throw error
    return error.issues
  }
  return []
}

/** The only thing that is wrong, on one line. */
export function issueOf(routes: unknown, options?: unknown, around?: Surroundings): string {
  return issuesOf(routes, options, around).map(({ path, message }) => `${path}: ${message}`).join(' | ')
}
