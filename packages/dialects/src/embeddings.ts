import type { Dialect } from '@understudy/core'
import { bedrockEmbeddingsOf } from './bedrock/embeddings.js'
import type { EmbeddingCodec } from './embedding-codec.js'
import { geminiEmbeddings, vertexEmbeddings } from './gemini/embeddings.js'
import { openaiEmbeddings } from './openai/embeddings.js'

/** How a provider of this dialect, at this cloud, makes vectors with this model; `undefined` = it is not known how, or it makes none. */
export function embeddingCodecOf(dialect: Dialect, cloud: 'bedrock' | 'vertex' | undefined, model: string): EmbeddingCodec | undefined {
  switch (dialect) {
    case 'openai':
      return openaiEmbeddings
    case 'gemini':
      return cloud === 'vertex' ? vertexEmbeddings : geminiEmbeddings
    case 'bedrock':
      return bedrockEmbeddingsOf(model)
    case 'anthropic':
    case 'responses':
      return undefined
  }
}
