import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from '@understudy/core'
import { closedSchema } from '../closed-schema.js'
import { defined, objectOf, omit } from '../read-json.js'
import { createRefuse } from '../untranslatable.js'
import type { Refuse } from '../untranslatable.js'
import { cacheControlOf } from './content-blocks.js'
import { encodeThinking } from './encode-thinking.js'
import { encodeTurns } from './encode-turns.js'
import { mendedMembers } from './mend-messages.js'
import { traitsOf, type ModelTraits } from './models.js'

type Wire = Record<string, unknown>

/** Members of a body that are made anew from the neutral form; the rest of a body of this dialect is said again as it was. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  'model', 'messages', 'system', 'max_tokens', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'tool_choice',
])

/**
 * A Messages body that asks `model` for what the request asks. `max_tokens`, which the API demands, is the most that the model
 * writes where the request does not say.
 *
 * https://platform.claude.com/docs/en/api/messages/create
 */
export function encodeRequest(request: ChatRequest, model: string): Wire {
  const refuse = createRefuse(request, 'anthropic')
  const own = request.dialect === 'anthropic' ? request.body : undefined
  const traits = traitsOf(model)
  if (own === undefined) refuseUnsaid(request, refuse)

  const isOwn = request.dialect === 'anthropic'
  const { system, messages } = encodeTurns(request.messages, isOwn, request.dialect === undefined, refuse)
  const thinking = own === undefined ? encodeThinking(request, traits, refuse) : {}
  const format = own === undefined ? encodeFormat(request.responseFormat, refuse) : undefined
  const effort = thinking.effort
  const hasOutputConfig = effort !== undefined || format !== undefined
  const body = defined<Wire>({
    ...(own === undefined ? undefined : omit(own, MADE_ANEW)),
    model,
    max_tokens: own === undefined ? encodeMaxTokens(request.maxTokens, traits) : request.maxTokens,
    system,
    messages,
    stream: request.stream ? true : undefined,
    ...(own === undefined ? { tools: request.tools?.map((tool) => encodeTool(tool, refuse)) } : undefined),
    tool_choice: encodeToolChoice(request),
    stop_sequences: encodeStop(request.stop, refuse),
    ...encodeSampling(request, own === undefined ? traits : undefined, refuse),
    ...(thinking.thinking === undefined ? undefined : { thinking: thinking.thinking }),
    ...(hasOutputConfig ? { output_config: defined({ effort, format }) } : undefined),
  })
  return own === undefined ? body : defined<Wire>({ ...body, ...mendedMembers(body) })
}

function encodeMaxTokens(asked: number | undefined, { maxTokens, isLimit }: ModelTraits): number {
  if (asked === undefined) return maxTokens
  return isLimit ? Math.min(asked, maxTokens) : asked
}

/** What neither this API nor Bedrock's has a word for. A value that says no more than its absence is none. */
export function refuseUnsaid(request: ChatRequest, refuse: Refuse): void {
  const [unsaid] = request.unsaid ?? []
  if (unsaid !== undefined) refuse(unsaid)
  if (request.choices !== undefined && request.choices !== 1) refuse('n')
  if (request.seed !== undefined) refuse('seed')
  if ((request.presencePenalty ?? 0) !== 0) refuse('presence_penalty')
  if ((request.frequencyPenalty ?? 0) !== 0) refuse('frequency_penalty')
}

function encodeTool(tool: Tool, refuse: Refuse): Wire {
  const { name, description, parameters, strict } = tool
  return defined({ name, description, input_schema: encodeParameters(parameters, strict, refuse), strict, ...cacheControlOf(tool) })
}

/** A schema of an object; of a strict tool one that the API can hold the model to. */
export function encodeParameters(parameters: Tool['parameters'], strict: boolean | undefined, refuse: Refuse): Wire {
  if (strict !== true) return { type: 'object', ...parameters }
  return closedSchema({ type: 'object', properties: {}, ...parameters }, (word) => refuse(`tools.strict.${word}`))
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools */
function encodeToolChoice({ tools, toolChoice, parallelToolCalls, body, dialect }: ChatRequest): Wire | undefined {
  // A body of this dialect may have tools that the neutral form does not know.
  const hasTools = (tools?.length ?? 0) > 0 || (dialect === 'anthropic' && Array.isArray(body?.['tools']))
  if (!hasTools) return undefined
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : undefined
  const choice = choiceOf(toolChoice)
  if (choice === undefined) return single === undefined ? undefined : { type: 'auto', ...single }
  return choice['type'] === 'none' ? choice : { ...choice, ...single }
}

function choiceOf(choice: ToolChoice | undefined): Wire | undefined {
  switch (choice) {
    case undefined:
      return undefined
    case 'required':
      return { type: 'any' }
    case 'auto':
    case 'none':
      return { type: choice }
    default:
      return { type: 'tool', name: choice.name }
  }
}

/** Claude refuses a sequence of nothing but white space, and Bedrock's API one of nothing at all. */
export function encodeStop(stop: readonly string[] | undefined, refuse: Refuse): readonly string[] | undefined {
  if (stop?.some((sequence) => sequence.trim() === '') === true) refuse('stop-white_space')
  return stop
}

/**
 * Temperature ends at 1, where OpenAI's ends at 2. Newer models take one of the two samplers, the newest take none; a 1 is what all of
 * them do without being asked.
 */
export function encodeSampling(request: ChatRequest, traits: ModelTraits | undefined, refuse: Refuse): Wire {
  const { temperature, topP, topK } = request
  if (traits === undefined) return { temperature, top_p: topP, top_k: topK }
  if (temperature !== undefined && temperature > 1) refuse('temperature')
  if (traits.sampling === 'all') return { temperature, top_p: topP, top_k: topK }
  const said = { temperature: temperature === 1 ? undefined : temperature, top_p: topP === 1 ? undefined : topP, top_k: topK }
  if (traits.sampling === 'one') {
    if (said.temperature !== undefined && said.top_p !== undefined) refuse('temperature-and-top_p')
    return said
  }
  for (const [name, value] of Object.entries(said)) if (value !== undefined) refuse(name)
  return {}
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs: a schema always binds, and any JSON cannot be asked for. */
function encodeFormat(format: ResponseFormat | undefined, refuse: Refuse): Wire | undefined {
  if (format === undefined) return undefined
  if (format.type === 'json') return refuse('json_object')
  return { type: 'json_schema', schema: closedSchema(objectOf(format.schema) ?? {}, (word) => refuse(`json_schema.${word}`)) }
}
