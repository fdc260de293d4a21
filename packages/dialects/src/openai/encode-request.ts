import type { ChatRequest, ContentBlock, Message, ResponseFormat, Tool, ToolChoice } from '@understudy/core'
import { isStrictSchema } from '../closed-schema.js'
import { defined } from '../read-json.js'
import { createRefuse } from '../untranslatable.js'
import type { Refuse } from '../untranslatable.js'
import { urlOf } from './content-blocks.js'
import { traitsOf, type ModelTraits } from './models.js'

type Wire = Record<string, unknown>

/** https://platform.openai.com/docs/api-reference/chat/create */
const MAX_STOP_SEQUENCES = 4

/** A chat-completions body that asks `model` for what the request asks. Usage is always asked for in a stream. */
export function encodeRequest(request: ChatRequest, model: string): Wire {
  const refuse = createRefuse(request, 'openai')
  const [unsaid] = request.unsaid ?? []
  if (unsaid !== undefined) refuse(unsaid)
  if (request.topK !== undefined) refuse('top_k')

  const isOwn = request.dialect === 'openai'
  const traits = traitsOf(model)
  const { maxTokens } = request
  if (!isOwn && (request.stop?.length ?? 0) > MAX_STOP_SEQUENCES) refuse('stop')
  // There the answer goes on from such a turn, or may; here it would begin anew.
  if ((request.dialect === 'anthropic' || request.dialect === 'gemini') && request.messages.at(-1)?.role === 'assistant') refuse('prefill')
  return defined<Wire>({
    model,
    messages: request.messages.map((message) => encodeMessage(message, isOwn, refuse)),
    stream: request.stream ? true : undefined,
    stream_options: request.stream ? { include_usage: true } : undefined,
    tools: request.tools?.map((tool) => encodeTool(tool, request)),
    tool_choice: encodeToolChoice(request.toolChoice),
    parallel_tool_calls: request.tools === undefined ? undefined : request.parallelToolCalls,
    response_format: encodeResponseFormat(request.responseFormat, request),
    [traits.maxTokensName]: maxTokens === undefined || isOwn ? maxTokens : Math.min(maxTokens, traits.maxTokens),
    temperature: request.temperature,
    top_p: request.topP,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    stop: request.stop,
    n: request.choices,
    reasoning_effort: isOwn ? request.reasoningEffort : encodeEffort(request, traits),
  })
}

/** Tokens of thinking up to which an effort is meant, where another dialect says a number. They are ours. */
const EFFORT_OF_BUDGET = [
  [4_096, 'low'],
  [16_384, 'medium'],
] as const

/** The effort in the words of OpenAI; what others have above `high` not every model takes. */
export function encodeEffort({ dialect, reasoning, reasoningEffort, reasoningBudget }: ChatRequest, traits: ModelTraits): string | undefined {
  if (dialect === undefined) return reasoningEffort
  if (reasoning === false || !traits.takesEffort) return undefined
  if (reasoningEffort === 'xhigh' || reasoningEffort === 'max') return 'high'
  if (reasoningEffort !== undefined || reasoningBudget === undefined) return reasoningEffort
  return EFFORT_OF_BUDGET.find(([below]) => reasoningBudget < below)?.[1] ?? 'high'
}

/** There is no flag for a tool that failed, so its content says so. */
export function asFailed([first, ...rest]: readonly ContentBlock[]): readonly ContentBlock[] {
  if (first?.type === 'text') return [{ type: 'text', text: `Error: ${first.text}` }, ...rest]
  return [{ type: 'text', text: 'Error' }, ...(first === undefined ? [] : [first]), ...rest]
}

function encodeMessage(message: Message, isOwn: boolean, refuse: Refuse): Wire {
  // What a model thought in an earlier turn is its own provider's; OpenAI takes none.
  const blocks = message.content.filter((block) => block.type !== 'reasoning')
  const textOnly = message.role !== 'user'
  const said = message.isError === true ? asFailed(blocks) : blocks
  const content = encodeContent(said, message.role, textOnly ? refuse : undefined, refuse)
  return defined<Wire>({
    role: message.role,
    content: blocks.length === 0 && message.toolCalls !== undefined ? null : content,
    // The name of a tool's result only says again what its id says.
    name: message.role === 'tool' && !isOwn ? undefined : message.name,
    tool_calls: message.toolCalls?.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    })),
    tool_call_id: message.toolCallId,
  })
}

function encodeContent(
  blocks: readonly ContentBlock[],
  role: Message['role'],
  refuseMedia: Refuse | undefined,
  refuse: Refuse,
): string | readonly Wire[] {
  const [first] = blocks
  if (first === undefined) return ''
  if (blocks.length === 1 && first.type === 'text') return first.text
  return blocks.map((block) => {
    if (block.type === 'image' || block.type === 'file') refuseMedia?.(`${role}-${block.type}`)
    return encodeBlock(block, refuse)
  })
}

function encodeBlock(block: ContentBlock, refuse: Refuse): Wire {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image_url', image_url: defined<Wire>({ url: urlOf(block.source), detail: block.detail }) }
    case 'file':
      if (block.source.type === 'url') return refuse('file-url')
      return { type: 'file', file: { filename: block.name ?? 'file', file_data: urlOf(block.source) } }
    case 'other':
      return refuse(block.feature)
  }
}

function encodeTool({ name, description, parameters, strict }: Tool, request: ChatRequest): Wire {
  return { type: 'function', function: defined<Wire>({ name, description, parameters, strict: encodeStrict(strict, parameters, request) }) }
}

/**
 * Whether the model is held to a schema. Anthropic's strict schemas may have properties that are not required, which is refused here: to
 * such a one it is not held.
 *
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function encodeStrict(strict: boolean | undefined, schema: unknown, { dialect }: ChatRequest): boolean | undefined {
  return strict === true && dialect === 'anthropic' && !isStrictSchema(schema) ? false : strict
}

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice
}

function encodeResponseFormat(format: ResponseFormat | undefined, request: ChatRequest): Wire | undefined {
  if (format === undefined) return undefined
  if (format.type === 'json') return { type: 'json_object' }
  const { schema, name = 'answer', strict } = format
  return { type: 'json_schema', json_schema: defined<Wire>({ name, schema, strict: encodeStrict(strict, schema, request) }) }
}
