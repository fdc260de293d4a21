import type { ProviderCodec } from '../dialect-codec.js'
import { decodeFailure } from './decode-failure.js'
import { decodeResponse } from './decode-response.js'
import { createStreamDecoder } from './decode-stream.js'
import { encodeRequest } from './encode-request.js'
import { isClaude } from './model-fields.js'

/** Amazon Bedrock's Converse and ConverseStream. No client speaks it here. */
export const bedrock: ProviderCodec = {
  name: 'bedrock',
  modelInPath: true,
  encodeRequest,
  createStreamDecoder,
  decodeResponse,
  decodeFailure,
  proofsOf: (model) => (isClaude(model) ? 'anthropic' : undefined),
}
