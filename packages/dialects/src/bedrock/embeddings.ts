import type { EmbeddingCodec } from '../embedding-codec.js'
import { allVectors, inputTypeOf, textsOf, unsayableOf, vectorOf } from '../embedding-parameters.js'
import { defined, isObject, listOf, numberOf, objectOf } from '../read-json.js'

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html */
const MAX_TEXTS = 96

/** Bedrock counts what it bills in a header, where a body does not. */
const COUNT_HEADER = 'x-amzn-bedrock-input-token-count'

/**
 * Amazon's Titan, by InvokeModel: one text a call.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
 */
const titanEmbeddings: EmbeddingCodec = {
  dialect: 'bedrock',
  batchSize: () => 1,
  takesDimensions: (model) => /titan-embed-text-v2/.test(model),
  unsayable: (ask) => unsayableOf(ask, false),
  encode: (ask) => defined({ inputText: textsOf(ask)[0] ?? '', dimensions: ask.dimensions }),
  decode(body, headers) {
    const vector = isObject(body) ? vectorOf(body.embedding) : undefined
    const tokens = isObject(body) ? numberOf(body.inputTextTokenCount) ?? countOf(headers) : undefined
    return vector && defined({ vectors: [vector], tokens })
  },
}

/** Cohere's models, by InvokeModel. They make other vectors for what is searched than for what it is searched with: default the former. */
const cohereEmbeddings: EmbeddingCodec = {
  dialect: 'bedrock',
  batchSize: () => MAX_TEXTS,
  takesDimensions: (model) => /embed-v(?:[4-9]|\d{2})/.test(model),
  unsayable: (ask) => unsayableOf(ask, true),
  encode: (ask) => defined({
    texts: textsOf(ask),
    input_type: inputTypeOf(ask) ?? 'search_document',
    truncate: 'NONE',
    embedding_types: ['float'],
    output_dimension: ask.dimensions,
  }),
  decode(body, headers) {
    if (!isObject(body)) return undefined
    const rows = Array.isArray(body.embeddings) ? body.embeddings : objectOf(body.embeddings)?.float
    const vectors = Array.isArray(rows) ? allVectors(listOf(rows).map(vectorOf)) : undefined
    return vectors && defined({ vectors, tokens: countOf(headers) })
  },
}

/** The codec of a model by its name, which may have a region in front of it or be the end of an ARN. */
export function bedrockEmbeddingsOf(model: string): EmbeddingCodec | undefined {
  if (/(?:^|[./])amazon\.titan-embed-(?:text|g1)/.test(model)) return titanEmbeddings
  return /(?:^|[./])cohere\.embed-/.test(model) ? cohereEmbeddings : undefined
}

function countOf(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = headers[COUNT_HEADER]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
