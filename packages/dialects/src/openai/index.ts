import type { DialectCodec } from '../dialect-codec.js'
import { spliceResponseField, spliceStreamField } from '../splice-field.js'
import { decodeFailure } from './decode-failure.js'
import { decodeRequest, outlineRequest } from './decode-request.js'
import { decodeResponse } from './decode-response.js'
import { createStreamDecoder } from './decode-stream.js'
import { encodeFailure, encodeStreamFailure } from './encode-failure.js'
import { encodeRequest } from './encode-request.js'
import { encodeResponse } from './encode-response.js'
import { createStreamEncoder, STREAM_TERMINATOR } from './encode-stream.js'

/** OpenAI chat completions, and what its many compatibles make of it. */
export const openai: DialectCodec = {
  name: 'openai',
  outlineRequest,
  decodeRequest,
  encodeRequest,
  createStreamDecoder,
  decodeResponse,
  decodeFailure,
  createStreamEncoder,
  encodeResponse,
  encodeFailure,
  encodeStreamFailure,
  streamTerminator: STREAM_TERMINATOR,
  withStreamField: spliceStreamField,
  withResponseField: spliceResponseField,
}
