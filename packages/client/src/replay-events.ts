import type { SdkClient } from './sdk-client.js'
import { callOf, isObject, memberOf, withMembers } from './sdk-client.js'

/** Has a client read these events as if they had come from its endpoint; throws what it throws of them. */
export async function replayEvents(client: SdkClient, path: string, response: Response): Promise<void> {
  const makeRequest = (): Promise<unknown> => Promise.resolve(requestOf(response, { stream: true }))
  await drain(await callOf(withMembers(client, { makeRequest }), 'post', path, { stream: true }))
}

/** Reads a stream of an SDK to its end. */
export async function drain(stream: unknown): Promise<void> {
  if (!isAsyncIterable(stream)) return
  const events = stream[Symbol.asyncIterator]()
  while ((await events.next()).done !== true) continue
}

/** A request as the SDKs keep it once its answer has come. */
export function requestOf(response: Response, options: unknown, controller = new AbortController()): unknown {
  return { response, options, controller, requestLogID: 'log_understudy', retryOfRequestLogID: undefined, startTime: Date.now() }
}

/** Whether something can be read piece by piece. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && typeof memberOf(value, Symbol.asyncIterator) === 'function'
}
