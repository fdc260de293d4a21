import { encodeEvent } from '@understudy/sse'
import type { Answer, Json, ToolCall } from '../script.js'
import type { AnswerContext, Dialect, DialectRequest, StreamOptions, Surface } from './dialect.js'
import { embedOpenai } from './embeddings.js'
import { encodeOpenaiError, encodeOpenaiErrorEvent, openaiRefusal, refuseOpenai } from './openai-errors.js'
import { field } from './field.js'
import { countTokens, textPieces } from './words.js'

const created = 1_700_000_000
const chatPath = /^(?:\/v1)?\/chat\/completions\/?$/
const azurePath = /^\/openai\/deployments\/([^/]+)\/chat\/completions\/?$/
const embeddingsPath = /^(?:\/v1)?\/embeddings\/?$/
const azureEmbeddingsPath = /^\/openai\/deployments\/([^/]+)\/embeddings\/?$/
const modelsPath = /^\/v1\/models\/?$/

/** OpenAI chat completions, as OpenAI and Azure serve it. Both keys are accepted on both paths. */
export const openai: Dialect = {
  name: 'openai',
  streamContentType: 'text/event-stream; charset=utf-8',
  readSurface,
  readKey: ({ headers }) => /^bearer\s+(.*)$/i.exec(headers['authorization'] ?? '')?.[1] ?? headers['api-key'],
  wantsUsage: (body) => field(field(body, 'stream_options'), 'include_usage') === true,
  encodeResponse,
  encodeStream,
  encodeTerminators,
  encodeNoChoices: (context, stream) => (stream
    ? event(chunk({}, context, { choices: [] }))
    : JSON.stringify({ ...head({}, context), object: 'chat.completion', choices: [] })),
  encodeError: encodeOpenaiError,
  encodeErrorEvent: encodeOpenaiErrorEvent,
  embedWith: () => embedOpenai,
  encodeModels: (models) => ({
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created, owned_by: 'understudy-simulator' })),
  }),
  refuse: refuseOpenai,
  refusal: openaiRefusal,
}

function readSurface({ method, path, body }: DialectRequest): Surface | undefined {
  if ((method === 'GET' || method === 'HEAD') && modelsPath.test(path)) return { kind: 'models' }
  if (method !== 'POST') return undefined
  const embedding = azureEmbeddingsPath.exec(path)?.[1]
  if (embedding !== undefined || embeddingsPath.test(path)) {
    const asked = embedding === undefined ? field(body, 'model') : decoded(embedding)
    return { kind: 'embeddings', model: typeof asked === 'string' && asked !== '' ? asked : undefined }
  }
  const deployment = azurePath.exec(path)?.[1]
  if (deployment === undefined && !chatPath.test(path)) return undefined
  const named = field(body, 'model')
  const model = deployment === undefined ? named : decoded(deployment)
  return {
    kind: 'chat',
    model: typeof model === 'string' && model !== '' ? model : undefined,
    stream: field(body, 'stream') === true,
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function encodeResponse(answer: Answer, context: AnswerContext): Json {
  const { reasoning, refusal, toolCalls = [] } = answer
  const text = textPieces(answer)
  return {
    ...head(answer, context),
    object: 'chat.completion',
    choices: [{
      index: 0,
      message: {
        role: 'assistant',
        content: text.length === 0 && (toolCalls.length > 0 || refusal !== undefined) ? null : text.join(''),
        refusal: refusal ?? null,
        ...(reasoning !== undefined && { reasoning_content: reasoning.join('') }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(wholeToolCall) }),
      },
      logprobs: null,
      finish_reason: finishReason(answer),
    }],
    ...(answer.usage !== false && { usage: usage(answer) }),
  }
}

function encodeStream(answer: Answer, context: AnswerContext, options: StreamOptions): string[] {
  const { duplicateFinish = false, lateText } = options
  const withUsage = answer.usage === 'always' || (context.wantsUsage && answer.usage !== false)
  const extra = withUsage ? { usage: null } : {}
  const delta = (value: Json, finish: string | null = null) => event(chunk(answer, context, {
    choices: [{ index: 0, delta: value, logprobs: null, finish_reason: finish }],
    ...extra,
  }))
  const finish = delta({}, finishReason(answer))
  return [
    delta({ role: 'assistant', content: '', refusal: null }),
    ...(answer.reasoning ?? []).map((piece) => delta({ reasoning_content: piece })),
    ...textPieces(answer).map((piece) => delta({ content: piece })),
    ...(answer.refusal === undefined ? [] : [delta({ refusal: answer.refusal })]),
    ...(answer.toolCalls ?? []).flatMap(toolCallDeltas).map((call) => delta({ tool_calls: [call] })),
    finish,
    ...(duplicateFinish ? [finish] : []),
    ...(withUsage ? [event(chunk(answer, context, { choices: [], usage: usage(answer) }))] : []),
    ...encodeTerminators(options),
    ...(lateText === undefined ? [] : [delta({ content: lateText })]),
  ]
}

function encodeTerminators({ done = 1 }: StreamOptions): string[] {
  return Array.from({ length: done }, () => encodeEvent({ data: '[DONE]' }))
}

function head(answer: Answer, { model, number }: AnswerContext) {
  return {
    id: `chatcmpl-${model}-${number}`,
    created,
    model: answer.model ?? model,
    system_fingerprint: 'fp_simulator',
  }
}

function chunk(answer: Answer, context: AnswerContext, rest: Readonly<Record<string, Json>>): Json {
  return { ...head(answer, context), object: 'chat.completion.chunk', ...rest }
}

function event(data: Json): string {
  return encodeEvent({ data: JSON.stringify(data) })
}

function finishReason({ finishReason: given, toolCalls = [] }: Answer): string {
  return given ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')
}

function usage(answer: Answer): Json {
  if (typeof answer.usage === 'object') return answer.usage
  const tokens = countTokens(answer)
  return { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens }
}

function argumentText(call: ToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
}

function wholeToolCall(call: ToolCall, index: number): Json {
  return {
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentText(call) },
  }
}

function toolCallDeltas(call: ToolCall, index: number): Json[] {
  const opener = {
    index,
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: '' },
  }
  const pieces = call.pieces ?? [argumentText(call)]
  return [opener, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))]
}
