import type { EmbeddingAnswer, EmbeddingCodec, Vector } from '../embedding-codec.js'
import { allVectors, packedVectorOf, vectorOf } from '../embedding-parameters.js'
import { defined, isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'

/** https://platform.openai.com/docs/api-reference/embeddings/create */
const MAX_INPUTS = 2_048

/** Of before the third generation: its vectors have one length. */
const FIXED = /^text-embedding-ada-/

/** OpenAI's embeddings, and those of its compatibles. What the client says beside is said again. */
export const openaiEmbeddings: EmbeddingCodec = {
  dialect: 'openai',
  batchSize: () => MAX_INPUTS,
  takesDimensions: (model) => !FIXED.test(model),
  unsayable: () => undefined,
  encode: ({ inputs, dimensions, parameters }, model) => defined({ ...parameters, model, input: inputs, dimensions }),
  decode,
}

function decode(body: unknown): EmbeddingAnswer | undefined {
  if (!isObject(body) || !Array.isArray(body.data)) return undefined
  const rows = inOrder(listOf(body.data).map(objectOf))
  const vectors = allVectors<Vector>(rows.map((row) => packedVectorOf(row?.embedding) ?? vectorOf(row?.embedding)))
  const usage = objectOf(body.usage)
  const tokens = numberOf(usage?.prompt_tokens) ?? numberOf(usage?.total_tokens)
  return vectors && defined({ vectors, tokens, model: textOf(body.model) })
}

/** Each row at its index, or where it stands if it has none. Where two are the same, or one is beyond the rows, a vector is some other input's. */
function inOrder(rows: readonly (JsonObject | undefined)[]): readonly (JsonObject | undefined)[] {
  const placed = new Map(rows.map((row, position) => [row?.index ?? position, row]))
  return rows.map((_row, index) => placed.get(index))
}
