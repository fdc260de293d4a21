import { anthropic, anthropicOnVertex, bedrock, gemini, openai, responses } from '@understudy/dialects'
import type { ProviderCodec } from '@understudy/dialects'
import t from 'tap'

import { closedSchema } from '../src/closed-schema.js'

type Schema = Readonly<Record<string, unknown>>

const MODEL = 'claude-sonnet-4-5'

function refuse(word: string): never {
  throw new Error(word)
}

const closed = (schema: Schema) => closedSchema(schema, refuse)

t.test('an object that does not say whether it is closed is closed, wherever it stands', async (t) => {
  const point = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }
  const shut = { ...point, additionalProperties: false }
  const places: readonly ((part: Schema) => Schema)[] = [
    (part) => part,
    (part) => ({ type: 'object', properties: { a: part }, additionalProperties: false }),
    (part) => ({ type: 'array', items: part }),
    (part) => ({ anyOf: [part, { type: 'null' }] }),
    (part) => ({ $ref: '#/$defs/a', $defs: { a: part } }),
    (part) => ({ $ref: '#/definitions/a', definitions: { a: part } }),
  ]
  for (const place of places) t.strictSame(closed(place(point)), place(shut))
  t.strictSame(closed({ ...point, type: ['object', 'null'] }), { ...shut, type: ['object', 'null'] })
  t.strictSame(closed({ type: 'object', properties: {} }), { type: 'object', properties: {}, additionalProperties: false })
  const asItIs = { type: 'object', title: 't', description: 'd', properties: { type: { enum: ['a', 1, null] }, minimum: { const: 1 }, d: { type: 'string', default: 'x' } }, additionalProperties: false }
  t.strictSame(closed(asItIs), asItIs, 'names of properties are no words')
})

t.test('bounds that the API has no word for stand in the description; what says nothing stays behind', async (t) => {
  t.strictSame(closed({ type: 'integer', minimum: 0, maximum: 5 }), { type: 'integer', description: '(minimum: 0, maximum: 5)' })
  t.strictSame(closed({ type: 'string', description: 'A name.', minLength: 1 }), { type: 'string', description: 'A name. (minLength: 1)' })
  t.strictSame(closed({ type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 3 }), { type: 'array', items: { type: 'string' }, description: '(minItems: 2, maxItems: 3)' })
  t.strictSame(closed({ type: 'string', format: 'uuid', pattern: '^a+$' }), { type: 'string', format: 'uuid', pattern: '^a+$' })
  t.strictSame(closed({ type: 'array', items: { type: 'string' }, minItems: 1 }), { type: 'array', items: { type: 'string' }, minItems: 1 })
  t.strictSame(closed({ type: 'integer', format: 'int32' }), { type: 'integer', description: '(format: "int32")' })
  t.strictSame(closed({ type: 'string', pattern: '(?=a)' }), { type: 'string', description: '(pattern: "(?=a)")' })
  t.strictSame(closed({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string', deprecated: true }), { type: 'string' })
  t.strictSame(closed({ oneOf: [{ type: 'string' }, { type: 'null' }] }), { anyOf: [{ type: 'string' }, { type: 'null' }] })
})

t.test('what would mean something else is refused by its word', async (t) => {
  const object = { type: 'object', properties: { a: { type: 'string' } } }
  const table: readonly (readonly [Schema, string])[] = [
    [{ type: 'object' }, 'additionalProperties'],
    [{ ...object, additionalProperties: true }, 'additionalProperties'],
    [{ ...object, properties: { a: { type: 'object', additionalProperties: { type: 'string' } } } }, 'additionalProperties'],
    [{}, 'type'], [{ type: 'array', items: { description: 'anything' } }, 'type'],
    [{ allOf: [object, object] }, 'allOf'], [{ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: object } }, 'allOf'],
    [{ ...object, anyOf: [object, { type: 'null' }] }, 'anyOf'],
    [{ ...object, patternProperties: { '^x': {} } }, 'patternProperties'], [{ type: 'string', not: { const: 'x' } }, 'not'],
    [{ enum: [{ a: 1 }] }, 'enum'], [{ $ref: 'https://host/schema' }, 'ref'],
    [{ ...object, properties: { a: { $ref: '#' } } }, 'recursion'],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/b' } }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }, 'recursion'],
  ]
  for (const [schema, word] of table) t.throws(() => closed(schema), { message: word }, JSON.stringify(schema))
  const twice = { type: 'array', items: { $ref: '#/$defs/b' }, $defs: { a: { type: 'string' }, b: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } }
  t.strictSame(closed(twice), twice, 'to be referred to twice is no recursion')
})

t.test('clients of Gemini and OpenAI reach Claude with an open schema, of an answer and of a strict tool', async (t) => {
  const open = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] }
  const shut = { ...open, properties: { age: { type: 'integer', description: '(minimum: 0)' } }, additionalProperties: false }
  const tool = { name: 'f', parameters: open, strict: true }
  const asked = [
    gemini.decodeRequest({ contents: [{ role: 'user', parts: [{ text: 'x' }] }], generationConfig: { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT', properties: { age: { type: 'INTEGER', minimum: 0 } }, required: ['age'] } } }),
    openai.decodeRequest({ messages: [{ role: 'user', content: 'x' }], response_format: { type: 'json_schema', json_schema: { name: 'n', schema: open } }, tools: [{ type: 'function', function: tool }] }),
    responses.decodeRequest({ input: 'x', text: { format: { type: 'json_schema', name: 'n', schema: open } }, tools: [{ type: 'function', ...tool }] }),
  ]
  const schemaOf = (codec: ProviderCodec, request: typeof asked[number]): unknown => {
    const body = codec.encodeRequest(request, codec === bedrock ? `eu.anthropic.${MODEL}-v1:0` : MODEL) as {
      output_config?: { format: { schema: unknown } }, outputConfig?: { textFormat: { structure: { jsonSchema: { schema: string } } } }
    }
    return body.output_config?.format.schema ?? JSON.parse(body.outputConfig?.textFormat.structure.jsonSchema.schema ?? '')
  }
  for (const codec of [anthropic, anthropicOnVertex, bedrock]) {
    for (const request of asked) t.strictSame(schemaOf(codec, request), shut)
    for (const request of asked.slice(1)) {
      const { tools, toolConfig } = codec.encodeRequest(request, MODEL) as { tools?: { input_schema: unknown }[], toolConfig?: { tools: { toolSpec: { inputSchema: { json: unknown } } }[] } }
      t.strictSame(tools?.[0]?.input_schema ?? toolConfig?.tools[0]?.toolSpec.inputSchema.json, shut)
    }
    const free = openai.decodeRequest({ messages: [{ role: 'user', content: 'x' }], response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } } })
    t.match(thrownBy(() => codec.encodeRequest(free, MODEL)), { feature: 'json_schema.additionalProperties' })
    const map = openai.decodeRequest({ messages: [{ role: 'user', content: 'x' }], tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: { ...open, additionalProperties: {} } } }] })
    t.match(thrownBy(() => codec.encodeRequest(map, MODEL)), { feature: 'tools.strict.additionalProperties' })
  }
})

t.test('a strict schema of Anthropic\'s is one of OpenAI\'s where it is one there too', async (t) => {
  const closedObject = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  const strictness = (schema: Schema) => {
    const request = anthropic.decodeRequest({
      max_tokens: 99, messages: [{ role: 'user', content: 'x' }],
      output_config: { format: { type: 'json_schema', schema } }, tools: [{ name: 'f', input_schema: schema, strict: true }],
    })
    const chat = openai.encodeRequest(request, 'gpt-4.1') as { response_format: { json_schema: { strict: unknown } }, tools: { function: { strict: unknown } }[] }
    const response = responses.encodeRequest(request, 'gpt-4.1') as { text: { format: { strict: unknown } }, tools: { strict: unknown }[] }
    return [chat.response_format.json_schema.strict, chat.tools[0]?.function.strict, response.text.format.strict, response.tools[0]?.strict]
  }
  t.strictSame(strictness(closedObject), [true, true, true, true])
  const optional = { ...closedObject, required: [] }
  for (const schema of [optional, { ...closedObject, properties: { a: optional } }, { ...closedObject, properties: { a: { anyOf: [{ type: 'array', items: optional }] } } }]) {
    t.strictSame(strictness(schema), [false, false, false, false])
  }
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
