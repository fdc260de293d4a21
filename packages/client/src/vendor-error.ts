import { isObject, memberOf } from './sdk-client.js'

/** An error of a client's own SDK, as its class holds it; `undefined` if it holds none of that name. */
export function vendorError(client: unknown, name: 'APIConnectionTimeoutError' | 'APIUserAbortError'): unknown {
  if (!isObject(client)) return undefined
  const made = memberOf(memberOf(client, 'constructor'), name)
  return typeof made === 'function' ? (Reflect.construct(made, []) as unknown) : undefined
}

/** What reading a body throws when its reader has aborted it. */
export function abortError(): DOMException {
  return new DOMException('This operation was aborted', 'AbortError')
}
