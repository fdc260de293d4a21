import { encodeEvent } from '@understudy/sse'
import type { Answer, Json, ToolCall } from '../script.js'
import type { AnswerContext, Dialect, DialectRequest, StreamOptions, Surface } from './dialect.js'
import { field } from './field.js'
import { encodeOpenaiError, openaiRefusal } from './openai-errors.js'
import { encodeResponsesErrorEvent, refuseResponses } from './responses-errors.js'
import { countTokens, textPieces } from './words.js'

const created = 1_700_000_000
const responsesPath = /^(?:\/v1)?\/responses\/?$/
const azurePath = /^\/openai\/(?:v1\/)?responses\/?$/

/** The vendor's words for those that scripts share with other vendors; every other answer is `completed`. */
const incompleteReasons = new Map(Object.entries({
  length: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  content_filter: 'content_filter',
}))

/** OpenAI Responses, as OpenAI and Azure serve it. Nothing is stored. */
export const responses: Dialect = {
  name: 'responses',
  streamContentType: 'text/event-stream; charset=utf-8',
  readSurface,
  readKey: ({ headers }) => /^bearer\s+(.*)$/i.exec(headers['authorization'] ?? '')?.[1] ?? headers['api-key'],
  wantsUsage: () => true,
  encodeResponse,
  encodeStream,
  // The last event holds the whole response.
  encodeTerminators: ({ done = 1 }) => Array.from({ length: done }, () => event(0, 'response.completed', { response: emptyResponse })),
  encodeNoChoices: (context, stream) => {
    const response = wholeResponse({}, context, [])
    return stream ? event(0, 'response.completed', { response }) : JSON.stringify(response)
  },
  encodeError: encodeOpenaiError,
  encodeErrorEvent: encodeResponsesErrorEvent,
  encodeModels: (models) => ({
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created, owned_by: 'understudy-simulator' })),
  }),
  refuse: refuseResponses,
  refusal: openaiRefusal,
}

const emptyResponse: Json = { id: 'resp_empty', object: 'response', created_at: created, status: 'completed', output: [], usage: null }

function readSurface({ method, path, body }: DialectRequest): Surface | undefined {
  if (method !== 'POST' || !(responsesPath.test(path) || azurePath.test(path))) return undefined
  const model = field(body, 'model')
  return {
    kind: 'chat',
    model: typeof model === 'string' && model !== '' ? model : undefined,
    stream: field(body, 'stream') === true,
  }
}

function encodeResponse(answer: Answer, context: AnswerContext): Json {
  return wholeResponse(answer, context, itemsOf(answer, context).map(({ whole }) => whole))
}

function encodeStream(answer: Answer, context: AnswerContext, options: StreamOptions): string[] {
  const { done = 1, duplicateFinish = false, lateText } = options
  const items = itemsOf(answer, context)
  const events: string[] = []
  const add = (type: string, members: Readonly<Record<string, Json>>) => void events.push(event(events.length, type, members))
  const opening = { response: openResponse(answer, context) }
  add('response.created', opening)
  add('response.in_progress', opening)
  for (const [place, item] of items.entries()) {
    add('response.output_item.added', { output_index: place, item: item.start })
    for (const [type, members] of item.events) add(type, { item_id: item.id, output_index: place, ...members })
    add('response.output_item.done', { output_index: place, item: item.whole })
  }
  const response = wholeResponse(answer, context, items.map(({ whole }) => whole))
  const end = incompleteReason(answer) === undefined ? 'response.completed' : 'response.incomplete'
  for (let count = 0; count < done + (duplicateFinish ? 1 : 0); count++) add(end, { response })
  if (lateText !== undefined) {
    add('response.output_text.delta', { item_id: 'msg_late', output_index: items.length, content_index: 0, delta: lateText, logprobs: [] })
  }
  return events
}

function event(count: number, type: string, members: Readonly<Record<string, Json>>): string {
  return encodeEvent({ event: type, data: JSON.stringify({ type, sequence_number: count, ...members }) })
}

function plain(model: string): string {
  return model.replace(/\W/g, '')
}

function openResponse(answer: Answer, { model, number }: AnswerContext): Json {
  return {
    id: `resp_${plain(model)}${number}`,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: answer.model ?? model,
    output: [],
    usage: null,
  }
}

function wholeResponse(answer: Answer, context: AnswerContext, output: readonly Json[]): Json {
  const reason = incompleteReason(answer)
  return {
    ...(openResponse(answer, context) as Readonly<Record<string, Json>>),
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: answer.usage === false ? null : usage(answer),
  }
}

function incompleteReason({ finishReason }: Answer): string | undefined {
  return finishReason === undefined ? undefined : incompleteReasons.get(finishReason)
}

function usage(answer: Answer): Json {
  if (typeof answer.usage === 'object') return answer.usage
  const tokens = countTokens(answer)
  return {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 10 + tokens,
  }
}

interface Item {
  readonly id: string
  readonly start: Json
  readonly whole: Json
  /** Between its start and its end. */
  readonly events: readonly (readonly [type: string, members: Readonly<Record<string, Json>>])[]
}

function itemsOf(answer: Answer, { model, number }: AnswerContext): readonly Item[] {
  const { reasoning, refusal, toolCalls = [] } = answer
  const texts = textPieces(answer)
  const id = (kind: string, place: number) => `${kind}_${plain(model)}${number}n${place}`
  const before = (reasoning === undefined ? 0 : 1) + (refusal === undefined && texts.length === 0 ? 0 : 1)
  return [
    ...(reasoning === undefined ? [] : [reasoningItem(reasoning, id('rs', 0), `enc-${plain(model)}`)]),
    ...(refusal !== undefined ? [refusalItem(refusal, id('msg', before - 1))] : texts.length > 0 ? [textItem(texts, id('msg', before - 1))] : []),
    ...toolCalls.map((call, index) => callItem(call, index, id('fc', before + index))),
  ]
}

function textItem(pieces: readonly string[], id: string): Item {
  const text = pieces.join('')
  const part = { type: 'output_text', annotations: [], logprobs: [], text }
  return messageItem(id, part, { ...part, text: '' }, [
    ...pieces.map((delta) => ['response.output_text.delta', { delta, logprobs: [] }] as const),
    ['response.output_text.done', { text, logprobs: [] }],
  ])
}

function refusalItem(refusal: string, id: string): Item {
  const part = { type: 'refusal', refusal }
  return messageItem(id, part, { ...part, refusal: '' }, [
    ['response.refusal.delta', { delta: refusal }],
    ['response.refusal.done', { refusal }],
  ])
}

function messageItem(id: string, part: Json, emptyPart: Json, events: Item['events']): Item {
  const head = { id, type: 'message', role: 'assistant' }
  return {
    id,
    start: { ...head, status: 'in_progress', content: [] },
    whole: { ...head, status: 'completed', content: [part] },
    events: [
      ['response.content_part.added', { content_index: 0, part: emptyPart }],
      ...events.map(([type, members]) => [type, { content_index: 0, ...members }] as const),
      ['response.content_part.done', { content_index: 0, part }],
    ],
  }
}

function reasoningItem(pieces: readonly string[], id: string, encrypted: string): Item {
  const text = pieces.join('')
  const part = { type: 'summary_text', text }
  const at = { summary_index: 0 }
  return {
    id,
    start: { id, type: 'reasoning', summary: [] },
    whole: { id, type: 'reasoning', summary: [part], encrypted_content: encrypted },
    events: [
      ['response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }],
      ...pieces.map((delta) => ['response.reasoning_summary_text.delta', { ...at, delta }] as const),
      ['response.reasoning_summary_text.done', { ...at, text }],
      ['response.reasoning_summary_part.done', { ...at, part }],
    ],
  }
}

function callItem(call: ToolCall, index: number, id: string): Item {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  const head = { id, type: 'function_call', call_id: call.id ?? `call_${index}`, name: call.name }
  return {
    id,
    start: { ...head, status: 'in_progress', arguments: '' },
    whole: { ...head, status: 'completed', arguments: text },
    events: [
      ...(call.pieces ?? [text]).map((delta) => ['response.function_call_arguments.delta', { delta }] as const),
      ['response.function_call_arguments.done', { name: call.name, arguments: text }],
    ],
  }
}
