import type { EmbeddingAnswer, EmbeddingCodec, EmbeddingAsk } from '../embedding-codec.js'
import { allVectors, inputTypeOf, textsOf, unsayableOf, vectorOf } from '../embedding-parameters.js'
import { defined, isObject, listOf, numberOf, objectOf } from '../read-json.js'

/** https://ai.google.dev/gemini-api/docs/embeddings#task-types */
const TASKS: ReadonlyMap<string, string> = new Map([
  ['search_document', 'RETRIEVAL_DOCUMENT'],
  ['search_query', 'RETRIEVAL_QUERY'],
  ['classification', 'CLASSIFICATION'],
  ['clustering', 'CLUSTERING'],
])

/** The most that `batchEmbedContents` takes. */
const MAX_REQUESTS = 100

/** https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings: those of the Gemini family take one text. */
const MAX_INSTANCES = 250

/** Models of before a length could be asked for. */
const FIXED = /^(?:(?:models\/)?embedding-001|textembedding-gecko(?:@.*)?|textembedding-gecko-multilingual(?:@.*)?)$/

/** The Gemini API's `batchEmbedContents`. https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
export const geminiEmbeddings: EmbeddingCodec = {
  dialect: 'gemini',
  batchSize: () => MAX_REQUESTS,
  takesDimensions: (model) => !FIXED.test(model),
  unsayable: (ask) => unsayableOf(ask, true),
  encode(ask, model) {
    const name = model.startsWith('models/') || model.startsWith('tunedModels/') ? model : `models/${model}`
    return {
      requests: textsOf(ask).map((text) => defined({
        model: name,
        content: { parts: [{ text }] },
        taskType: taskOf(ask),
        outputDimensionality: ask.dimensions,
      })),
    }
  },
  decode(body) {
    if (!isObject(body) || !Array.isArray(body.embeddings)) return undefined
    const vectors = allVectors(listOf(body.embeddings).map((row) => vectorOf(objectOf(row)?.values)))
    return answerOf(vectors, numberOf(objectOf(body.usageMetadata)?.promptTokenCount))
  },
}

/**
 * Vertex AI's `predict`. A text that is too long is refused, as elsewhere, and not cut. The guide counts in snake case, the reference in
 * camel case: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/Shared.Types/TextEmbedding
 */
export const vertexEmbeddings: EmbeddingCodec = {
  dialect: 'gemini',
  batchSize: (model) => (/(?:^|\/)gemini-/.test(model) ? 1 : MAX_INSTANCES),
  takesDimensions: (model) => !FIXED.test(model),
  unsayable: (ask) => unsayableOf(ask, true),
  encode: (ask) => ({
    instances: textsOf(ask).map((content) => defined({ content, task_type: taskOf(ask) })),
    parameters: defined({ autoTruncate: false, outputDimensionality: ask.dimensions }),
  }),
  decode(body) {
    if (!isObject(body) || !Array.isArray(body.predictions)) return undefined
    const found = listOf(body.predictions).map((row) => objectOf(objectOf(row)?.embeddings))
    const statistics = found.map((row) => objectOf(row?.statistics))
    const counts = statistics.map((row) => numberOf(row?.token_count) ?? numberOf(row?.tokenCount))
    const tokens = counts.some((count) => count === undefined) ? undefined : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    return answerOf(allVectors(found.map((row) => vectorOf(row?.values))), tokens)
  },
}

function taskOf(ask: EmbeddingAsk): string | undefined {
  return TASKS.get(inputTypeOf(ask) ?? '')
}

function answerOf(vectors: readonly (readonly number[])[] | undefined, tokens: number | undefined): EmbeddingAnswer | undefined {
  return vectors && defined({ vectors, tokens })
}
