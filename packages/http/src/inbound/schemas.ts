import { z } from 'zod'

import { callerShape } from './caller-fields.js'

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

/** What the items of the arrays in a body have to be. */
export const itemSchemas = {
  message: messageSchema,
  contentPart: contentPartSchema,
  toolCall: toolCallSchema,
  tool: toolSchema,
  stop: z.string(),
} as const
