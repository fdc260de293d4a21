import type { ConfigContext, FallbackOptions, KnownChains, ProviderInput, RoutesInput } from '@understudy/config'
import { resolveConfig } from '@understudy/config'
import { OFFLINE_ENVIRONMENT } from './offline-environment.js'

type Dialect = ConfigContext['supportedDialects'] extends ReadonlySet<infer Name extends string> ? Name : never

const DIALECTS = {
  openai: true, anthropic: true, gemini: true, bedrock: true, responses: true,
} as const satisfies Record<Dialect, true>

const NOT_ASKED = new Error('nobody is asked when a document is checked')

/** What a document is judged by: what routes and options know, without any credentials. Throws a `ConfigError` if they are wrong. */
export function knownOf(routes: RoutesInput, options: FallbackOptions | undefined): KnownChains {
  return resolveConfig(routes, withKeys(options), {
    env: OFFLINE_ENVIRONMENT,
    // As on a server that has the libraries of the clouds; nobody is asked.
    clouds: { aws: () => () => Promise.reject(NOT_ASKED), google: () => () => Promise.reject(NOT_ASKED) },
    supportedDialects: new Set(Object.keys(DIALECTS).filter(isDialect)),
    warn: () => undefined,
  }).known
}

function isDialect(name: string): name is Dialect {
  return Object.hasOwn(DIALECTS, name)
}

/** `apiKey: process.env.KEY` is undefined where the key is not: here that means nothing. */
function withKeys(options: FallbackOptions | undefined): FallbackOptions | undefined {
  const { providers } = options ?? {}
  if (typeof providers !== 'object' || providers === null) return options
  const whole: Record<string, ProviderInput> = {}
  for (const [name, provider] of Object.entries(providers)) {
    const isUnset = typeof provider === 'object' && provider !== null && Object.hasOwn(provider, 'apiKey') && provider.apiKey === undefined
    whole[name] = isUnset ? { ...provider, apiKey: 'not-asked-when-checking' } : provider
  }
  return { ...options, providers: whole }
}
