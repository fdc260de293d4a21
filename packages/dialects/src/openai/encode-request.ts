import type { ChatRequest, ContentBlock, Message, ResponseFormat, Tool, ToolChoice } from '@understudy/core'
import { defined } from '../read-json.js'
import { UntranslatableRequestError } from '../untranslatable.js'
import { urlOf } from './content-blocks.js'

type Wire = Record<string, unknown>
type Refuse = (feature: string) => never

/** Models that refuse `max_tokens`; the servers of most others know nothing else. */
const NEEDS_MAX_COMPLETION_TOKENS = /^(?:o\d|gpt-5)/

/** A chat-completions body that asks `model` for what the request asks. Usage is always asked for in a stream. */
export function encodeRequest(request: ChatRequest, model: string): Wire {
  const refuse: Refuse = (feature) => {
    throw new UntranslatableRequestError({ source: request.dialect, target: 'openai', feature })
  }
  const [unsaid] = request.unsaid ?? []
  if (unsaid !== undefined) refuse(unsaid)
  if (request.topK !== undefined) refuse('top_k')

  const lastSegment = model.slice(model.lastIndexOf('/') + 1)
  const maxTokens = NEEDS_MAX_COMPLETION_TOKENS.test(lastSegment) ? 'max_completion_tokens' : 'max_tokens'
  return defined<Wire>({
    model,
    messages: request.messages.map((message) => encodeMessage(message, refuse)),
    stream: request.stream ? true : undefined,
    stream_options: request.stream ? { include_usage: true } : undefined,
    tools: request.tools?.map(encodeTool),
    tool_choice: encodeToolChoice(request.toolChoice),
    parallel_tool_calls: request.tools === undefined ? undefined : request.parallelToolCalls,
    response_format: encodeResponseFormat(request.responseFormat),
    [maxTokens]: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    stop: request.stop,
    n: request.choices,
    reasoning_effort: request.reasoningEffort,
  })
}

function encodeMessage(message: Message, refuse: Refuse): Wire {
  // What a model thought in an earlier turn is its own provider's; OpenAI takes none.
  const blocks = message.content.filter((block) => block.type !== 'reasoning')
  const textOnly = message.role !== 'user'
  const content = encodeContent(blocks, message.role, textOnly ? refuse : undefined, refuse)
  return defined<Wire>({
    role: message.role,
    content: blocks.length === 0 && message.toolCalls !== undefined ? null : content,
    name: message.name,
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
    if (block.type !== 'text') refuseMedia?.(`${role}-${block.type}`)
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

function encodeTool({ name, description, parameters, strict }: Tool): Wire {
  return { type: 'function', function: defined<Wire>({ name, description, parameters, strict }) }
}

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice
}

function encodeResponseFormat(format: ResponseFormat | undefined): Wire | undefined {
  if (format === undefined) return undefined
  if (format.type === 'json') return { type: 'json_object' }
  const { schema, name = 'answer', strict } = format
  return { type: 'json_schema', json_schema: defined<Wire>({ name, schema, strict }) }
}
