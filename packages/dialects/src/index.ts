export { anthropicOnBedrock, anthropicOnVertex } from './anthropic/hosted.js'
export { anthropic } from './anthropic/index.js'
export { encodeFrame } from './bedrock/encode-frame.js'
export { bedrock } from './bedrock/index.js'
export { embeddingCodecOf } from './embeddings.js'
export { gemini } from './gemini/index.js'
export { openai } from './openai/index.js'
export { responses } from './responses/index.js'
export { providerMessageOf } from './provider-message.js'
export { readRetryAfterMs } from './retry-after.js'
export { createSayableParts } from './sayable-parts.js'
export { UntranslatableRequestError, isUntranslatableRequestError } from './untranslatable.js'

export type { DecodedResponse } from './decode-document.js'
export type { EmbeddingAnswer, EmbeddingAsk, EmbeddingCodec, EmbeddingInput, Vector } from './embedding-codec.js'
export type { Frame } from './bedrock/encode-frame.js'
export type {
  ClientError,
  DialectCodec,
  FailedAnswer,
  ProviderCodec,
  RequestOutline,
  ResponseEncoderOptions,
  ResponseSituation,
  StreamDecoder,
  StreamDecoderOptions,
  StreamEncoder,
  StreamEncoderOptions,
} from './dialect-codec.js'
