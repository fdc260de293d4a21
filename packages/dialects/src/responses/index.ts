import type { DialectCodec } from '../dialect-codec.js'
import { spliceResponseField } from '../splice-field.js'
import { decodeFailure } from './decode-failure.js'
import { decodeRequest, outlineRequest } from './decode-request.js'
import { decodeResponse } from './decode-response.js'
import { createStreamDecoder } from './decode-stream.js'
import { encodeFailure, encodeStreamFailure } from './encode-failure.js'
import { encodeRequest } from './encode-request.js'
import { echoOf, encodeResponse } from './encode-response.js'
import { createStreamEncoder, STREAM_TERMINATOR } from './encode-stream.js'
import { mendedMembers, unknownState } from './mend-input.js'

/** OpenAI Responses. */
export const responses: DialectCodec = {
  name: 'responses',
  mendedMembers,
  unknownState,
  outlineRequest,
  decodeRequest,
  encodeRequest,
  createStreamDecoder,
  decodeResponse,
  decodeFailure,
  createStreamEncoder,
  encodeResponse,
  echoOf,
  encodeFailure,
  encodeStreamFailure,
  streamTerminator: STREAM_TERMINATOR,
  // Clients of this dialect check the type of every event, so that none has a place for a field of ours.
  withStreamField: (frames) => frames,
  withResponseField: spliceResponseField,
}
