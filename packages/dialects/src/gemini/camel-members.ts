import type { JsonObject } from '../read-json.js'

/**
 * The same object with its members' names as the API's JSON has them. It also takes the names of its protocol, such as
 * `max_output_tokens`. Looks at the object's own members only.
 *
 * https://protobuf.dev/programming-guides/json/
 */
export function camelMembers(object: JsonObject): JsonObject {
  const names = Object.keys(object)
  if (!names.some((name) => name.includes('_'))) return object
  return Object.fromEntries(names.map((name) => [camelName(name), object[name]]))
}

function camelName(name: string): string {
  return name === '__proto__' ? name : name.replace(/(?!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
