export { anthropic } from './anthropic/index.js'
export { gemini } from './gemini/index.js'
export { openai } from './openai/index.js'
export { readRetryAfterMs } from './retry-after.js'
export { createSayableParts } from './sayable-parts.js'
export { UntranslatableRequestError, isUntranslatableRequestError } from './untranslatable.js'

export type {
  ClientError,
  DialectCodec,
  FailedAnswer,
  RequestOutline,
  ResponseEncoderOptions,
  ResponseSituation,
  StreamDecoder,
  StreamDecoderOptions,
  StreamEncoder,
  StreamEncoderOptions,
} from './dialect-codec.js'
