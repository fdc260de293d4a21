import { field } from './field.js'

/** Bounds that constrained decoding at Anthropic does not have. */
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems']

/**
 * What is wrong with a schema that Claude is held to, as the vendor says it: objects are closed, and bounds are not known.
 *
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export function closedSchemaFault(schema: unknown): string | undefined {
  return faultIn(schema, (part) => {
    const type = field(part, 'type')
    const bound = bounds.find((word) => field(part, word) !== undefined)
    if (bound !== undefined) return `For '${String(type)}' type, property '${bound}' is not supported`
    if (isOfObjects(part) && field(part, 'additionalProperties') !== false) return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    return field(part, 'oneOf') === undefined ? undefined : "Schema type 'oneOf' is not supported"
  })
}

/**
 * The same of a schema that a model of OpenAI is held to: objects are closed, and each property is required.
 *
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictSchemaFault(schema: unknown): string | undefined {
  return faultIn(schema, (part) => {
    if (!isOfObjects(part)) return undefined
    if (field(part, 'additionalProperties') !== false) return "'additionalProperties' is required to be supplied and to be false."
    const required: unknown = field(part, 'required')
    const missing = Object.keys(field(part, 'properties') ?? {}).find((name) => !Array.isArray(required) || !required.includes(name))
    if (missing === undefined) return undefined
    return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
  })
}

function isOfObjects(schema: unknown): boolean {
  const type = field(schema, 'type')
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

/** Of the schema itself, then of each within it. */
function faultIn(schema: unknown, faultOf: (part: unknown) => string | undefined): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const named = ['properties', '$defs', 'definitions'].flatMap((word): readonly unknown[] => Object.values(field(schema, word) ?? {}))
  const listed = ['anyOf', 'allOf', 'oneOf'].flatMap((word) => {
    const parts = field(schema, word)
    return Array.isArray(parts) ? (parts as readonly unknown[]) : []
  })
  return [...named, ...listed, field(schema, 'items')].reduce<string | undefined>((fault, part) => fault ?? faultIn(part, faultOf), faultOf(schema))
}
