import type { ResolvedProvider } from './resolved-config.js'

/** The name of the header that a provider's credential is sent in. */
export function credentialName(
  { dialect, azure, bearer, cloud }: Pick<ResolvedProvider, 'dialect' | 'azure' | 'bearer'> & { readonly cloud?: unknown },
): 'authorization' | 'api-key' | 'x-api-key' | 'x-goog-api-key' {
  // The clouds' own credentials are tokens, and so are Bedrock's keys.
  if (bearer === true || cloud !== undefined) return 'authorization'
  // https://platform.claude.com/docs/en/api/overview
  if (dialect === 'anthropic') return 'x-api-key'
  // https://ai.google.dev/gemini-api/docs/api-key
  if (dialect === 'gemini') return 'x-goog-api-key'
  return azure === undefined ? 'authorization' : 'api-key'
}
