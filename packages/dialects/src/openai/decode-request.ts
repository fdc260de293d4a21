import type { ChatRequest, Message, ResponseFormat, Tool, ToolCall, ToolChoice } from '@understudy/core'
import type { RequestOutline } from '../dialect-codec.js'
import { otherBlock } from '../other-block.js'
import { booleanOf, defined, isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { sanitiseName } from '../sanitise-name.js'
import { decodeContent, partsOfText } from './content-blocks.js'

/** Fields that the neutral form has words for. */
const SAID = new Set([
  'model', 'messages', 'stream', 'tools', 'tool_choice', 'functions', 'function_call', 'parallel_tool_calls',
  'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'n', 'seed', 'presence_penalty',
  'frequency_penalty', 'response_format', 'reasoning_effort', 'reasoning',
])

/** Fields that change who pays, what is kept or how the answer travels, but not what it says. */
const HINTS = new Set([
  'stream_options', 'user', 'metadata', 'store', 'service_tier', 'safety_identifier', 'prompt_cache_key',
  'prompt_cache_retention', 'prediction',
])

/** Values that say no more than the field's absence. */
const NEUTRAL_VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['logprobs', (value: unknown) => value === false],
  ['top_logprobs', (value: unknown) => value === 0],
  ['logit_bias', (value: unknown) => isObject(value) && Object.keys(value).length === 0],
  ['modalities', (value: unknown) => listOf(value).every((modality) => modality === 'text')],
  ['verbosity', (value: unknown) => value === 'medium'],
])

/** The few fields of a body that the run needs before a leg is asked. */
export function outlineRequest(body: Readonly<Record<string, unknown>>): RequestOutline {
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    choices: numberOf(body.n) ?? 1,
    reasoning: asksForReasoning(body) ?? false,
    includeUsage: objectOf(body.stream_options)?.include_usage === true,
  }
}

/** The neutral reading of a chat-completions body. */
export function decodeRequest(body: Readonly<Record<string, unknown>>): ChatRequest {
  const tools = decodeTools(body)
  const stop = typeof body.stop === 'string' ? [body.stop] : listOf(body.stop).flatMap((word) => textOf(word) ?? [])
  const unsaid = [...Object.keys(body).filter((key) => isUnsaid(key, body[key])), ...unsaidOfTools(body)]
  return defined<ChatRequest>({
    dialect: 'openai',
    model: textOf(body.model),
    stream: body.stream === true,
    messages: listOf(body.messages).filter(isObject).map(decodeMessage),
    tools: tools.length === 0 ? undefined : tools,
    toolChoice: decodeToolChoice(body.tool_choice ?? body.function_call),
    parallelToolCalls: booleanOf(body.parallel_tool_calls),
    responseFormat: decodeResponseFormat(body.response_format),
    maxTokens: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    topK: numberOf(body.top_k),
    seed: numberOf(body.seed),
    presencePenalty: numberOf(body.presence_penalty),
    frequencyPenalty: numberOf(body.frequency_penalty),
    stop: stop.length === 0 ? undefined : stop,
    choices: numberOf(body.n),
    reasoning: asksForReasoning(body),
    reasoningEffort: effortOf(body),
    unsaid: unsaid.length === 0 ? undefined : unsaid,
    body,
  })
}

function effortOf(body: JsonObject): string | undefined {
  return textOf(body.reasoning_effort) ?? textOf(objectOf(body.reasoning)?.effort)
}

function asksForReasoning(body: JsonObject): boolean | undefined {
  const effort = effortOf(body)
  return effort === undefined && !isObject(body.reasoning) ? undefined : effort !== 'none'
}

function isUnsaid(key: string, value: unknown): boolean {
  if (value === undefined || value === null || SAID.has(key) || HINTS.has(key)) return false
  return NEUTRAL_VALUES.get(key)?.(value) !== true
}

/** Tools that are no functions, and a choice among some of the tools. */
function unsaidOfTools({ tools, tool_choice: choice }: JsonObject): readonly string[] {
  const others = listOf(tools).flatMap((tool) => (isObject(tool) && !isObject(tool.function) ? [`tools.${featureOf(tool.type)}`] : []))
  const isRead = !isObject(choice) || decodeToolChoice(choice) !== undefined
  return isRead ? others : [...others, `tool_choice.${featureOf(choice.type)}`]
}

/** The structural name of a kind of tool or of a choice among them. */
export function featureOf(type: unknown): string {
  return sanitiseName(textOf(type) ?? 'other')
}

function decodeMessage(message: JsonObject): Message {
  const role = roleOf(message.role)
  const toolCalls = listOf(message.tool_calls).filter(isObject).map(decodeToolCall)
  const legacyCall = objectOf(message.function_call)
  const calls = legacyCall === undefined ? toolCalls : [...toolCalls, decodeToolCall({ function: legacyCall })]
  const thought = role === 'assistant' ? (textOf(message.reasoning_content) ?? textOf(message.reasoning)) : undefined
  return defined<Message>({
    role,
    content: [
      ...(thought === undefined ? [] : [{ type: 'reasoning' as const, text: thought }]),
      ...decodeContent(message.content),
      ...partsOfText(message.refusal),
      ...(isObject(message.audio) ? [otherBlock(message.audio, 'audio')] : []),
    ],
    name: message.role === 'function' ? undefined : textOf(message.name),
    toolCalls: calls.length === 0 ? undefined : calls,
    // The result of a legacy function call names its function; so does the call's stand-in for an id.
    toolCallId: textOf(message.tool_call_id) ?? (message.role === 'function' ? textOf(message.name) : undefined),
  })
}

function roleOf(role: unknown): Message['role'] {
  switch (role) {
    case 'system':
    case 'developer':
      return 'system'
    case 'assistant':
      return 'assistant'
    case 'tool':
    case 'function':
      return 'tool'
    default:
      return 'user'
  }
}

function decodeToolCall(call: JsonObject): ToolCall {
  const { name, arguments: text } = objectOf(call.function) ?? {}
  const callName = textOf(name) ?? ''
  return { id: textOf(call.id) ?? callName, name: callName, arguments: textOf(text) ?? '{}' }
}

function decodeTools(body: JsonObject): readonly Tool[] {
  const functions = [
    ...listOf(body.tools).map((tool) => objectOf(tool)?.function),
    ...listOf(body.functions),
  ].filter(isObject)
  return functions.map(decodeFunction)
}

/** A function that the client itself runs, as it is described. */
export function decodeFunction({ name, description, parameters, strict }: JsonObject): Tool {
  return defined<Tool>({
    name: textOf(name) ?? '',
    description: textOf(description),
    parameters: objectOf(parameters),
    strict: booleanOf(strict),
  })
}

function decodeToolChoice(value: unknown): ToolChoice | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return value
  const name = textOf(objectOf(objectOf(value)?.function)?.name) ?? textOf(objectOf(value)?.name)
  return name === undefined ? undefined : { name }
}

function decodeResponseFormat(value: unknown): ResponseFormat | undefined {
  const format = objectOf(value)
  if (format?.type === 'json_object') return { type: 'json' }
  if (format?.type !== 'json_schema') return undefined
  const schema = objectOf(format.json_schema)
  return defined<ResponseFormat>({
    type: 'json-schema',
    schema: objectOf(schema?.schema) ?? {},
    name: textOf(schema?.name),
    strict: booleanOf(schema?.strict),
  })
}
