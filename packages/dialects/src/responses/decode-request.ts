import type { ChatRequest, Message, ResponseFormat, Tool, ToolChoice } from '@understudy/core'
import type { RequestOutline } from '../dialect-codec.js'
import { decodeFunction, featureOf } from '../openai/decode-request.js'
import { booleanOf, defined, isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { decodeItems } from './decode-items.js'

/** Fields that the neutral form has words for. https://platform.openai.com/docs/api-reference/responses/create */
const SAID = new Set([
  'model', 'input', 'instructions', 'stream', 'tools', 'tool_choice', 'parallel_tool_calls', 'text', 'max_output_tokens', 'temperature',
  'top_p', 'reasoning', 'include',
  // As the vendor's older API calls the limit: a leg's defaults are written once for clients of both.
  'max_completion_tokens', 'max_tokens',
])

/** Fields that change who pays, what is kept or how the answer travels, but not what it says. */
const HINTS = new Set([
  'stream_options', 'user', 'metadata', 'service_tier', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention',
])

/** Values that say no more than the field's absence. */
const NEUTRAL_VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  // Elsewhere nothing is kept that could be asked for.
  ['store', (value: unknown) => value === false],
  ['background', (value: unknown) => value === false],
  ['truncation', (value: unknown) => value === 'disabled'],
  ['top_logprobs', (value: unknown) => value === 0],
  ['context_management', (value: unknown) => Array.isArray(value) && value.length === 0],
])

/** What only the service itself holds; named before all else. */
const STATE = ['previous_response_id', 'conversation', 'prompt']

/** What else an answer may be asked to show (thoughts to be sent back, what servers' tools found) says nothing of the answer itself. */
const LOGPROBS = 'message.output_text.logprobs'

/** The few fields of a body that the run needs before a leg is asked. A stream of this dialect always counts its tokens. */
export function outlineRequest(body: Readonly<Record<string, unknown>>): RequestOutline {
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    choices: 1,
    reasoning: asksForReasoning(body) ?? false,
    includeUsage: true,
  }
}

/** The neutral reading of a body of the Responses API. */
export function decodeRequest(body: Readonly<Record<string, unknown>>): ChatRequest {
  const tools = decodeTools(body.tools)
  const unsaid = unsaidOf(body)
  return defined<ChatRequest>({
    dialect: 'responses',
    model: textOf(body.model),
    stream: body.stream === true,
    messages: [...systemTurn(body.instructions), ...decodeItems(body.input)],
    tools: tools.length === 0 ? undefined : tools,
    toolChoice: decodeToolChoice(body.tool_choice),
    parallelToolCalls: booleanOf(body.parallel_tool_calls),
    responseFormat: decodeFormat(objectOf(body.text)?.format),
    maxTokens: numberOf(body.max_output_tokens) ?? numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    reasoning: asksForReasoning(body),
    reasoningEffort: effortOf(body),
    unsaid: unsaid.length === 0 ? undefined : unsaid,
    body,
  })
}

function systemTurn(instructions: unknown): readonly Message[] {
  const text = textOf(instructions)
  return text === undefined ? [] : [{ role: 'system', content: [{ type: 'text', text }] }]
}

function effortOf(body: JsonObject): string | undefined {
  return textOf(objectOf(body.reasoning)?.effort)
}

/** An object without an effort asks to be shown thoughts. */
function asksForReasoning(body: JsonObject): boolean | undefined {
  const effort = effortOf(body)
  if (effort !== undefined) return effort !== 'none'
  const reasoning = objectOf(body.reasoning)
  return reasoning !== undefined && Object.values(reasoning).some(isSet) ? true : undefined
}

/** How a tool is loaded changes which tools the model sees, so it is more than a hint. */
function isPlainTool(tool: JsonObject): boolean {
  return tool.type === 'function' && tool.defer_loading !== true
}

function decodeTools(tools: unknown): readonly Tool[] {
  return listOf(tools).filter(isObject).filter(isPlainTool).map(decodeFunction)
}

function decodeToolChoice(value: unknown): ToolChoice | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return value
  const choice = objectOf(value)
  const name = choice?.type === 'function' ? textOf(choice.name) : undefined
  return name === undefined ? undefined : { name }
}

function decodeFormat(value: unknown): ResponseFormat | undefined {
  const format = objectOf(value)
  if (format?.type === 'json_object') return { type: 'json' }
  if (format?.type !== 'json_schema') return undefined
  return defined<ResponseFormat>({
    type: 'json-schema',
    schema: objectOf(format.schema) ?? {},
    name: textOf(format.name),
    strict: booleanOf(format.strict),
  })
}

function unsaidOf(body: JsonObject): readonly string[] {
  const fields = Object.keys(body).filter((key) => isSet(body[key]) && !SAID.has(key) && !HINTS.has(key) && !isNeutral(key, body[key]))
  const verbosity = textOf(objectOf(body.text)?.verbosity) ?? 'medium'
  const tools = listOf(body.tools).filter(isObject).filter((tool) => !isPlainTool(tool))
  const choice = objectOf(body.tool_choice)
  return [
    ...STATE.filter((key) => fields.includes(key)),
    ...fields.filter((key) => !STATE.includes(key)),
    ...(verbosity === 'medium' ? [] : ['text.verbosity']),
    ...(listOf(body.include).includes(LOGPROBS) ? [`include.${LOGPROBS}`] : []),
    ...tools.map(toolFeature),
    ...(choice === undefined || decodeToolChoice(choice) !== undefined ? [] : [`tool_choice.${featureOf(choice.type)}`]),
  ]
}

function toolFeature({ type }: JsonObject): string {
  return type === 'function' ? 'tools.defer_loading' : `tools.${featureOf(type)}`
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isNeutral(key: string, value: unknown): boolean {
  return NEUTRAL_VALUES.get(key)?.(value) === true
}
