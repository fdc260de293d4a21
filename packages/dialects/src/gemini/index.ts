import type { DialectCodec } from '../dialect-codec.js'
import { spliceResponseField } from '../splice-field.js'
import { decodeFailure } from './decode-failure.js'
import { decodeRequest, outlineRequest } from './decode-request.js'
import { decodeResponse } from './decode-response.js'
import { createStreamDecoder } from './decode-stream.js'
import { encodeBareFailure, encodeFailure, encodeStreamFailure } from './encode-failure.js'
import { encodeRequest } from './encode-request.js'
import { encodeResponse } from './encode-response.js'
import { createStreamEncoder, STREAM_TERMINATOR } from './encode-stream.js'
import { mendedMembers } from './mend-contents.js'

/** Gemini's `generateContent` and `streamGenerateContent`, with server-sent events. */
export const gemini: DialectCodec = {
  name: 'gemini',
  modelInPath: true,
  mendedMembers,
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
  encodeBareFailure,
  streamTerminator: STREAM_TERMINATOR,
  // An event is an answer to clients of this dialect, and has no place for a field of ours.
  withStreamField: (frames) => frames,
  withResponseField: spliceResponseField,
}
