import { z } from 'zod'

import { callerShape } from './caller-fields.js'
import type { FirstBadItem } from './large-arrays.js'
import { firstBadItem } from './large-arrays.js'
import type { Surface } from './paths.js'
import type { QuickAccept } from './quick-accept.js'
import { quickAccept } from './quick-accept.js'

const contentPartSchema = z.looseObject({ type: z.string() })

const toolCallSchema = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }).nullish(),
})

const messageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(contentPartSchema)]).nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
  tool_call_id: z.string().nullish(),
})

const toolSchema = z.looseObject({
  type: z.string().nullish(),
  function: z
    .looseObject({
      name: z.string(),
      description: z.string().nullish(),
      parameters: z.looseObject({}).nullish(),
    })
    .nullish(),
})

/**
 * The body of an OpenAI chat completion as far as we read it; a field that we do not know passes. It judges a body and
 * describes it in an API document; what travels on is the body as it came, never what this schema makes of it.
 */
export const chatBodySchema = z.looseObject({
  model: z.string().nullish().describe('A route, or a provider/model that the server lets callers name.'),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  reasoning_effort: z.string().nullish(),
  ...callerShape,
})

// Of Anthropic's body.
const blockSchema = z.looseObject({ type: z.string() })

const turnSchema = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) })

const namedToolSchema = z.looseObject({ type: z.string().nullish(), name: z.string(), input_schema: z.looseObject({}).nullish() })

/** The body of an Anthropic Messages request as far as we read it; a field that we do not know passes. */
const messagesBodySchema = z.looseObject({
  model: z.string().nullish().describe('A route, or a provider/model that the server lets callers name.'),
  messages: z.array(turnSchema).min(1),
  system: z.union([z.string(), z.array(blockSchema)]).nullish(),
  max_tokens: z.number().nullish(),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  tools: z.array(namedToolSchema).nullish(),
  tool_choice: z.looseObject({ type: z.string() }).nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  output_config: z.looseObject({}).nullish(),
  metadata: z.looseObject({}).nullish(),
  ...callerShape,
})

// Of the body of OpenAI's Responses API.
const inputItemSchema = z.looseObject({
  type: z.string().nullish(),
  role: z.string().nullish(),
  content: z.union([z.string(), z.array(contentPartSchema)]).nullish(),
  call_id: z.string().nullish(),
})

const typedToolSchema = z.looseObject({ type: z.string(), name: z.string().nullish(), parameters: z.looseObject({}).nullish() })

/** The body of a request of OpenAI's Responses API as far as we read it; a field that we do not know passes. */
const responsesBodySchema = z.looseObject({
  model: z.string().nullish().describe('A route, or a provider/model that the server lets callers name.'),
  input: z.union([z.string(), z.array(inputItemSchema)]).nullish(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  tools: z.array(typedToolSchema).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  include: z.array(z.string()).nullish(),
  previous_response_id: z.string().nullish(),
  store: z.boolean().nullish(),
  metadata: z.looseObject({}).nullish(),
  ...callerShape,
})

// Of Gemini's body, whose fields may also have the names of its protocol: those are read and not judged.
const partSchema = z.looseObject({ text: z.string().nullish() })

const contentSchema = z.looseObject({ role: z.string().nullish(), parts: z.array(partSchema).nullish() })

const toolGroupSchema = z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).nullish() })

/** The body of a Gemini request as far as we read it; a field that we do not know passes. The path says the model. */
const contentsBodySchema = z.looseObject({
  contents: z.array(contentSchema).min(1),
  systemInstruction: z.looseObject({}).nullish(),
  tools: z.array(toolGroupSchema).nullish(),
  toolConfig: z.looseObject({}).nullish(),
  generationConfig: z
    .looseObject({
      candidateCount: z.number().nullish(),
      maxOutputTokens: z.number().nullish(),
      temperature: z.number().nullish(),
      topP: z.number().nullish(),
      topK: z.number().nullish(),
      stopSequences: z.array(z.string()).nullish(),
      thinkingConfig: z.looseObject({}).nullish(),
    })
    .nullish(),
  ...callerShape,
})

/** What a body is judged by. */
export interface BodyShape {
  readonly whole: z.ZodType
  /** Of `whole`. */
  readonly quick: QuickAccept
  /** Of `whole`; nothing where it knows no array. */
  readonly firstBadItem: FirstBadItem | undefined
}

function bodyShape(whole: z.ZodType): BodyShape {
  return { whole, quick: quickAccept(whole), firstBadItem: firstBadItem(whole) }
}

/** A chat completion of OpenAI. */
export const chatBody = bodyShape(chatBodySchema)

/** A message of Anthropic. */
export const messagesBody = bodyShape(messagesBodySchema)

/** A request of OpenAI's Responses API. */
export const responsesBody = bodyShape(responsesBodySchema)

/** A request of Gemini. */
export const contentsBody = bodyShape(contentsBodySchema)

/** OpenAI's own bound, which its compatibles keep too. */
const MAX_INPUTS = 2_048

const inputText = z.string().min(1)
const tokens = z.array(z.number()).min(1)
const rest = {
  model: z.string().nullish().describe('A route of embeddings.'),
  dimensions: z.number().int().positive().nullish().describe('No other than the route has.'),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  user: z.string().nullish(),
}

/** The body of an OpenAI request for embeddings as an API document has it; a field that we do not know passes. */
const embeddingsBodySchema = z.looseObject({
  input: z.union([inputText, tokens, z.array(inputText).min(1).max(MAX_INPUTS), z.array(tokens).min(1).max(MAX_INPUTS)]),
  ...rest,
})

/** Stops at the first item that is none: a schema would collect an issue for each of millions. */
function isInput(value: unknown): boolean {
  if (isText(value)) return true
  if (!Array.isArray(value) || value.length === 0) return false
  return isTokens(value) || (value.length <= MAX_INPUTS && (value.every(isText) || value.every(isTokens)))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isTokens(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0)
}

const judged = z.looseObject({
  input: z.custom(isInput, `must be a text, a list of at most ${MAX_INPUTS} texts, or the same of tokens; none of them empty`),
  ...rest,
})

/** A request for embeddings. */
export const embeddingsBody = bodyShape(judged)

/** What describes the body of a path in an API document; nothing where there is none. */
export function bodySchemaOf(surface: Surface): { readonly body?: z.ZodType } {
  if (surface === 'models') return {}
  if (surface === 'embeddings') return { body: embeddingsBodySchema }
  if (surface === 'gemini') return { body: contentsBodySchema }
  if (surface === 'responses') return { body: responsesBodySchema }
  return { body: surface === 'messages' ? messagesBodySchema : chatBodySchema }
}
