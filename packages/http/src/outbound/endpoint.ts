import type { ResolvedProvider } from '@understudy/config'

/** Where a leg's requests go. */
export interface Endpoint {
  readonly origin: string
  /** With the query. */
  readonly path: string
}

/**
 * Makes the endpoint of a provider for one model, and for a stream if the dialect says that in the path. Throws if its dialect is not one
 * that is asked over HTTP here.
 */
export function endpointOf(provider: ResolvedProvider, model: string, streamed: boolean): Endpoint {
  const { origin, pathname } = new URL(provider.baseURL)
  const base = pathname.replace(/\/+$/, '')
  return { origin, path: base + pathOf(provider, model, streamed) }
}

/**
 * Whether a model's name can stand in a path. One with a segment `.` or `..` cannot, however it is written: servers and proxies
 * decode a path before they resolve it, some of them twice.
 */
export function hasPathName(model: string): boolean {
  return model !== '' && !DOT_SEGMENT.test(model)
}

const DOT_SEGMENT = /(?:^|[\\/]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[\\/]|%2f|%5c)/i

/** Whether the model stands in the path, so that each model has an endpoint of its own. */
export function modelInPath(provider: ResolvedProvider): boolean {
  return (provider.azure !== undefined && provider.dialect === 'openai') || provider.dialect === 'gemini'
}

function pathOf(provider: ResolvedProvider, model: string, streamed: boolean): string {
  const { name, dialect, azure, baseURL } = provider
  if (modelInPath(provider) && !hasPathName(model)) throw new Error(`provider '${name}': the model '${model}' cannot stand in a path`)
  // Vendors that speak this dialect beside their own give a base URL with or without the version.
  if (dialect === 'anthropic') return baseURL.endsWith('/v1') ? '/messages' : '/v1/messages'
  if (dialect === 'gemini') {
    if (new URL(baseURL).hostname.endsWith('aiplatform.googleapis.com')) {
      throw new Error(`provider '${name}': Vertex AI, which wants Google's own credentials, cannot be asked yet; 'google' can`)
    }
    return geminiPath(baseURL, model, streamed)
  }
  // In Azure's way too: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
  if (dialect === 'responses') return azure === undefined ? '/responses' : `/openai/responses?api-version=${encodeURIComponent(azure.apiVersion)}`
  if (dialect !== 'openai') {
    throw new Error(`provider '${name}': dialect '${dialect}' cannot be asked over HTTP; 'openai', 'responses', 'anthropic' and 'gemini' can`)
  }
  if (azure === undefined) return '/chat/completions'
  const version = encodeURIComponent(azure.apiVersion)
  return `/openai/deployments/${pathSegment(model)}/chat/completions?api-version=${version}`
}

/** https://ai.google.dev/api/generate-content; a tuned model stands beside the others and not among them. */
function geminiPath(baseURL: string, model: string, streamed: boolean): string {
  const version = /\/v\d+(?:(?:alpha|beta)\d*)?$/.test(baseURL) ? '' : '/v1beta'
  const [, kind = 'models', name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? []
  const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return `${version}/${kind}/${pathSegment(name)}:${method}`
}

/** A lone surrogate, which a client may put into a model's name, cannot be encoded. */
function pathSegment(name: string): string {
  return encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\ufffd'))
}
