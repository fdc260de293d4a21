import { gemini } from '@understudy/dialects'
import { drain } from './replay-events.js'
import type { SdkClient } from './sdk-client.js'
import { callOf, isObject, memberOf, withMembers } from './sdk-client.js'
import type { SdkDialect, SdkRequest } from './sdk-dialect.js'

/** The SDK of Google, for the Gemini API and for Vertex AI. */
export const GEMINI: SdkDialect = {
  codec: gemini,
  method: ['models', 'generateContent'],
  canBeWrapped: (client) => {
    const api = apiOf(client)
    return ['apiCall', 'request', 'requestStream', 'unaryApiCall'].every((name) => typeof memberOf(api, name) === 'function')
  },
  baseURL: (client) => {
    const api = apiOf(client)
    return typeof memberOf(api, 'getBaseUrl') === 'function' ? callOf(api, 'getBaseUrl') : undefined
  },
  send,
  replay: async (client, response) => drain(callOf(apiOf(client), 'processStreamResponse', response)),
  // All that the SDK keeps of an answer is its text.
  errorBody: (thrown) => parsed(memberOf(thrown, 'message')),
  requestIdHeader: 'x-goog-request-id',
}

/** What of a body the API says in the path. */
const IN_PATH: ReadonlySet<string> = new Set(['model', 'stream'])

/** The object of a client in which its requests are made out of their parts. */
export function apiOf(client: unknown): object {
  const api = memberOf(memberOf(client, 'models'), 'apiClient')
  return isObject(api) ? api : {}
}

/** Sends a request as the SDK does, without its own retries, and gives the answer unread. */
async function callApi(api: object, url: unknown, init: object): Promise<Response> {
  const response = await callOf(withoutRetries(api), 'apiCall', url, init)
  if (!(response instanceof Response)) throw new TypeError('the client is no SDK client: its `apiCall` gives no response')
  return response
}

async function send(client: SdkClient, { model, body, stream, options, isPrimary, signal }: SdkRequest): Promise<Response> {
  const api = apiOf(client)
  const said = JSON.stringify(Object.fromEntries(Object.entries(body).filter(([key]) => !IN_PATH.has(key))))
  const { url, init } = options
  // The caller's own request goes out as it was put together, with its headers and its way.
  if (isPrimary && typeof url === 'string' && isObject(init)) return accepted(api, url, { ...init, body: said, signal })
  const sending = (at: unknown, made: unknown, httpMethod: unknown): Promise<Response> =>
    accepted(api, String(at), { ...(isObject(made) ? made : undefined), method: httpMethod })
  const raw = withMembers(api, { unaryApiCall: sending, streamApiCall: sending })
  const path = `${pathOf(model, callOf(api, 'isVertexAI') === true)}:${stream ? 'streamGenerateContent' : 'generateContent'}`
  const response = await callOf(raw, stream ? 'requestStream' : 'request', { path, body: said, httpMethod: 'POST', abortSignal: signal })
  if (!(response instanceof Response)) throw new TypeError('the client is no SDK client: its `request` gives no response')
  return response
}

/** The answer of a request that was accepted; what the SDK throws of one that was not. */
async function accepted(api: object, url: string, init: object): Promise<Response> {
  const response = await callApi(api, url, init)
  if (response.ok) return response
  await callOf(withMembers(api, { apiCall: () => Promise.resolve(response) }), 'unaryApiCall', new URL(url), {}, 'POST')
  return response
}

/** How the SDK names a model in a path. */
function pathOf(model: string, isVertex: boolean): string {
  if (!isVertex) return /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`
  if (/^(?:publishers|projects|models)\//.test(model)) return model
  const [publisher, ...name] = model.split('/')
  return name.length === 0 ? `publishers/google/models/${model}` : `publishers/${publisher ?? ''}/models/${name.join('/')}`
}

function withoutRetries(api: object): object {
  const options = memberOf(api, 'clientOptions')
  const http = memberOf(options, 'httpOptions')
  if (memberOf(http, 'retryOptions') === undefined || !isObject(options) || !isObject(http)) return api
  return withMembers(api, { clientOptions: { ...options, httpOptions: { ...http, retryOptions: undefined } } })
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined
  } catch {
    return undefined
  }
}
