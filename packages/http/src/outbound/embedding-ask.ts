import type { ChatRequest } from '@understudy/core'
import type { EmbeddingInput } from '@understudy/dialects'

/** A request for vectors, in the form of every request of a run: it has no turns, and is not streamed. */
export interface EmbeddingRequest extends ChatRequest {
  readonly embedding: EmbeddingTask
}

/** What a client asked for. */
export interface EmbeddingTask {
  readonly inputs: readonly EmbeddingInput[]
  /** How long each vector has to be. */
  readonly dimensions: number
  /** How the client reads vectors. */
  readonly format: 'float' | 'base64'
  /** What its body says beside `model`, `input` and `dimensions`; nothing that is ours. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What the request of a run asks vectors of. Throws for one that asks for none. */
export function embeddingOf(request: ChatRequest | EmbeddingRequest): EmbeddingTask {
  if ('embedding' in request) return request.embedding
  throw new TypeError('a request that asks for no embeddings')
}
