import { field } from './field.js'
import { closedSchemaFault } from './schema-rules.js'

/** Every field of a request, of its `inferenceConfig` and of a block; the model is in the path. */
const knownFields = new Set([
  'messages', 'system', 'inferenceConfig', 'toolConfig', 'guardrailConfig', 'additionalModelRequestFields', 'promptVariables',
  'additionalModelResponseFieldPaths', 'requestMetadata', 'performanceConfig', 'serviceTier', 'outputConfig',
])
const knownConfig = new Set(['maxTokens', 'temperature', 'topP', 'stopSequences'])
const knownBlocks = new Set([
  'text', 'image', 'document', 'video', 'audio', 'toolUse', 'toolResult', 'guardContent', 'cachePoint', 'reasoningContent',
  'citationsContent', 'searchResult',
])
const imageFormats = new Set(['png', 'jpeg', 'gif', 'webp'])
const documentFormats = new Set(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'])

/**
 * What is wrong with a body, as the vendor says it: fields that it does not know, values out of range, turns that do not take turns,
 * calls without results.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function converseFault(body: unknown): string | undefined {
  const config = field(body, 'inferenceConfig') ?? {}
  const unknown = unknownName(body, knownFields) ?? unknownName(config, knownConfig)
  if (unknown !== undefined) return `Unexpected field: ${unknown}`
  const temperature = field(config, 'temperature')
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 1)) return 'inferenceConfig.temperature: must be between 0 and 1'
  const maxTokens = field(config, 'maxTokens')
  if (maxTokens !== undefined && (typeof maxTokens !== 'number' || maxTokens < 1)) return 'inferenceConfig.maxTokens: must be at least 1'
  const budget = field(field(field(body, 'additionalModelRequestFields'), 'thinking'), 'budget_tokens')
  if (typeof budget === 'number' && (budget < 1024 || (typeof maxTokens === 'number' && budget >= maxTokens))) {
    return '`max_tokens` must be greater than `thinking.budget_tokens`'
  }
  const system = field(body, 'system')
  if (Array.isArray(system) && system.some((block) => isBlank(field(block, 'text')) && field(block, 'cachePoint') === undefined)) {
    return 'The text field in the ContentBlock object at system is blank.'
  }
  return formatFault(body) ?? toolsFault(body) ?? turnFault(field(body, 'messages'))
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html: the schema is text. */
function formatFault(body: unknown): string | undefined {
  const format = field(field(body, 'outputConfig'), 'textFormat')
  if (format === undefined) return undefined
  const text = field(field(field(format, 'structure'), 'jsonSchema'), 'schema')
  const fault = closedSchemaFault(parsed(text))
  return fault === undefined ? undefined : `output_config.format.schema: ${fault}`
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    return undefined
  }
}

function toolsFault(body: unknown): string | undefined {
  const config = field(body, 'toolConfig')
  const tools = field(config, 'tools')
  if (config === undefined) {
    return usesTools(field(body, 'messages')) ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.' : undefined
  }
  if (!Array.isArray(tools) || tools.length === 0) return 'toolConfig.tools: must have at least 1 item'
  const list: readonly unknown[] = tools
  const isWhole = (tool: unknown) => typeof field(field(tool, 'toolSpec'), 'name') === 'string'
    && field(field(field(field(tool, 'toolSpec'), 'inputSchema'), 'json'), 'type') === 'object'
  const isPoint = (tool: unknown, at: number) => at > 0 && field(tool, 'cachePoint') !== undefined
  if (!list.every((tool, at) => isWhole(tool) || isPoint(tool, at))) return 'toolConfig.tools: toolSpec.inputSchema.json.type must be one of the following: object.'
  const strict = list.map((tool) => field(tool, 'toolSpec')).filter((tool) => field(tool, 'strict') === true)
  const fault = closedSchemaFault({ anyOf: strict.map((tool) => field(field(tool, 'inputSchema'), 'json')) })
  if (fault !== undefined) return `toolConfig.tools: ${fault}`
  const choice = field(config, 'toolChoice')
  const isChoice = choice === undefined || ['auto', 'any', 'tool'].some((name) => typeof field(choice, name) === 'object')
  return isChoice ? undefined : 'toolConfig.toolChoice: must be one of auto, any, tool'
}

function usesTools(messages: unknown): boolean {
  return JSON.stringify(messages ?? []).match(/"tool(?:Use|Result)":/) !== null
}

function turnFault(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'A conversation must start with a user message.'
  const turns: readonly unknown[] = messages
  const names = new Set<unknown>()
  let open: readonly unknown[] = []
  for (const [index, turn] of turns.entries()) {
    const role = field(turn, 'role')
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) {
      return index === 0
        ? 'A conversation must start with a user message. Try again with a conversation that starts with a user message.'
        : 'A conversation must alternate between user and assistant roles.'
    }
    const content = field(turn, 'content')
    if (!Array.isArray(content) || content.length === 0) return `The content field in the Message object at messages.${index} is empty.`
    const blocks: readonly unknown[] = content
    const fault = blocks.map((block, at) => blockFault(block, `messages.${index}.content.${at}`, names)).find((said) => said !== undefined)
    if (fault !== undefined) return fault
    const pointed = blocks.map((block, at) => pointFault(block, blocks[at - 1], `messages.${index}.content.${at}`)).find((said) => said !== undefined)
    if (pointed !== undefined) return pointed
    if (blocks.some((block) => field(block, 'document') !== undefined) && !blocks.some((block) => field(block, 'text') !== undefined)) {
      return `messages.${index}: a document needs a text beside it`
    }
    const answered = idsOf(blocks, 'toolResult')
    if (open.some((id) => !answered.includes(id))) return `Expected toolResult blocks at messages.${index}.content for the following Ids`
    if (answered.some((id) => !open.includes(id))) return `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`
    open = idsOf(blocks, 'toolUse')
  }
  return undefined
}

function blockFault(block: unknown, at: string, documentNames: Set<unknown>): string | undefined {
  const keys = typeof block === 'object' && block !== null ? Object.keys(block) : []
  const [key = ''] = keys
  if (keys.length !== 1 || !knownBlocks.has(key)) return `The ContentBlock object at ${at} must set one of its fields.`
  const value = field(block, key)
  switch (key) {
    case 'text':
      return isBlank(value) ? `The text field in the ContentBlock object at ${at} is blank.` : undefined
    case 'image':
      return mediaFault(value, imageFormats, at)
    case 'document': {
      const name = field(value, 'name')
      if (typeof name !== 'string' || !/^[A-Za-z0-9 ()[\]-]{1,200}$/.test(name) || / {2}/.test(name)) return `${at}.document.name: can only hold plain characters`
      if (documentNames.has(name)) return `${at}.document.name: duplicate document names`
      documentNames.add(name)
      return mediaFault(value, documentFormats, at)
    }
    case 'toolUse':
    case 'toolResult': {
      const id = field(value, 'toolUseId')
      return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? undefined : `${at}.${key}.toolUseId: must match [a-zA-Z0-9_-]+`
    }
    default:
      return undefined
  }
}

/** What stands in front of a point to cache up to. */
function pointFault(block: unknown, before: unknown, at: string): string | undefined {
  if (field(block, 'cachePoint') === undefined) return undefined
  if (before === undefined) return 'There is nothing available to cache.'
  if (field(before, 'reasoningContent') !== undefined) return 'Cache point cannot be inserted after reasoning block.'
  const format = field(field(before, 'document'), 'format')
  return format === undefined || format === 'pdf' ? undefined : `${at}.type: Field required`
}

function mediaFault(value: unknown, formats: ReadonlySet<string>, at: string): string | undefined {
  const bytes = field(field(value, 'source'), 'bytes')
  const isWhole = formats.has(String(field(value, 'format'))) && typeof bytes === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(bytes)
  return isWhole ? undefined : `${at}: a format and bytes are required`
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === ''
}

function idsOf(blocks: readonly unknown[], key: 'toolUse' | 'toolResult'): readonly unknown[] {
  return blocks.map((block) => field(field(block, key), 'toolUseId')).filter((id) => id !== undefined)
}

function unknownName(value: unknown, known: ReadonlySet<string>): string | undefined {
  return typeof value === 'object' && value !== null ? Object.keys(value).find((key) => !known.has(key)) : undefined
}
