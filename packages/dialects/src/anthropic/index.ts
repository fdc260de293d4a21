import type { DialectCodec } from '../dialect-codec.js'
import { spliceResponseField } from '../splice-field.js'
import { decodeFailure } from './decode-failure.js'
import { decodeRequest, outlineRequest } from './decode-request.js'
import { decodeResponse } from './decode-response.js'
import { createStreamDecoder } from './decode-stream.js'
import { encodeFailure, encodeStreamFailure } from './encode-failure.js'
import { encodeRequest } from './encode-request.js'
import { encodeResponse } from './encode-response.js'
import { createStreamEncoder, STREAM_TERMINATOR } from './encode-stream.js'
import { mendedMembers } from './mend-messages.js'

/** Anthropic Messages. */
export const anthropic: DialectCodec = {
  name: 'anthropic',
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
  streamTerminator: STREAM_TERMINATOR,
  // Clients of this dialect check the type of every event, so that none has a place for a field of ours.
  withStreamField: (frames) => frames,
  withResponseField: spliceResponseField,
}
