import { isObject, listOf, type JsonObject } from '../read-json.js'

/** Members that hold a schema, lists of schemas, and maps of them. */
const ONE = new Set(['items', 'additionalProperties'])
const MANY = new Set(['anyOf', 'prefixItems'])
const NAMED = new Set(['properties', 'defs'])

/** Numbers that the API's JSON may say as text. */
const COUNTS = new Set(['minItems', 'maxItems', 'minProperties', 'maxProperties', 'minLength', 'maxLength'])

/** Members that JSON Schema does not know and that leave the set of right answers as it is. */
const LEFT_OUT = new Set(['nullable', 'propertyOrdering', 'example'])

/**
 * JSON Schema for a `Schema` of the API, which is OpenAPI's: types in capitals, `nullable` beside them.
 *
 * https://ai.google.dev/api/caching#Schema
 */
export function jsonSchemaOf(schema: JsonObject, depth = 0): Record<string, unknown> {
  if (depth > 64) return {}
  const members = Object.entries(schema)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]): [string, unknown] => [key, memberOf(key, value, schema.nullable === true, depth)])
  return Object.fromEntries(members)
}

function memberOf(key: string, value: unknown, isNullable: boolean, depth: number): unknown {
  const inner = (member: unknown): unknown => (isObject(member) ? jsonSchemaOf(member, depth + 1) : member)
  if (key === 'type' && typeof value === 'string') return isNullable ? [value.toLowerCase(), 'null'] : value.toLowerCase()
  if (key === 'enum' && isNullable) return [...listOf(value), null]
  if (ONE.has(key)) return inner(value)
  if (MANY.has(key)) return listOf(value).map(inner)
  if (NAMED.has(key) && isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))
  return COUNTS.has(key) && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
}
