import type { ClientEntry } from './client-call.js'
import { callOf, isObject, memberOf, withMembers } from './sdk-client.js'

/**
 * What an entry's own SDK throws when it reads these events; `undefined` if it throws nothing. No request is made.
 */
export async function replayError(entry: ClientEntry, response: Response, bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const { client, dialect } = entry
  const { status, headers } = response
  const makeRequest = (): Promise<unknown> => Promise.resolve(requestOf(new Response(bytes, { status, headers }), { stream: true }))
  try {
    const stream: unknown = await callOf(withMembers(client, { makeRequest }), 'post', dialect.path, { stream: true })
    if (!isAsyncIterable(stream)) return undefined
    const events = stream[Symbol.asyncIterator]()
    while ((await events.next()).done !== true) continue
    return undefined
  } catch (error) {
    return error
  }
}

/** A request as the SDKs keep it once its answer has come. */
export function requestOf(response: Response, options: unknown, controller = new AbortController()): unknown {
  return { response, options, controller, requestLogID: 'log_understudy', retryOfRequestLogID: undefined, startTime: Date.now() }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && typeof memberOf(value, Symbol.asyncIterator) === 'function'
}
