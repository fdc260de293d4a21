import type { Json } from '../script.js'
import { field } from './field.js'
import { base64Of, tokensOf, vectorOf } from './vectors.js'

/** What becomes of a request for vectors: the vendor's words for what is wrong with it, or its answer. */
export type Embedded =
  | { readonly fault: string }
  | { readonly body: Json; readonly headers?: Readonly<Record<string, string>> | undefined }

/** How one API makes vectors. `strict` refuses what the vendor does not know. */
export type Embed = (body: unknown, model: string, strict: boolean) => Embedded

/** https://platform.openai.com/docs/api-reference/embeddings/create */
export const embedOpenai: Embed = (body, model, strict) => {
  const unknown = strict ? unknownIn(body, ['model', 'input', 'dimensions', 'encoding_format', 'user']) : undefined
  if (unknown !== undefined) return { fault: `Unknown parameter: '${unknown}'.` }
  const inputs = openaiInputs(field(body, 'input'))
  if (inputs === undefined || inputs.length > 2_048) return { fault: "'$.input' is invalid. Please check the API reference." }
  const asked = field(body, 'dimensions')
  if (asked !== undefined && model.includes('ada-002')) return { fault: 'This model does not support specifying dimensions.' }
  const dimensions = lengthOf(asked, model.includes('3-large') ? 3_072 : 1_536)
  if (dimensions === undefined) return { fault: `Invalid value for 'dimensions' = ${String(asked)}.` }
  const inBase64 = field(body, 'encoding_format') === 'base64'
  const tokens = inputs.reduce((sum, text) => sum + tokensOf(text), 0)
  return {
    body: {
      object: 'list',
      data: inputs.map((text, index) => {
        const vector = vectorOf(model, text, dimensions)
        return { object: 'embedding', index, embedding: inBase64 ? base64Of(vector) : vector }
      }),
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
  }
}

/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
export const embedGemini: Embed = (body, model, strict) => {
  const requests = listOf(field(body, 'requests'))
  if (requests.length === 0) return { fault: 'BatchEmbedContentsRequest.requests: value is required' }
  if (requests.length > 100) return { fault: 'at most 100 requests can be in one batch' }
  const unknown = strict
    ? unknownIn(body, ['requests']) ?? requests.map((each) => unknownIn(each, ['model', 'content', 'taskType', 'title', 'outputDimensionality'])).find(Boolean)
    : undefined
  if (unknown !== undefined) return { fault: `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.` }
  if (requests.some((each) => field(each, 'model') !== `models/${model}`)) return { fault: 'the model of a request must match that of the batch' }
  const values = requests.map((each) => {
    const [part] = listOf(field(field(each, 'content'), 'parts'))
    const dimensions = lengthOf(field(each, 'outputDimensionality'), 3_072)
    const text = field(part, 'text')
    return typeof text === 'string' && dimensions !== undefined ? vectorOf(model, text, dimensions) : undefined
  })
  const found = values.filter((vector) => vector !== undefined)
  if (found.length < values.length) return { fault: 'content is empty' }
  return { body: { embeddings: found.map((vector) => ({ values: vector })) } }
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export const embedVertex: Embed = (body, model) => {
  const texts = listOf(field(body, 'instances')).map((each) => field(each, 'content'))
  const most = model.startsWith('gemini-') ? 1 : 250
  if (texts.length === 0 || texts.length > most) return { fault: `${texts.length} instance(s) is not allowed. Maximum number allowed: ${most}` }
  const dimensions = lengthOf(field(field(body, 'parameters'), 'outputDimensionality'), model.startsWith('gemini-') ? 3_072 : 768)
  if (dimensions === undefined || !texts.every((text) => typeof text === 'string' && text !== '')) return { fault: 'The text content is empty.' }
  return {
    body: {
      predictions: texts.map(String).map((text) => ({
        embeddings: { statistics: { truncated: false, token_count: tokensOf(text) }, values: vectorOf(model, text, dimensions) },
      })),
    },
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
export const embedTitan: Embed = (body, model) => {
  const isSecond = model.includes('embed-text-v2')
  const unknown = unknownIn(body, isSecond ? ['inputText', 'dimensions', 'normalize', 'embeddingTypes'] : ['inputText'])
  if (unknown !== undefined) return { fault: `Malformed input request: #: extraneous key [${unknown}] is not permitted` }
  const text = field(body, 'inputText')
  if (typeof text !== 'string' || text === '') return { fault: 'Malformed input request: expected minLength: 1, actual: 0' }
  const dimensions = isSecond ? lengthOf(field(body, 'dimensions'), 1_024) : 1_536
  if (dimensions === undefined || (isSecond && ![256, 512, 1_024].includes(dimensions))) {
    return { fault: 'Malformed input request: #/dimensions: is not a valid enum value' }
  }
  const inputTextTokenCount = tokensOf(text)
  return { body: { embedding: vectorOf(model, text, dimensions), inputTextTokenCount }, headers: counted(inputTextTokenCount) }
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html */
export const embedCohere: Embed = (body, model) => {
  const isFourth = model.includes('embed-v4')
  const known = ['texts', 'input_type', 'truncate', 'embedding_types', ...(isFourth ? ['output_dimension', 'max_tokens'] : [])]
  const unknown = unknownIn(body, known)
  if (unknown !== undefined) return { fault: `Malformed input request: #: extraneous key [${unknown}] is not permitted` }
  const texts = listOf(field(body, 'texts')).filter((text) => typeof text === 'string')
  if (texts.length === 0 || texts.length > 96) return { fault: 'Malformed input request: #/texts: expected maximum item count: 96' }
  if (typeof field(body, 'input_type') !== 'string') return { fault: 'Malformed input request: #: required key [input_type] not found' }
  const dimensions = isFourth ? lengthOf(field(body, 'output_dimension'), 1_536) : 1_024
  if (dimensions === undefined) return { fault: 'Malformed input request: #/output_dimension: is not a valid enum value' }
  const vectors = texts.map((text) => vectorOf(model, text, dimensions))
  const byType = field(body, 'embedding_types') !== undefined
  return {
    body: {
      id: 'embed-simulator',
      texts,
      response_type: byType ? 'embeddings_by_type' : 'embeddings_floats',
      embeddings: byType ? { float: vectors } : vectors,
    },
    headers: counted(texts.reduce((sum, text) => sum + tokensOf(text), 0)),
  }
}

function counted(tokens: number): Readonly<Record<string, string>> {
  return { 'x-amzn-bedrock-input-token-count': String(tokens) }
}

function openaiInputs(input: unknown): readonly string[] | undefined {
  const list = Array.isArray(input) && !isTokens(input) ? (input as readonly unknown[]) : [input]
  const texts = list.map((item) => (isTokens(item) ? item.join(' ') : item)).filter((item) => typeof item === 'string' && item !== '')
  return texts.length === 0 || texts.length < list.length ? undefined : texts.map(String)
}

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number')
}

function lengthOf(value: unknown, usual: number): number | undefined {
  if (value === undefined) return usual
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function unknownIn(value: unknown, known: readonly string[]): string | undefined {
  return typeof value === 'object' && value !== null ? Object.keys(value).find((key) => !known.includes(key)) : undefined
}
