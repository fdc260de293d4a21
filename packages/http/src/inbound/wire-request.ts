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
  /** What only the dialect of the legs that are asked can say. Default nothing. */
  readonly native?: ChatRequest['native']
}

/**
 * A request that came over HTTP. Its neutral reading is made when a leg first asks for it: a leg of the client's own dialect never
 * does.
 */
export function createWireRequest(parts: WireParts): WireRequest {
  return new ReceivedRequest(parts)
}

/** A class, for the sake of its getter: one in an object literal gives each object a shape of its own. */
class ReceivedRequest implements WireRequest {
  readonly dialect: WireRequest['dialect']
  readonly model: string | undefined
  readonly stream: boolean
  readonly choices: number
  readonly reasoning: boolean
  readonly body: Readonly<Record<string, unknown>>
  readonly raw: Uint8Array | undefined
  readonly passHeaders: Record<string, string> | undefined
  scanned: WireRequest['scanned']
  readonly #codec: DialectCodec
  readonly #native: ChatRequest['native']
  #read: ChatRequest | undefined

  constructor({ codec, outline, body, raw, headers, native }: WireParts) {
    this.dialect = codec.name
    this.model = outline.model
    this.stream = outline.stream
    this.choices = outline.choices
    this.reasoning = outline.reasoning
    this.body = body
    this.raw = raw
    this.passHeaders = passedHeaders(headers)
    this.#codec = codec
    this.#native = native
  }

  neutral(): ChatRequest {
    return (this.#read ??= this.#decoded())
  }

  #decoded(): ChatRequest {
    const read = this.#codec.decodeRequest(withoutTransportFields(this.body))
    return this.#native === undefined ? read : { ...read, native: this.#native }
  }

  get messages(): ChatRequest['messages'] {
    return this.neutral().messages
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
