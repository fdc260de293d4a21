import type { ApiKeyInput } from './provider-input.js'
import type { ResolvedProvider } from './resolved-config.js'
import { whyNoKey } from './schema/provider.js'

/** The environment, read by name only. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A variable without the white space that files leave around values; `undefined` if nothing is left. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined
  return value === '' ? undefined : value
}

/** Where a key comes from (nowhere for a provider that is asked without one), or why there is none: no variable is set, or what is set cannot be a key. */
export type FoundCredential =
  | { readonly type: 'found'; readonly credential: ResolvedProvider['credential']; readonly from?: string | undefined }
  | { readonly type: 'missing'; readonly variables: readonly string[] }
  | { readonly type: 'unfit'; readonly variable: string; readonly why: string }

/** Finds a provider's key. The function that is given back holds it, so that printing the config does not show it. */
export function findCredential(
  apiKey: ApiKeyInput | undefined,
  known: { readonly keyEnv: readonly string[]; readonly keyOptional: boolean },
  env: Environment,
): FoundCredential {
  if (typeof apiKey === 'function') return { type: 'found', credential: () => given(apiKey()), from: 'apiKey' }
  if (typeof apiKey === 'string') return { type: 'found', credential: () => apiKey, from: 'apiKey' }
  const variables = apiKey === undefined ? known.keyEnv : [apiKey.env]
  for (const variable of variables) {
    const key = readVariable(env, variable)
    if (key === undefined) continue
    const why = whyNoKey(key)
    return why === undefined ? { type: 'found', credential: () => key, from: variable } : { type: 'unfit', variable, why }
  }
  if (apiKey === undefined && known.keyOptional) return { type: 'found', credential: () => undefined }
  return { type: 'missing', variables }
}

/** Nothing would stand for a provider that is asked without a key. */
function given(key: string | Promise<string> | null | undefined): string | Promise<string> {
  if (key === undefined || key === null) throw new TypeError('apiKey gave no key')
  return key
}
