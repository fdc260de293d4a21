import { isObject, listOf, textOf, type JsonObject } from './read-json.js'

/** Words that hold a schema, a list of schemas, and schemas by name. */
const ONE = new Set(['items'])
const MANY = new Set(['anyOf', 'allOf'])
const NAMED = new Set(['properties', '$defs', 'definitions'])

/** Words that are said as they are. */
const SAID = new Set(['type', 'description', 'title', 'default', 'required', 'additionalProperties', 'enum', 'const', '$ref'])

/** Words of which a schema has one, or any value would be right. */
const SHAPES = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', '$ref']

/** Words that say nothing of a right answer. */
const SILENT = new Set(['$schema', '$id', '$comment', 'deprecated', 'readOnly', 'writeOnly', 'propertyOrdering'])

/** Words that shape an answer in a way that a sentence would not. Any other is a bound, or says no more than a description does. */
const UNSAYABLE = new Set([
  'patternProperties', 'propertyNames', 'unevaluatedProperties', 'dependentRequired', 'dependentSchemas', 'prefixItems', 'additionalItems',
  'unevaluatedItems', 'contains', 'minContains', 'maxContains', 'not', 'if', 'then', 'else', '$dynamicRef', '$anchor',
])

const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** What the API's patterns do not have: looking around, going back, and ends of words. */
const RICH_PATTERN = /\(\?[=!<]|\\[1-9bB]/

/**
 * A schema that Claude's constrained decoding takes and that allows no answer which the one given does not: an object that does not say
 * whether it is closed is closed, `oneOf` is `anyOf`, and bounds that the API has no word for stand in the description, as the
 * vendor's own SDKs do it. `refuse` is told the word for which there is nothing of the kind.
 *
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 */
export function closedSchema(schema: JsonObject, refuse: (word: string) => never): Record<string, unknown> {
  if (isRecursive(schema)) refuse('recursion')
  return closed(schema, refuse)
}

function closed(schema: JsonObject, refuse: (word: string) => never): Record<string, unknown> {
  const said: Record<string, unknown> = {}
  const bounds: string[] = []
  const inner = (value: unknown): unknown => (isObject(value) ? closed(value, refuse) : value)
  for (const [word, value] of Object.entries(schema)) {
    if (value === undefined || SILENT.has(word)) continue
    if (ONE.has(word)) said[word] = inner(value)
    else if (word === 'oneOf') said['anyOf'] = listOf(value).map(inner)
    else if (MANY.has(word)) said[word] = listOf(value).map(inner)
    else if (NAMED.has(word) && isObject(value)) said[word] = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]))
    else if (SAID.has(word) || isSayable(word, value, schema)) said[word] = value
    else if (UNSAYABLE.has(word)) refuse(word)
    else bounds.push(`${word}: ${JSON.stringify(value)}`)
  }
  refuseUnsaid(schema, refuse)
  if (isOfObjects(schema)) said['additionalProperties'] = false
  if (bounds.length > 0) said['description'] = [textOf(schema.description), `(${bounds.join(', ')})`].filter((text) => text !== undefined).join(' ')
  return said
}

function isSayable(word: string, value: unknown, { type }: JsonObject): boolean {
  if (word === 'minItems') return value === 0 || value === 1
  if (word === 'pattern') return typeof value === 'string' && !RICH_PATTERN.test(value)
  return word === 'format' && typeof value === 'string' && FORMATS.has(value) && (type === 'string' || listOf(type).includes('string'))
}

function refuseUnsaid(schema: JsonObject, refuse: (word: string) => never): void {
  const { additionalProperties: others, properties, allOf } = schema
  const names = Object.keys(isObject(properties) ? properties : {})
  if (others !== undefined && others !== false) refuse('additionalProperties')
  // It names nothing, so that closed it would be an object of nothing.
  if (isOfObjects(schema) && others === undefined && properties === undefined) refuse('additionalProperties')
  if (!isOfObjects(schema) && !SHAPES.some((word) => schema[word] !== undefined)) refuse('type')
  if (listOf(schema.enum).some((value) => typeof value === 'object' && value !== null)) refuse('enum')
  if (typeof schema.$ref === 'string' && !schema.$ref.startsWith('#')) refuse('ref')
  // A part of an object that is closed by itself leaves no place for the other parts.
  if (listOf(allOf).some(isPartOfObject)) refuse('allOf')
  if (names.length > 0 && [...listOf(schema.anyOf), ...listOf(schema.oneOf)].some(isPartOfObject)) refuse('anyOf')
}

function isOfObjects({ type, properties }: JsonObject): boolean {
  return type === 'object' || listOf(type).includes('object') || (type === undefined && isObject(properties))
}

function isPartOfObject(schema: unknown): boolean {
  return isObject(schema) && (isOfObjects(schema) || schema.$ref !== undefined || schema.required !== undefined)
}

/** Whether a definition leads back to itself; the whole schema is one too. */
function isRecursive(schema: JsonObject): boolean {
  const named = [schema.$defs, schema.definitions].flatMap((value) => (isObject(value) ? Object.entries(value) : []))
  if (named.length === 0 && !refsIn(schema).includes('')) return false
  const leadsTo = new Map(named.map(([name, value]) => [name, refsIn(value)]))
  leadsTo.set('', refsIn(schema))
  const done = new Set<string>()
  const isLoop = (name: string, above: readonly string[]): boolean => {
    if (above.includes(name)) return true
    if (done.has(name)) return false
    const found = (leadsTo.get(name) ?? []).some((next) => isLoop(next, [...above, name]))
    done.add(name)
    return found
  }
  return [...leadsTo.keys()].some((name) => isLoop(name, []))
}

/** The names that a schema refers to, its definitions left aside; the empty one is the whole schema. */
function refsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([word, member]) => {
    if (word === '$ref' && typeof member === 'string') return [member.replace(/^#(?:\/(?:\$defs|definitions)\/)?/, '')]
    return word === '$defs' || word === 'definitions' ? [] : refsIn(member)
  })
}

/** Whether OpenAI's strict mode takes a schema: its objects are closed, and each property is required. */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (!isObject(schema)) return true
  if (isOfObjects(schema)) {
    const required = listOf(schema.required)
    const names = Object.keys(isObject(schema.properties) ? schema.properties : {})
    if (schema.additionalProperties !== false || !names.every((name) => required.includes(name))) return false
  }
  return Object.entries(schema).every(([word, value]) => {
    if (NAMED.has(word) && isObject(value)) return Object.values(value).every(isStrictSchema)
    return !(ONE.has(word) || MANY.has(word)) || isStrictSchema(value)
  })
}
