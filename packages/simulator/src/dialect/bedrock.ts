import { encodeEvent } from '@understudy/sse'
import type { Answer, Json, ToolCall } from '../script.js'
import {
  bedrockErrorHeaders,
  bedrockRefusal,
  encodeBedrockError,
  encodeBedrockErrorEvent,
  refuseBedrock,
  refuseBedrockCaller,
} from './bedrock-errors.js'
import type { AnswerContext, Dialect, DialectRequest, StreamOptions, Surface } from './dialect.js'
import { embedCohere, embedTitan } from './embeddings.js'
import { countTokens, textPieces } from './words.js'

const conversePath = /^\/model\/([^/]+)\/(converse|converse-stream)$/

const embedPath = /^\/model\/([^/]+)\/invoke$/

/** The vendor's words for those that scripts share with other vendors. */
const stopReasons = new Map(Object.entries({
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
}))

/** Amazon Bedrock's Converse and ConverseStream. */
export const bedrock: Dialect = {
  name: 'bedrock',
  streamContentType: 'application/vnd.amazon.eventstream',
  framing: { payloadOf: (name, text) => ({ name, text }) },
  readSurface,
  readKey: readBearer,
  refuseCaller: refuseBedrockCaller,
  wantsUsage: () => true,
  encodeResponse,
  encodeStream,
  // What closes its streams are the counts.
  encodeTerminators: () => [],
  encodeNoChoices: (_context, stream) => (stream
    ? event('messageStart', { role: 'assistant' })
    : JSON.stringify({ output: {}, stopReason: 'end_turn', ...counted({}) })),
  encodeError: encodeBedrockError,
  errorHeaders: bedrockErrorHeaders,
  encodeErrorEvent: encodeBedrockErrorEvent,
  embedWith: (model) => (model.includes('amazon.titan-embed') ? embedTitan : model.includes('cohere.embed') ? embedCohere : undefined),
  encodeModels: (models) => ({ modelSummaries: models.map((modelId) => ({ modelId, modelName: modelId })) }),
  refuse: refuseBedrock,
  refusal: bedrockRefusal,
}

function readSurface({ method, path }: DialectRequest): Surface | undefined {
  const [, invoked] = (method === 'POST' ? embedPath.exec(path) : undefined) ?? []
  if (invoked !== undefined && /(?:titan|cohere)[.-]embed/.test(decoded(invoked))) return { kind: 'embeddings', model: decoded(invoked) }
  const [, model, how] = (method === 'POST' ? conversePath.exec(path) : undefined) ?? []
  return model === undefined ? undefined : { kind: 'chat', model: decoded(model), stream: how === 'converse-stream' }
}

/** The token that a caller presents. */
export function readBearer({ headers }: DialectRequest): string | undefined {
  return /^bearer\s+(.*)$/i.exec(headers['authorization'] ?? '')?.[1]
}

/** A segment of a path, decoded if it can be. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function encodeResponse(answer: Answer, context: AnswerContext): Json {
  const content = blocksOf(answer, context).map(({ whole }) => whole)
  return { output: { message: { role: 'assistant', content } }, stopReason: stopReason(answer), ...counted(answer) }
}

function encodeStream(answer: Answer, context: AnswerContext, { done = 1, duplicateFinish = false, lateText }: StreamOptions): string[] {
  const blocks = blocksOf(answer, context)
  const finish = event('messageStop', { stopReason: stopReason(answer) })
  return [
    event('messageStart', { role: 'assistant' }),
    ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start === undefined ? [] : [event('contentBlockStart', { start, contentBlockIndex })]),
      ...deltas.map((delta) => event('contentBlockDelta', { delta, contentBlockIndex })),
      event('contentBlockStop', { contentBlockIndex }),
    ]),
    finish,
    ...(duplicateFinish ? [finish] : []),
    ...Array.from({ length: done }, () => event('metadata', counted(answer))),
    ...(lateText === undefined ? [] : [event('contentBlockDelta', { delta: { text: lateText }, contentBlockIndex: 0 })]),
  ]
}

/** Each event is filled up, so that its length does not tell what it says. */
function event(name: string, members: Readonly<Record<string, Json>>): string {
  return encodeEvent({ event: name, data: JSON.stringify({ ...members, p: 'abcdefghijkl' }) })
}

function stopReason({ finishReason: given, toolCalls = [], refusal }: Answer): string {
  if (given !== undefined) return stopReasons.get(given) ?? given
  if (refusal !== undefined) return 'content_filtered'
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn'
}

function counted(answer: Answer): Readonly<Record<string, Json>> {
  const metrics = { latencyMs: 1 }
  if (answer.usage === false) return { metrics }
  const outputTokens = countTokens(answer)
  const usual = { inputTokens: 10, outputTokens, totalTokens: 10 + outputTokens }
  return { usage: typeof answer.usage === 'object' ? answer.usage : usual, metrics }
}

interface Block {
  readonly whole: Json
  readonly start?: Json
  readonly deltas: readonly Json[]
}

function blocksOf(answer: Answer, { model }: AnswerContext): readonly Block[] {
  const { reasoning, refusal, toolCalls = [] } = answer
  const texts = refusal === undefined ? textPieces(answer) : [refusal]
  return [
    ...(reasoning === undefined ? [] : [thoughtBlock(reasoning, `sig-${model}`)]),
    ...(texts.length === 0 ? [] : [{ whole: { text: texts.join('') }, deltas: texts.map((text) => ({ text })) }]),
    ...toolCalls.map(callBlock),
  ]
}

function thoughtBlock(pieces: readonly string[], signature: string): Block {
  const deltas = [...pieces.map((text) => ({ text })), { signature }]
  return {
    whole: { reasoningContent: { reasoningText: { text: pieces.join(''), signature } } },
    deltas: deltas.map((reasoningContent) => ({ reasoningContent })),
  }
}

function callBlock(call: ToolCall, index: number): Block {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  const named = { toolUseId: call.id ?? `tooluse_${index}`, name: call.name }
  return {
    whole: { toolUse: { ...named, input: parsed(text) } },
    start: { toolUse: named },
    deltas: (call.pieces ?? [text]).map((input) => ({ toolUse: { input } })),
  }
}

/** A script may hold arguments that are no JSON; they stay what they are. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
