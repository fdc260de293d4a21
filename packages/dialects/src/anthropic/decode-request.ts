import type { ChatRequest, Message, ResponseFormat, ToolChoice } from '@understudy/core'
import type { RequestOutline } from '../dialect-codec.js'
import { defined, isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { decodeTools, isPlainTool, toolFeature } from './decode-tools.js'
import { decodeContent } from './content-blocks.js'
import { decodeTurn } from './decode-turn.js'

/** Fields that the neutral form has words for. https://platform.claude.com/docs/en/api/messages/create */
const SAID = new Set([
  'model', 'messages', 'system', 'stream', 'max_tokens', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'tools', 'tool_choice',
  'thinking', 'output_config',
])

/** Fields that change who pays, how fast it goes or what is kept, but not what the answer says or where it is made. */
const HINTS = new Set(['metadata', 'service_tier', 'cache_control', 'speed', 'diagnostics'])

/** The few fields of a body that the run needs before a leg is asked. A stream of this dialect always counts its tokens. */
export function outlineRequest(body: Readonly<Record<string, unknown>>): RequestOutline {
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    choices: 1,
    reasoning: readThinking(body.thinking).reasoning ?? false,
    includeUsage: true,
  }
}

/** The neutral reading of a Messages body. */
export function decodeRequest(body: Readonly<Record<string, unknown>>): ChatRequest {
  const tools = decodeTools(body.tools)
  const stop = listOf(body.stop_sequences).flatMap((sequence) => textOf(sequence) ?? [])
  const unsaid = unsaidOf(body)
  const choice = objectOf(body.tool_choice)
  return defined<ChatRequest>({
    dialect: 'anthropic',
    model: textOf(body.model),
    stream: body.stream === true,
    messages: [...systemTurn(body.system), ...listOf(body.messages).filter(isObject).flatMap(decodeTurn)],
    tools: tools.length === 0 ? undefined : tools,
    toolChoice: decodeToolChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use === true ? false : undefined,
    responseFormat: decodeFormat(objectOf(body.output_config)?.format),
    maxTokens: numberOf(body.max_tokens),
    temperature: numberOf(body.temperature),
    topP: numberOf(body.top_p),
    topK: numberOf(body.top_k),
    stop: stop.length === 0 ? undefined : stop,
    ...readThinking(body.thinking),
    reasoningEffort: textOf(objectOf(body.output_config)?.effort),
    unsaid: unsaid.length === 0 ? undefined : unsaid,
    body,
  })
}

function systemTurn(system: unknown): readonly Message[] {
  const content = decodeContent(system)
  return content.length === 0 ? [] : [{ role: 'system', content }]
}

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking: how the thoughts are shown is no matter of the answer. */
function readThinking(value: unknown): Pick<ChatRequest, 'reasoning' | 'reasoningBudget'> {
  const thinking = objectOf(value)
  switch (thinking?.type) {
    case 'enabled':
      return { reasoning: true, reasoningBudget: numberOf(thinking.budget_tokens) }
    case 'adaptive':
    case 'between_tools':
      return { reasoning: true }
    case 'disabled':
      return { reasoning: false }
    default:
      return {}
  }
}

function decodeToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  switch (choice?.type) {
    case 'auto':
    case 'none':
      return choice.type
    case 'any':
      return 'required'
    case 'tool': {
      const name = textOf(choice.name)
      return name === undefined ? undefined : { name }
    }
    default:
      return undefined
  }
}

/** A schema binds the answer, as it does elsewhere where it is strict. */
function decodeFormat(value: unknown): ResponseFormat | undefined {
  const format = objectOf(value)
  return format?.type === 'json_schema' ? { type: 'json-schema', schema: objectOf(format.schema) ?? {}, strict: true } : undefined
}

function unsaidOf(body: JsonObject): readonly string[] {
  const fields = Object.keys(body).filter((key) => isSet(body[key]) && !SAID.has(key) && !HINTS.has(key))
  const config = objectOf(body.output_config) ?? {}
  const ofConfig = Object.keys(config).filter((key) => isSet(config[key]) && key !== 'effort' && key !== 'format')
  const tools = listOf(body.tools).filter(isObject).filter((tool) => !isPlainTool(tool))
  return [...fields, ...ofConfig.map((key) => `output_config.${key}`), ...tools.map(toolFeature)]
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}
