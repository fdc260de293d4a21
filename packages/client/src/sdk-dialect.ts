import type { DialectCodec } from '@understudy/dialects'
import { anthropic, openai } from '@understudy/dialects'
import type { SdkClient } from './sdk-client.js'
import { isObject, memberOf } from './sdk-client.js'

/** What is particular about the SDK of one dialect. */
export interface SdkDialect {
  readonly codec: DialectCodec
  /** Where its calls are sent, as the SDK itself names it. */
  readonly path: string
  /** The members that lead from the client to the object with `create`. */
  readonly resource: readonly string[]
  /** The body that an error of the SDK was made of: what it says of it as JSON. */
  readonly errorBody: (error: unknown) => unknown
  /** The header that the SDK reads the id of a request from. */
  readonly requestIdHeader: string
}

const OPENAI: SdkDialect = {
  codec: openai,
  path: '/chat/completions',
  resource: ['chat', 'completions'],
  // The SDK keeps what stood under `error`.
  errorBody: (error) => ({ error }),
  requestIdHeader: 'x-request-id',
}

const ANTHROPIC: SdkDialect = {
  codec: anthropic,
  path: '/v1/messages',
  resource: ['messages'],
  errorBody: (error) => error,
  requestIdHeader: 'request-id',
}

/** The dialect that a client speaks, by its methods; `undefined` if it is no client that is known here. */
export function sdkDialectOf(client: unknown): SdkDialect | undefined {
  if (!isObject(client) || typeof memberOf(client, 'post') !== 'function') return undefined
  return [OPENAI, ANTHROPIC].find(({ resource }) => typeof memberOf(at(client, resource), 'create') === 'function')
}

/** Whether this is a client that can be given fallbacks, or be one. */
export function isSdkClient(client: unknown): client is SdkClient {
  return sdkDialectOf(client) !== undefined
}

/** The object of a client that has `create`. */
export function resourceOf(client: unknown, { resource }: SdkDialect): unknown {
  return at(client, resource)
}

function at(client: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => memberOf(value, key), client)
}
