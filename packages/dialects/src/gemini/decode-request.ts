import type { ChatRequest, Message, ResponseFormat } from '@understudy/core'
import type { RequestOutline } from '../dialect-codec.js'
import { defined, isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { sanitiseName } from '../sanitise-name.js'
import { createCallIds } from './call-ids.js'
import { camelMembers } from './camel-members.js'
import { decodePart } from './content-parts.js'
import { decodeTools } from './decode-tools.js'
import { decodeTurn } from './decode-turn.js'
import { jsonSchemaOf } from './open-api-schema.js'

/** Fields that the neutral form has words for. https://ai.google.dev/api/generate-content */
const SAID = new Set(['model', 'stream', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'])

/** Fields that change who pays, how fast it goes, what is kept or what the vendor's own filters let through. */
const HINTS = new Set(['safetySettings', 'labels', 'store', 'serviceTier'])

/** The same of `generationConfig`. */
const SAID_OF_CONFIG = new Set([
  'temperature', 'topP', 'topK', 'maxOutputTokens', 'stopSequences', 'candidateCount', 'seed', 'presencePenalty', 'frequencyPenalty',
  'responseMimeType', 'responseSchema', 'responseJsonSchema', 'thinkingConfig',
])

/** Values that say no more than the field's absence. */
const NEUTRAL_VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['responseLogprobs', (value: unknown) => value === false],
  ['responseModalities', (value: unknown) => listOf(value).every((modality) => modality === 'TEXT')],
])

/**
 * The few fields of a body that the run needs before a leg is asked. `model` and `stream` are read from members of these names, since
 * the API says both in the path. A stream of this dialect always counts its tokens.
 */
export function outlineRequest(body: Readonly<Record<string, unknown>>): RequestOutline {
  const config = configOf(camelMembers(body))
  return {
    model: textOf(body['model']),
    stream: body['stream'] === true,
    choices: numberOf(config.candidateCount) ?? 1,
    reasoning: readThinking(config.thinkingConfig).reasoning ?? false,
    includeUsage: true,
  }
}

/** The neutral reading of a body; `model` and `stream` as `outlineRequest` reads them. */
export function decodeRequest(given: Readonly<Record<string, unknown>>): ChatRequest {
  const body = camelMembers(given)
  const config = configOf(body)
  const { tools, choice, unsaid: ofTools } = decodeTools(body.tools, body.toolConfig)
  const stop = listOf(config.stopSequences).flatMap((sequence) => textOf(sequence) ?? [])
  const unsaid = [...unsaidOf(body, SAID, ''), ...unsaidOf(config, SAID_OF_CONFIG, 'generationConfig.'), ...unsaidFormat(config), ...ofTools]
  const ids = createCallIds()
  return defined<ChatRequest>({
    dialect: 'gemini',
    model: textOf(body.model),
    stream: body.stream === true,
    messages: [...systemTurn(body.systemInstruction), ...listOf(body.contents).filter(isObject).flatMap((turn) => decodeTurn(turn, ids))],
    tools: tools.length === 0 ? undefined : tools,
    toolChoice: choice,
    responseFormat: decodeFormat(config),
    maxTokens: numberOf(config.maxOutputTokens),
    temperature: numberOf(config.temperature),
    topP: numberOf(config.topP),
    topK: numberOf(config.topK),
    seed: numberOf(config.seed),
    presencePenalty: numberOf(config.presencePenalty),
    frequencyPenalty: numberOf(config.frequencyPenalty),
    stop: stop.length === 0 ? undefined : stop,
    choices: numberOf(config.candidateCount),
    ...readThinking(config.thinkingConfig),
    unsaid: unsaid.length === 0 ? undefined : unsaid,
    body: given,
  })
}

function configOf(body: JsonObject): JsonObject {
  return camelMembers(objectOf(body.generationConfig) ?? {})
}

function systemTurn(instruction: unknown): readonly Message[] {
  const parts = listOf(objectOf(instruction)?.parts).filter(isObject).map(camelMembers)
  return parts.length === 0 ? [] : [{ role: 'system', content: parts.flatMap(decodePart) }]
}

/** https://ai.google.dev/gemini-api/docs/thinking: a budget of 0 is none, and -1 leaves it to the model. */
function readThinking(value: unknown): Pick<ChatRequest, 'reasoning' | 'reasoningBudget' | 'reasoningEffort'> {
  const { thinkingBudget, thinkingLevel, includeThoughts } = camelMembers(objectOf(value) ?? {})
  const budget = numberOf(thinkingBudget)
  const level = textOf(thinkingLevel)?.toLowerCase()
  if (budget === 0) return { reasoning: false }
  if (budget !== undefined) return budget > 0 ? { reasoning: true, reasoningBudget: budget } : { reasoning: true }
  if (level !== undefined && level !== 'thinking_level_unspecified') return { reasoning: true, reasoningEffort: level }
  return includeThoughts === true ? { reasoning: true } : {}
}

/** A schema is asked for without `strict`, which elsewhere takes only schemas that are closed. */
function decodeFormat(config: JsonObject): ResponseFormat | undefined {
  const openApi = objectOf(config.responseSchema)
  const schema = objectOf(config.responseJsonSchema) ?? (openApi === undefined ? undefined : jsonSchemaOf(openApi))
  if (config.responseMimeType !== 'application/json') return undefined
  return schema === undefined ? { type: 'json' } : { type: 'json-schema', schema }
}

function unsaidFormat({ responseMimeType: type }: JsonObject): readonly string[] {
  const isSaid = !isSet(type) || type === 'application/json' || type === 'text/plain'
  return isSaid ? [] : ['generationConfig.responseMimeType']
}

function unsaidOf(object: JsonObject, said: ReadonlySet<string>, prefix: string): readonly string[] {
  return Object.keys(object)
    .filter((key) => isSet(object[key]) && !said.has(key) && NEUTRAL_VALUES.get(key)?.(object[key]) !== true)
    .filter((key) => prefix !== '' || !HINTS.has(key))
    .map((key) => `${prefix}${sanitiseName(key)}`)
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}
