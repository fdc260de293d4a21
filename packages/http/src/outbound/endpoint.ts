import type { ResolvedProvider } from '@understudy/config'

/** Where a leg's requests go. */
export interface Endpoint {
  readonly origin: string
  /** With the query. */
  readonly path: string
}

/** Makes the endpoint of a provider for one model. Throws if its dialect is not one that is asked over HTTP here. */
export function endpointOf(provider: ResolvedProvider, model: string): Endpoint {
  const { origin, pathname } = new URL(provider.baseURL)
  const base = pathname.replace(/\/+$/, '')
  return { origin, path: base + pathOf(provider, model) }
}

/** Whether the model stands in the path, so that each model has an endpoint of its own. */
export function modelInPath(provider: ResolvedProvider): boolean {
  return provider.azure !== undefined
}

function pathOf({ name, dialect, azure, baseURL }: ResolvedProvider, model: string): string {
  // Vendors that speak this dialect beside their own give a base URL with or without the version.
  if (dialect === 'anthropic') return baseURL.endsWith('/v1') ? '/messages' : '/v1/messages'
  if (dialect !== 'openai') {
    throw new Error(`provider '${name}': dialect '${dialect}' cannot be asked over HTTP; 'openai' and 'anthropic' can`)
  }
  if (azure === undefined) return '/chat/completions'
  const version = encodeURIComponent(azure.apiVersion)
  return `/openai/deployments/${encodeURIComponent(model)}/chat/completions?api-version=${version}`
}
