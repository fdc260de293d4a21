import type { DialectCodec } from '@understudy/dialects'
import { anthropic, openai } from '@understudy/dialects'
import { GEMINI } from './gemini-client.js'
import type { Members, SdkClient } from './sdk-client.js'
import { isObject, memberOf, postWith } from './sdk-client.js'
import { replayEvents } from './replay-events.js'

/** One request of an attempt. */
export interface SdkRequest {
  readonly model: string
  /** In the dialect's words. */
  readonly body: Members
  readonly stream: boolean
  /** What the SDK's method was told beside the parameters, where its client is the caller's own; else headers that any endpoint may have. */
  readonly options: Members
  readonly isPrimary: boolean
  /** In ms, until the headers. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/** What is particular about the SDK of one dialect. */
export interface SdkDialect {
  readonly codec: DialectCodec
  /** The members that lead from the client to the method that calls ride on. */
  readonly method: readonly string[]
  /** Whether the client makes its requests where its SDK does, so that they can be made elsewhere. */
  readonly canBeWrapped: (client: object) => boolean
  /** Where the client's requests go; `undefined` if it does not say. */
  readonly baseURL: (client: object) => unknown
  /** Sends a request through a client, with its base URL, credentials and hooks; gives the answer unread, or throws as the SDK does. */
  readonly send: (client: SdkClient, request: SdkRequest) => Promise<Response>
  /** Has the SDK read these events, which throws what it throws of them. No request is made. */
  readonly replay: (client: SdkClient, response: Response) => Promise<void>
  /** The body that an error of the SDK was made of: what it says of it as JSON. */
  readonly errorBody: (error: unknown) => unknown
  /** The header that the SDK reads the id of a request from. */
  readonly requestIdHeader: string
}

/** An SDK of those that are made by the same generator. */
export interface PostedDialect extends SdkDialect {
  /** Where its calls are sent, as the SDK itself names it. */
  readonly path: string
  /** The members that lead from the client to the object with `create`. */
  readonly resource: readonly string[]
}

const OPENAI = posted({
  codec: openai,
  path: '/chat/completions',
  resource: ['chat', 'completions'],
  // The SDK keeps what stood under `error`.
  errorBody: (thrown) => ({ error: memberOf(thrown, 'error') }),
  requestIdHeader: 'x-request-id',
})

const ANTHROPIC = posted({
  codec: anthropic,
  path: '/v1/messages',
  resource: ['messages'],
  errorBody: (thrown) => memberOf(thrown, 'error'),
  requestIdHeader: 'request-id',
})

function posted(own: Pick<PostedDialect, 'codec' | 'path' | 'resource' | 'errorBody' | 'requestIdHeader'>): PostedDialect {
  const { path, resource } = own
  return {
    ...own,
    method: [...resource, 'create'],
    canBeWrapped: (client) => typeof memberOf(client, 'makeRequest') === 'function' && isObject(memberOf(at(client, resource), '_client')),
    baseURL: (client) => memberOf(client, 'baseURL'),
    send: (client, { body, stream, options, timeout, signal }) =>
      postWith(client, path, { ...options, body, stream, timeout, maxRetries: 0, signal }),
    replay: (client, response) => replayEvents(client, path, response),
  }
}

/** The dialect that a client speaks, by its methods; `undefined` if it is no client that is known here. */
export function sdkDialectOf(client: unknown): SdkDialect | undefined {
  if (!isObject(client)) return undefined
  return postedDialectOf(client) ?? (typeof at(client, GEMINI.method) === 'function' ? GEMINI : undefined)
}

/** The same for clients of the SDKs whose requests are posted by the client itself. */
export function postedDialectOf(client: unknown): PostedDialect | undefined {
  if (!isObject(client) || typeof memberOf(client, 'post') !== 'function') return undefined
  return [OPENAI, ANTHROPIC].find(({ method }) => typeof at(client, method) === 'function')
}

/** Whether this is a client that can be given fallbacks, or be one. */
export function isSdkClient(client: unknown): client is SdkClient {
  return sdkDialectOf(client) !== undefined
}

function at(client: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => memberOf(value, key), client)
}
