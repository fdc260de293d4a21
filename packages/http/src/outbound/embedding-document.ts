import type { Usage } from '@understudy/core'
import type { EmbeddingAnswer, Vector } from '@understudy/dialects'

import type { EmbeddingTask } from './embedding-ask.js'

const FLOAT_BYTES = 4

/** How long a vector is; `undefined` for base64 that holds no whole floats. */
export function lengthOf(vector: Vector): number | undefined {
  if (typeof vector !== 'string') return vector.length
  const bytes = Buffer.byteLength(vector, 'base64')
  return bytes % FLOAT_BYTES === 0 ? bytes / FLOAT_BYTES : undefined
}

/** Whether all vectors are written as the client reads them. */
export function isWrittenFor(answer: EmbeddingAnswer, { format }: EmbeddingTask): boolean {
  return answer.vectors.every((vector) => (typeof vector === 'string') === (format === 'base64'))
}

/**
 * One OpenAI document of the answers of all calls, in their order. Counts are summed; they are 0 where the provider counts nothing, since
 * clients take them for numbers.
 */
export function embeddingDocument(answers: readonly EmbeddingAnswer[], { format }: EmbeddingTask, model: string): Buffer {
  const vectors = answers.flatMap((answer) => answer.vectors)
  const tokens = tokensOf(answers) ?? 0
  return Buffer.from(JSON.stringify({
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? base64Of(vector) : floatsOf(vector),
    })),
    model: answers.find((answer) => answer.model !== undefined)?.model ?? model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }))
}

/** What the calls counted together; `undefined` if one of them did not count. */
export function usageOf(answers: readonly EmbeddingAnswer[]): Usage | undefined {
  const tokens = tokensOf(answers)
  return tokens === undefined ? undefined : { inputTokens: tokens, outputTokens: 0 }
}

function tokensOf(answers: readonly EmbeddingAnswer[]): number | undefined {
  if (answers.some(({ tokens }) => tokens === undefined)) return undefined
  return answers.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
}

/** Byte by byte, so that the machine's own order of bytes does not matter. */
function base64Of(vector: Vector): string {
  if (typeof vector === 'string') return vector
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES)
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * FLOAT_BYTES))
  return bytes.toString('base64')
}

function floatsOf(vector: Vector): readonly number[] {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_each, index) => bytes.readFloatLE(index * FLOAT_BYTES))
}
