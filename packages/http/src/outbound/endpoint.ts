import { cloudBaseURL, modelFault } from '@understudy/config'
import type { ResolvedCloud, ResolvedProvider, ResolvedVertex } from '@understudy/config'

/** Where a leg's requests go. */
export interface Endpoint {
  readonly origin: string
  /** With the query. */
  readonly path: string
}

/**
 * Makes the endpoint of a provider for one model, and for a stream if the dialect says that in the path. At a cloud a leg's region wins
 * over the provider's own. Throws if its dialect is not one that is asked over HTTP here.
 */
export function endpointOf(provider: ResolvedProvider, model: string, streamed: boolean, region?: string): Endpoint {
  return placedAt(provider, pathOf(provider, model, streamed, region), region)
}

/**
 * Makes the endpoint of a provider that makes vectors with one model. Throws if the model's name cannot stand in a path that has to hold it.
 */
export function embeddingEndpointOf(provider: ResolvedProvider, model: string, region?: string): Endpoint {
  const { dialect, azure, baseURL, cloud } = provider
  const fault = modelFault(provider, model)
  if (fault !== undefined) throw new Error(fault)
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
  if (cloud?.type === 'bedrock' || dialect === 'bedrock') return placedAt(provider, `/model/${pathSegment(model)}/invoke`, region)
  if (cloud?.type === 'vertex') return placedAt(provider, vertexPath(cloud, 'google', baseURL, model, 'predict', region), region)
  if (dialect === 'gemini') return placedAt(provider, geminiPath(baseURL, model, 'batchEmbedContents'), region)
  if (azure === undefined) return placedAt(provider, '/embeddings', region)
  // https://learn.microsoft.com/azure/ai-services/openai/reference#embeddings
  const version = encodeURIComponent(azure.apiVersion)
  return placedAt(provider, `/openai/deployments/${pathSegment(model)}/embeddings?api-version=${version}`, region)
}

function placedAt(provider: ResolvedProvider, path: string, region: string | undefined): Endpoint {
  const { cloud } = provider
  const elsewhere = region === undefined || cloud === undefined || cloud.isElsewhere ? undefined : cloudBaseURL(cloud.type, region)
  const { origin, pathname } = new URL(elsewhere ?? provider.baseURL)
  // AWS signs a path without its empty segments, so that none is sent either.
  const base = (cloud?.type === 'bedrock' ? pathname.replace(/\/{2,}/g, '/') : pathname).replace(/\/+$/, '')
  return { origin, path: base + path }
}

function pathOf(provider: ResolvedProvider, model: string, streamed: boolean, region: string | undefined): string {
  const { name, dialect, azure, baseURL, cloud } = provider
  const fault = modelFault(provider, model)
  if (fault !== undefined) throw new Error(fault)
  if (cloud !== undefined) return cloudPath(provider, cloud, model, streamed, region)
  // Vendors that speak this dialect beside their own give a base URL with or without the version.
  if (dialect === 'anthropic') return baseURL.endsWith('/v1') ? '/messages' : '/v1/messages'
  if (dialect === 'gemini') return geminiPath(baseURL, model, streamed ? 'streamGenerateContent?alt=sse' : 'generateContent')
  // In Azure's way too: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
  if (dialect === 'responses') return azure === undefined ? '/responses' : `/openai/responses?api-version=${encodeURIComponent(azure.apiVersion)}`
  if (dialect !== 'openai') {
    throw new Error(`provider '${name}': dialect '${dialect}' cannot be asked over HTTP; 'openai', 'responses', 'anthropic' and 'gemini' can`)
  }
  if (azure === undefined) return '/chat/completions'
  const version = encodeURIComponent(azure.apiVersion)
  return `/openai/deployments/${pathSegment(model)}/chat/completions?api-version=${version}`
}

function cloudPath(
  { dialect, baseURL }: ResolvedProvider,
  cloud: ResolvedCloud,
  model: string,
  streamed: boolean,
  region: string | undefined,
): string {
  if (cloud.type === 'vertex') {
    const raw = streamed ? 'streamRawPredict' : 'rawPredict'
    const generate = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
    const isAnthropic = dialect === 'anthropic'
    return vertexPath(cloud, isAnthropic ? 'anthropic' : 'google', baseURL, model, isAnthropic ? raw : generate, region)
  }
  const invoke = streamed ? 'invoke-with-response-stream' : 'invoke'
  const converse = streamed ? 'converse-stream' : 'converse'
  return `/model/${pathSegment(model)}/${dialect === 'anthropic' ? invoke : converse}`
}

/**
 * A model's name, or the path of one: another publisher's, or an endpoint that it was deployed to.
 *
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
function vertexPath(
  { project, location }: ResolvedVertex,
  publisher: string,
  baseURL: string,
  model: string,
  method: string,
  region = location,
): string {
  const version = /\/v\d+(?:(?:alpha|beta)\d*)?$/.test(baseURL) ? '' : '/v1'
  const place = `projects/${pathSegment(project)}/locations/${pathSegment(region)}`
  const named = /^(?:publishers\/[^/]+\/models|endpoints)\/[^/]+$/.test(model)
    ? model.split('/').map(pathSegment).join('/')
    : `publishers/${publisher}/models/${pathSegment(model)}`
  return `${version}/${place}/${named}:${method}`
}

/** https://ai.google.dev/api/generate-content; a tuned model stands beside the others and not among them. */
function geminiPath(baseURL: string, model: string, method: string): string {
  const version = /\/v\d+(?:(?:alpha|beta)\d*)?$/.test(baseURL) ? '' : '/v1beta'
  const [, kind = 'models', name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? []
  return `${version}/${kind}/${pathSegment(name)}:${method}`
}

/** A lone surrogate, which a client may put into a model's name, cannot be encoded. */
function pathSegment(name: string): string {
  return encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\ufffd'))
}
