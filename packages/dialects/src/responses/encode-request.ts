import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from '@understudy/core'
import { encodeEffort, encodeStrict } from '../openai/encode-request.js'
import { defined, omit } from '../read-json.js'
import { createRefuse } from '../untranslatable.js'
import type { Refuse } from '../untranslatable.js'
import { encodeItems } from './encode-items.js'
import { mendedMembers } from './mend-input.js'
import { MIN_OUTPUT_TOKENS, traitsOf, type ModelTraits } from './models.js'

type Wire = Record<string, unknown>

/** Members of a body that are made anew from the neutral form; the rest of a body of this dialect is said again as it was. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  'model', 'input', 'instructions', 'stream', 'max_output_tokens', 'temperature', 'top_p', 'parallel_tool_calls',
])

/**
 * A body of the Responses API that asks `model` for what the request asks. For a client of another dialect nothing is kept: it could
 * not ask for it.
 *
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function encodeRequest(request: ChatRequest, model: string): Wire {
  const refuse = createRefuse(request, 'responses')
  const isOwn = request.dialect === 'responses'
  const own = isOwn ? request.body : undefined
  if (own === undefined) refuseUnsaid(request, isOwn, refuse)

  const { dialect, tools, parallelToolCalls } = request
  const hasTools = own === undefined ? (tools?.length ?? 0) > 0 : Array.isArray(own['tools'])
  const body = defined<Wire>({
    ...(own === undefined ? inOtherWords(request, traitsOf(model)) : omit(own, MADE_ANEW)),
    ...(isOwn || dialect === undefined ? undefined : { store: false }),
    model,
    ...encodeItems(request.messages, isOwn, refuse),
    stream: request.stream ? true : undefined,
    max_output_tokens: isOwn ? request.maxTokens : encodeMaxTokens(request.maxTokens, traitsOf(model), refuse),
    temperature: request.temperature,
    top_p: request.topP,
    parallel_tool_calls: hasTools ? parallelToolCalls : undefined,
  })
  return isOwn ? { ...body, ...mendedMembers(body) } : body
}

function inOtherWords(request: ChatRequest, traits: ModelTraits): Wire {
  const { tools, toolChoice, responseFormat } = request
  const effort = encodeEffort(request, traits)
  return {
    tools: tools?.map((tool) => encodeTool(tool, request)),
    tool_choice: (tools?.length ?? 0) === 0 ? undefined : encodeToolChoice(toolChoice),
    text: responseFormat === undefined ? undefined : { format: encodeFormat(responseFormat, request) },
    reasoning: effort === undefined ? undefined : { effort },
  }
}

/** What the API has no word for. A value that says no more than its absence is none. */
function refuseUnsaid(request: ChatRequest, isOwn: boolean, refuse: Refuse): void {
  const [unsaid] = request.unsaid ?? []
  if (unsaid !== undefined) refuse(unsaid)
  if (request.stop !== undefined) refuse('stop')
  if (request.topK !== undefined) refuse('top_k')
  if (request.seed !== undefined) refuse('seed')
  if (request.choices !== undefined && request.choices !== 1) refuse('n')
  if ((request.presencePenalty ?? 0) !== 0) refuse('presence_penalty')
  if ((request.frequencyPenalty ?? 0) !== 0) refuse('frequency_penalty')
  const goesOn = request.dialect !== undefined && request.dialect !== 'openai' && !isOwn
  // There the answer goes on from such a turn; here it would begin anew.
  if (goesOn && request.messages.at(-1)?.role === 'assistant') refuse('prefill')
}

function encodeMaxTokens(asked: number | undefined, { maxTokens }: ModelTraits, refuse: Refuse): number | undefined {
  if (asked === undefined) return undefined
  return asked < MIN_OUTPUT_TOKENS ? refuse('max_output_tokens') : Math.min(asked, maxTokens)
}

/** A function that does not say is bound to its schema here, and is not elsewhere. */
function encodeTool({ name, description, parameters = EMPTY_SCHEMA, strict = false }: Tool, request: ChatRequest): Wire {
  return defined<Wire>({ type: 'function', name, description, parameters, strict: encodeStrict(strict, parameters, request) })
}

const EMPTY_SCHEMA = { type: 'object', properties: {} }

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : choice
}

function encodeFormat(format: ResponseFormat, request: ChatRequest): Wire {
  if (format.type === 'json') return { type: 'json_object' }
  const { schema, name = 'answer', strict } = format
  return defined<Wire>({ type: 'json_schema', name, schema, strict: encodeStrict(strict, schema, request) })
}
