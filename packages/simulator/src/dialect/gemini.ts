import { encodeEvent } from '@understudy/sse'
import type { Answer, Json, ToolCall } from '../script.js'
import type { AnswerContext, Dialect, DialectRequest, StreamOptions, Surface } from './dialect.js'
import { embedGemini } from './embeddings.js'
import { encodeGeminiError, encodeGeminiErrorEvent, geminiRefusal, refuseGemini } from './gemini-errors.js'
import { countTokens, textPieces } from './words.js'

const contentPath = /^\/v1(?:alpha|beta)?\/models\/(.+):(generateContent|streamGenerateContent)$/
const batchPath = /^\/v1(?:alpha|beta)?\/models\/(.+):batchEmbedContents$/
const modelsPath = /^\/v1(?:alpha|beta)\/models\/?$/

/** The vendor's words for those that scripts share with other vendors. */
const finishReasons = new Map(Object.entries({
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
}))

type PartJson = Readonly<Record<string, Json>>

/** Gemini. A stream is one of events, whatever `alt` says. */
export const gemini: Dialect = {
  name: 'gemini',
  streamContentType: 'text/event-stream',
  readSurface,
  readKey: ({ headers }) => headers['x-goog-api-key'] ?? /^bearer\s+(.*)$/i.exec(headers['authorization'] ?? '')?.[1],
  wantsUsage: () => true,
  encodeResponse,
  encodeStream,
  // Nothing closes its streams.
  encodeTerminators: () => [],
  encodeNoChoices: (context, stream) => {
    const answer = answerOf({}, context, [], { promptTokenCount: 10, totalTokenCount: 10 })
    return stream ? event(answer) : JSON.stringify(answer)
  },
  encodeError: encodeGeminiError,
  encodeErrorEvent: encodeGeminiErrorEvent,
  embedWith: () => embedGemini,
  encodeModels: (models) => ({
    models: models.map((name) => ({ name: `models/${name}`, displayName: name, supportedGenerationMethods: ['generateContent'] })),
  }),
  refuse: refuseGemini,
  refusal: geminiRefusal,
}

function readSurface({ method, path }: DialectRequest): Surface | undefined {
  if ((method === 'GET' || method === 'HEAD') && modelsPath.test(path)) return { kind: 'models' }
  const [, embedding] = (method === 'POST' ? batchPath.exec(path) : undefined) ?? []
  if (embedding !== undefined) return { kind: 'embeddings', model: decoded(embedding) }
  const [, model, how] = (method === 'POST' ? contentPath.exec(path) : undefined) ?? []
  return model === undefined ? undefined : { kind: 'chat', model: decoded(model), stream: how === 'streamGenerateContent' }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function encodeResponse(answer: Answer, context: AnswerContext): Json {
  const reasoning = answer.reasoning === undefined ? [] : [thought(answer.reasoning.join(''))]
  const texts = textsOf(answer)
  const parts = [...reasoning, ...(texts.length === 0 ? [] : [{ text: texts.join('') }]), ...callsOf(answer, context)]
  return answerOf(answer, context, [candidate(parts, finishReason(answer))], usage(answer))
}

function encodeStream(answer: Answer, context: AnswerContext, options: StreamOptions): string[] {
  const { duplicateFinish = false, lateText } = options
  const calls = callsOf(answer, context)
  const pieces = [...(answer.reasoning ?? []).map(thought), ...textsOf(answer).map((text): PartJson => ({ text })), ...calls]
  const finish = event(answerOf(answer, context, [candidate([{ text: '' }], finishReason(answer))], usage(answer)))
  const said = (part: PartJson, counted: Json | undefined) => event(answerOf(answer, context, [candidate([part])], counted))
  return [
    // Counts are cumulative.
    ...pieces.map((part, index) => said(part, soFar(answer, index + 1))),
    finish,
    ...(duplicateFinish ? [finish] : []),
    ...(lateText === undefined ? [] : [said({ text: lateText }, undefined)]),
  ]
}

function event(data: Json): string {
  return encodeEvent({ data: JSON.stringify(data) })
}

function answerOf(answer: Answer, { model, number }: AnswerContext, candidates: readonly Json[], counted: Json | undefined): Json {
  return {
    candidates,
    ...(counted === undefined ? {} : { usageMetadata: counted }),
    modelVersion: answer.model ?? model,
    responseId: `resp-${model}-${number}`,
  }
}

function candidate(parts: readonly PartJson[], finish?: string): Json {
  return {
    content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
    ...(finish === undefined ? {} : { finishReason: finish }),
    index: 0,
  }
}

function thought(text: string): PartJson {
  return { text, thought: true }
}

function textsOf(answer: Answer): readonly string[] {
  return answer.refusal === undefined ? textPieces(answer) : [answer.refusal]
}

/** Calls, whole; the first one proves the thought before it. */
function callsOf({ toolCalls = [], reasoning }: Answer, { model }: AnswerContext): readonly PartJson[] {
  return toolCalls.map((call, index) => ({
    functionCall: { ...(call.id === undefined ? {} : { id: call.id }), name: call.name, args: argumentsOf(call) },
    ...(index === 0 && reasoning !== undefined ? { thoughtSignature: `sig-${model}` } : {}),
  }))
}

/** A script may hold arguments that are no JSON; they stay what they are. */
function argumentsOf(call: ToolCall): Json {
  if (typeof call.arguments !== 'string') return call.arguments
  try {
    return JSON.parse(call.arguments) as Json
  } catch {
    return call.arguments
  }
}

function finishReason({ finishReason: given, refusal }: Answer): string {
  if (given !== undefined) return finishReasons.get(given) ?? given
  return refusal === undefined ? 'STOP' : 'SAFETY'
}

function usage(answer: Answer): Json | undefined {
  if (answer.usage === false) return undefined
  if (typeof answer.usage === 'object') return answer.usage
  const tokens = countTokens(answer)
  return { promptTokenCount: 10, candidatesTokenCount: tokens, totalTokenCount: 10 + tokens }
}

function soFar(answer: Answer, tokens: number): Json | undefined {
  if (answer.usage === false || typeof answer.usage === 'object') return undefined
  return { promptTokenCount: 10, candidatesTokenCount: tokens, totalTokenCount: 10 + tokens }
}
