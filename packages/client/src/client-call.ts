import type { ChatRequest } from '@understudy/core'
import type { RequestParams } from './options.js'
import type { BedrockClient, Members, SdkClient } from './sdk-client.js'
import { isObject, memberOf } from './sdk-client.js'
import type { SdkDialect } from './sdk-dialect.js'

/** One place a call can be served from: a client and what it is asked for. */
export interface ClientEntry {
  readonly client: SdkClient
  readonly dialect: SdkDialect
  readonly provider: string
  /** Absent where nobody has named one. */
  readonly model: string | undefined
  /** In the words of the client's own API. */
  readonly defaultParams: RequestParams
  /** Whether calls are made on this client: then their own options are sent along. */
  readonly isPrimary: boolean
}

/** A place whose client takes commands, and no request in a dialect. */
export interface BedrockEntry extends Omit<ClientEntry, 'client' | 'dialect'> {
  readonly client: BedrockClient
  readonly dialect?: undefined
}

/** A place of either kind. */
export type AnyEntry = ClientEntry | BedrockEntry

/** A call as the caller made it, ready for every entry. */
export interface ClientCall {
  /** Of the client that the call was made on. */
  readonly dialect: SdkDialect
  /** What the caller asked, without what is ours to read. */
  readonly params: RequestParams
  /** What every request has unless its entry or its call says otherwise. */
  readonly globalParams: RequestParams
  /** The neutral reading of both. */
  readonly request: ChatRequest
  /** What the SDK's method was told beside the parameters: headers, query, timeout and the like. */
  readonly options: Members
  readonly signal: AbortSignal | undefined
  /** Whether the caller said that the request must not be made twice. */
  readonly isUnrepeatable: boolean
  /** Whether the caller asked for token counts in its stream. */
  readonly includeUsage: boolean
}

/** What of an SDK's request is ours to say, for each attempt anew. */
const OWN_OPTIONS: ReadonlySet<string> = new Set(['body', 'maxRetries', 'method', 'path', 'signal', 'stream', '__span'])

/** Reads the request that an SDK is about to send. `idempotent` among its parameters is ours to read and no provider's. */
export function readCall(requestOptions: Members, dialect: SdkDialect, defaultParams: RequestParams): ClientCall {
  const { body: given, signal } = requestOptions
  const { idempotent, ...rest } = isObject(given) ? given : {}
  // A parameter that is `undefined` says nothing, to JSON as to defaults.
  const params = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const globalParams = withoutIdentity(defaultParams)
  const body = { ...globalParams, ...params }
  return {
    dialect,
    params,
    globalParams,
    request: dialect.codec.decodeRequest(body),
    options: Object.fromEntries(Object.entries(requestOptions).filter(([key]) => !OWN_OPTIONS.has(key))),
    signal: isSignal(signal) ? signal : undefined,
    isUnrepeatable: idempotent === false,
    includeUsage: dialect.codec.outlineRequest(body).includeUsage,
  }
}

/** Polyfills and other realms have signals of their own. */
function isSignal(value: unknown): value is AbortSignal {
  return typeof memberOf(value, 'aborted') === 'boolean' && typeof memberOf(value, 'addEventListener') === 'function'
}

/** Defaults without what an entry or a call alone can say. */
export function withoutIdentity(params: RequestParams): RequestParams {
  return Object.fromEntries(Object.entries(params).filter(([key]) => key !== 'model' && key !== 'stream'))
}
