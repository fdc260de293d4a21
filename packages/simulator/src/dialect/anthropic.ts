import { encodeEvent } from '@understudy/sse'
import type { Answer, Json, ToolCall } from '../script.js'
import { anthropicRefusal, encodeAnthropicError, encodeAnthropicErrorEvent, refuseAnthropic } from './anthropic-errors.js'
import type { AnswerContext, Dialect, DialectRequest, StreamOptions, Surface } from './dialect.js'
import { field } from './field.js'
import { countTokens, textPieces } from './words.js'

const messagesPath = /^(?:\/v1)?\/messages\/?$/

/** The vendor's words for those that scripts share with other vendors. */
const stopReasons = new Map(Object.entries({
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}))

/** Anthropic Messages. */
export const anthropic: Dialect = {
  name: 'anthropic',
  streamContentType: 'text/event-stream; charset=utf-8',
  readSurface,
  readKey: ({ headers }) => headers['x-api-key'] ?? /^bearer\s+(.*)$/i.exec(headers['authorization'] ?? '')?.[1],
  wantsUsage: () => true,
  encodeResponse,
  encodeStream,
  encodeTerminators,
  encodeNoChoices: (context, stream) => (stream
    ? event('message_start', { message: { ...head({}, context), content: [], ...ending({}, 'stream') } })
    : JSON.stringify({ ...head({}, context), content: [], ...ending({}, 'whole') })),
  encodeError: encodeAnthropicError,
  encodeErrorEvent: encodeAnthropicErrorEvent,
  encodeModels: (models) => ({
    data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2024-01-01T00:00:00Z' })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  }),
  refuse: refuseAnthropic,
  refusal: anthropicRefusal,
}

function readSurface({ method, path, body }: DialectRequest): Surface | undefined {
  if (method !== 'POST' || !messagesPath.test(path)) return undefined
  const model = field(body, 'model')
  return {
    kind: 'chat',
    model: typeof model === 'string' && model !== '' ? model : undefined,
    stream: field(body, 'stream') === true,
  }
}

function encodeResponse(answer: Answer, context: AnswerContext): Json {
  return { ...head(answer, context), content: blocksOf(answer, context).map(({ whole }) => whole), ...ending(answer, 'whole') }
}

function encodeStream(answer: Answer, context: AnswerContext, options: StreamOptions): string[] {
  const { duplicateFinish = false, lateText } = options
  const { stop_reason: stopReason, stop_sequence: stopSequence } = ending(answer, 'whole')
  const counted = answer.usage === false ? {} : { usage: usage(answer) }
  const finish = event('message_delta', { delta: { stop_reason: stopReason, stop_sequence: stopSequence }, ...counted })
  const blocks = blocksOf(answer, context)
  return [
    event('message_start', { message: { ...head(answer, context), content: [], ...ending(answer, 'stream') } }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...(index === 0 ? [event('ping', {})] : []),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    finish,
    ...(duplicateFinish ? [finish] : []),
    ...encodeTerminators(options),
    ...(lateText === undefined
      ? []
      : [event('content_block_delta', { index: Math.max(0, blocks.length - 1), delta: { type: 'text_delta', text: lateText } })]),
  ]
}

function encodeTerminators({ done = 1 }: StreamOptions): string[] {
  return Array.from({ length: done }, () => event('message_stop', {}))
}

function event(type: string, members: Readonly<Record<string, Json>>): string {
  return encodeEvent({ event: type, data: JSON.stringify({ type, ...members }) })
}

function head(answer: Answer, { model, number }: AnswerContext) {
  return { id: `msg_${model.replace(/\W/g, '_')}_${number}`, type: 'message', role: 'assistant', model: answer.model ?? model }
}

/** Why it stopped and what was counted; at the start of a stream neither is known. */
function ending(answer: Answer, form: 'whole' | 'stream') {
  const counts = usage(answer)
  const counted = answer.usage === false ? {} : { usage: form === 'whole' ? counts : { ...counts, output_tokens: 1 } }
  return { stop_reason: form === 'whole' ? stopReason(answer) : null, stop_sequence: null, ...counted }
}

function stopReason({ finishReason: given, toolCalls = [], refusal }: Answer): string {
  if (given !== undefined) return stopReasons.get(given) ?? given
  if (refusal !== undefined) return 'refusal'
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn'
}

function usage(answer: Answer): Readonly<Record<string, Json>> {
  if (typeof answer.usage === 'object') return answer.usage
  return { input_tokens: 10, output_tokens: countTokens(answer) }
}

interface Block {
  readonly whole: Json
  readonly start: Json
  readonly deltas: readonly Json[]
}

function blocksOf(answer: Answer, { model }: AnswerContext): readonly Block[] {
  const { reasoning, refusal, toolCalls = [] } = answer
  const texts = refusal === undefined ? textPieces(answer) : [refusal]
  const signature = `sig-${model}`
  return [
    ...(reasoning === undefined ? [] : [thinkingBlock(reasoning, signature)]),
    ...(texts.length === 0 ? [] : [textBlock(texts)]),
    ...toolCalls.map(toolBlock),
  ]
}

function textBlock(pieces: readonly string[]): Block {
  return {
    whole: { type: 'text', text: pieces.join('') },
    start: { type: 'text', text: '' },
    deltas: pieces.map((text) => ({ type: 'text_delta', text })),
  }
}

function thinkingBlock(pieces: readonly string[], signature: string): Block {
  return {
    whole: { type: 'thinking', thinking: pieces.join(''), signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })), { type: 'signature_delta', signature }],
  }
}

function toolBlock(call: ToolCall, index: number): Block {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  const named = { type: 'tool_use', id: call.id ?? `toolu_${index}`, name: call.name }
  return {
    whole: { ...named, input: parsed(text) },
    start: { ...named, input: {} },
    deltas: (call.pieces ?? [text]).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
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
