import { isObject, memberOf } from './sdk-client.js'

/** What a caller says about the API itself, which every endpoint of that API has to know. Nothing else goes to another endpoint. */
const PASSED: readonly string[] = ['anthropic-beta', 'anthropic-version', 'openai-beta']

/** The headers of a call that go to another endpoint of its dialect. */
export function passedHeaders(given: unknown): Readonly<Record<string, string>> {
  // The SDKs wrap headers that they have read before.
  const headers = memberOf(given, 'values') instanceof Headers ? memberOf(given, 'values') : given
  return Object.fromEntries(PASSED.flatMap((name) => {
    const value = headers instanceof Headers ? headers.get(name) : ownValue(headers, name)
    return typeof value === 'string' ? [[name, value]] : []
  }))
}

function ownValue(headers: unknown, name: string): unknown {
  if (!isObject(headers)) return undefined
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
}
