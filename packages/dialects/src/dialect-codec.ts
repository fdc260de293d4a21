import type { Arrival, ChatRequest, Dialect, Failure, Part } from '@understudy/core'
import type { DecodedResponse } from './decode-document.js'

/**
 * A dialect as providers speak it, as pure functions: no I/O, no timers. Everything above it is blind to which dialect it is. This is all
 * there is of one that no client speaks.
 */
export interface ProviderCodec {
  readonly name: Dialect
  /**
   * Whether the API says in the path which model is asked, and whether for a stream, so that neither stands in a body that is sent.
   * `outlineRequest` and `decodeRequest` read both from members `model` and `stream` all the same. Default false.
   */
  readonly modelInPath?: boolean | undefined
  /**
   * Members that stand in every body that is sent, over what a client of the same dialect says; `passed` are its headers that reach such a
   * leg, names in lower case. Default none.
   */
  readonly ownMembers?:
    | ((streamed: boolean, passed: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>)
    | undefined
  /**
   * Members to be sent to `model` in place of those of a body that holds what an answer of ours had to make up or could not have, and that
   * the vendor would refuse; one that is `undefined` is left out. Default, and `undefined`: the body holds nothing of the kind.
   */
  mendedMembers?(body: Readonly<Record<string, unknown>>, model: string): Readonly<Record<string, unknown>> | undefined
  /**
   * The structural name of what a body goes on from that no provider of this dialect can know, since an answer of ours made it up and the
   * body says only its id; such a body is not sent. Default, and `undefined`: nothing of the kind.
   */
  unknownState?(body: Readonly<Record<string, unknown>>): string | undefined
  /** What has to be known of every body before a leg is asked. Cheap: it looks at a few top-level fields. Absent where no client speaks it. */
  outlineRequest?(body: Readonly<Record<string, unknown>>): RequestOutline
  /**
   * A body of this dialect that asks `model` for the same. Made new each time; shares nested values with the request.
   *
   * Throws an `UntranslatableRequestError` for what this dialect cannot say.
   */
  encodeRequest(request: ChatRequest, model: string): Record<string, unknown>
  /** A decoder for one stream. */
  createStreamDecoder(options: StreamDecoderOptions): StreamDecoder
  /**
   * A whole JSON answer as parts: openers, content, finish reasons, usage, `end`. One `error` part if it is no answer
   * (an error object, no choices, no JSON). An answer without output gives no content part: whether that is `empty`,
   * the core decides.
   */
  decodeResponse(body: Uint8Array, situation: ResponseSituation): DecodedResponse
  /** What an answer outside 2xx means. */
  decodeFailure(answer: FailedAnswer): Failure
  /**
   * The dialect whose clients can send back the proofs of thoughts in answers of `model`, since its own providers take them too; `undefined`
   * if none can. Default: only this one's.
   */
  proofsOf?(model: string): Dialect | undefined
}

/** A dialect that clients speak too. */
export interface DialectCodec extends ProviderCodec {
  outlineRequest(body: Readonly<Record<string, unknown>>): RequestOutline
  /**
   * The neutral reading of a body. Never throws: what it cannot read is absent, and what the neutral form has no word
   * for is named in `ChatRequest.unsaid` and in `other` blocks. `body` becomes `ChatRequest.body` as it is.
   */
  decodeRequest(body: Readonly<Record<string, unknown>>): ChatRequest
  /** An encoder for one stream towards a client. */
  createStreamEncoder(options: StreamEncoderOptions): StreamEncoder
  /**
   * What a body says that an answer of this dialect says again: for `ResponseEncoderOptions.asked`. Default: an answer says nothing of
   * what was asked.
   */
  echoOf?(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** A whole answer towards a client. `error` and `end` parts say nothing here. */
  encodeResponse(parts: readonly Part[], options: ResponseEncoderOptions): Record<string, unknown>
  /** The JSON body of an error towards a client. */
  encodeFailure(error: ClientError): { readonly body: Record<string, unknown> }
  /** The one event that ends a failed stream towards a client. No terminator follows it. */
  encodeStreamFailure(error: ClientError): Uint8Array
  /**
   * What stands behind that event for a vendor's own client that takes an error for one only where it is read alone: to be written apart from
   * the event, a moment later. To a reader of events it says nothing. Default: nothing.
   */
  encodeBareFailure?(error: ClientError): Uint8Array
  /** What ends a stream that went well, where events are passed on as they came. */
  readonly streamTerminator: Uint8Array
  /**
   * The same frames with `"key":json` put in first place of their first JSON event; unchanged if there is none. A
   * splice: nothing is parsed, unless the event may hold that key: then its own member is taken out. `json` must be JSON text on
   * one line.
   */
  withStreamField(frames: Uint8Array, key: string, json: string): Uint8Array
  /**
   * The same JSON body with `"key":json` in first place; unchanged if it is no object. Else as `withStreamField`. `members`: what
   * `decodeResponse` said of this body, which spares a search of all of it.
   */
  withResponseField(body: Uint8Array, key: string, json: string, members?: readonly string[]): Uint8Array
}

/** The little of a body that has to be known before a leg is asked. */
export interface RequestOutline {
  readonly model: string | undefined
  /** Whether the client reads a stream. */
  readonly stream: boolean
  /** How many alternative answers are asked for. */
  readonly choices: number
  /** Whether the client asked the model to reason first. */
  readonly reasoning: boolean
  /** Whether the client asked for usage in its stream. */
  readonly includeUsage: boolean
}

/** How one stream is read. */
export interface StreamDecoderOptions {
  /**
   * `bytes`: arrivals carry the events as they came, for a client of the same dialect. `parts`: they carry parts only,
   * and every event is parsed.
   */
  readonly forward: 'bytes' | 'parts'
  /** The most bytes that one event may have. Default 8 MiB. A larger one fails the stream as `malformed`. */
  readonly maxFrameBytes?: number | undefined
  /**
   * `false` parses every event in full: slower, and the same in every other respect. Default `true`.
   */
  readonly look?: boolean | undefined
}

/**
 * Reads one stream. Nothing comes after an `error` or an `end` part. Never throws.
 *
 * From the first output text on, an event that a cheap and exact look proves to be more of it is not parsed. With `forward: 'bytes'` it
 * gives no part.
 */
export interface StreamDecoder {
  /** What these bytes completed; `undefined` if nothing that matters. */
  push(bytes: Uint8Array): Arrival | undefined
  /**
   * To be called once, at the end of the source: what only its end completes. A stream that just stops gives nothing.
   */
  end(): Arrival | undefined
  /** From here on, with `forward: 'bytes'`, comments are passed on. */
  committed(): void
}

/** What is known of a whole answer beside its body. */
export interface ResponseSituation {
  readonly status: number
  /**
   * Whether the client gets the bytes themselves, so that no text of the parts is read: it may then hold one character a
   * byte, and of a long one only the beginning. An `error` part is right in any case. Default false.
   */
  readonly isForwarded?: boolean | undefined
}

/** An answer that was no success, as far as it was read. */
export interface FailedAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The text of the body, perhaps cut. */
  readonly body: string
  /** Milliseconds since the epoch, to turn a date in Retry-After into a wait. */
  readonly now: number
}

/** What an answer is written with beside its parts. */
export interface ResponseEncoderOptions {
  /** Used where the answer has no id of its own. */
  readonly id: string
  /** Which model made the answer; wins over what the answer says. Absent = what the answer says. */
  readonly model?: string | undefined
  /** Seconds since the epoch, used where the answer does not say when. */
  readonly created: number
  /**
   * Whether another dialect's leg made the answer, so that its proofs of thoughts stay behind: no other provider takes them, but for those
   * of `ProviderCodec.proofsOf`, whose answers are none of these. Default false.
   */
  readonly isForeign?: boolean | undefined
  /** What `echoOf` took of the client's body. Default: nothing. */
  readonly asked?: Readonly<Record<string, unknown>> | undefined
}

/** What a stream is written with beside its parts. */
export interface StreamEncoderOptions extends ResponseEncoderOptions {
  /** Whether the client asked for usage. */
  readonly includeUsage: boolean
}

/** Writes one stream. */
export interface StreamEncoder {
  /** The events that say these parts; `undefined` if they say nothing. `error` and `end` parts say nothing here. */
  push(parts: readonly Part[]): Uint8Array | undefined
  /** To be called once, when the answer is whole: what was held back for the end (usage), then the terminator. */
  end(): Uint8Array
  /**
   * The one event that ends it where it failed, in place of the codec's `encodeStreamFailure`, for a dialect that counts its events.
   * Default: the codec's.
   */
  fail?(error: ClientError): Uint8Array
}

/** An error as a client is told it. */
export interface ClientError {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  /** Path of the request's field that is at fault. */
  readonly param?: string | undefined
  /** A row for each leg, ready for JSON. */
  readonly failures?: readonly Readonly<Record<string, unknown>>[] | undefined
  /** Ready for JSON. */
  readonly attempts?: unknown
  readonly requestId?: string | undefined
}
