import type { ChatRequest } from '@understudy/core'
import type { DialectCodec, RequestOutline } from '@understudy/dialects'

import { TRANSPORT_FIELDS } from '../outbound/request-body.js'
import type { WireRequest } from '../outbound/wire-request.js'
import { PASSED_HEADERS } from '../outbound/wire-request.js'
import type { InboundHeaders } from './request.js'

/** A validated body and where it came from. */
export interface WireParts {
  readonly codec: DialectCodec
  /** Of `body`. */
  readonly outline: RequestOutline
  readonly body: Readonly<Record<string, unknown>>
  readonly raw: Uint8Array | undefined
  readonly headers: InboundHeaders
}

/**
 * A request that came over HTTP. Its neutral reading is made when a leg first asks for it: a leg of the client's own dialect never
 * does.
 */
export function createWireRequest({ codec, outline, body, raw, headers }: WireParts): WireRequest {
  const { model, stream, choices, reasoning } = outline
  let read: ChatRequest | undefined
  const neutral = (): ChatRequest => (read ??= codec.decodeRequest(withoutTransportFields(body)))
  return {
    dialect: codec.name,
    model,
    stream,
    choices,
    reasoning,
    body,
    raw,
    passHeaders: passedHeaders(headers),
    neutral,
    get messages() {
      return neutral().messages
    },
  }
}

function withoutTransportFields(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(body)
  if (!keys.some((key) => TRANSPORT_FIELDS.has(key))) return body
  return Object.fromEntries(keys.filter((key) => !TRANSPORT_FIELDS.has(key)).map((key) => [key, body[key]]))
}

function passedHeaders(headers: InboundHeaders): Record<string, string> | undefined {
  let passed: Record<string, string> | undefined
  for (const name of PASSED_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') passed = { ...passed, [name]: value }
  }
  return passed
}
