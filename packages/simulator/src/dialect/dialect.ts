import type { Framing } from '../frames.js'
import type { Answer, AwsKeys, ErrorFields, Json, Step } from '../script.js'
import type { Embed } from './embeddings.js'

/** A request as a dialect looks at it. */
export interface DialectRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Without its `?`. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed body; undefined if there is none or it is not JSON. */
  readonly body: unknown
  readonly rawBody: Uint8Array
}

/** What a request asks for, if a dialect knows its path. */
export type Surface =
  | { readonly kind: 'models' }
  | { readonly kind: 'chat', readonly model: string | undefined, readonly stream: boolean }
  | { readonly kind: 'embeddings', readonly model: string | undefined }

/** An error answer before it is bytes. */
export interface DialectError {
  readonly status: number
  readonly body: Json
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Who is let in. */
export interface CallerRules {
  /** The key that callers must present; `undefined` = any. */
  readonly apiKey: string | undefined
  /** The keys that callers must sign with; `undefined` = any. */
  readonly aws: AwsKeys | undefined
  readonly strict: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What an answer needs from its call. */
export interface AnswerContext {
  /** The model that was asked for. */
  readonly model: string
  /** The how-manieth call of that model this is, from 1; ids are made of it. */
  readonly number: number
  /** Whether the request asked for token counts in its stream. */
  readonly wantsUsage: boolean
  /** What the answer of a request for vectors is. Default: it asked for an answer. */
  readonly vectors?: { readonly body: Json; readonly headers?: Readonly<Record<string, string>> | undefined } | undefined
}

/** One vendor's wire format: a file in this folder, and an entry in the list in `dialects.ts`. */
export interface Dialect {
  readonly name: string
  /** What the request asks for; undefined if the path is not this vendor's. */
  readSurface(request: DialectRequest): Surface | undefined
  /** The key the caller presents, if any. */
  readKey(request: DialectRequest): string | undefined
  /** Why the caller is not let in, where it takes more than a look at its key. */
  readonly refuseCaller?: ((request: DialectRequest, rules: CallerRules) => DialectError | undefined) | undefined
  /** The content type of its event streams. */
  readonly streamContentType: string
  /** How its events go out where they are no server-sent events. */
  readonly framing?: Framing | undefined
  wantsUsage(body: unknown): boolean
  /** A whole answer as a JSON body. */
  encodeResponse(answer: Answer, context: AnswerContext): Json
  /** A whole answer as events, each with its blank line, in the order they are sent. */
  encodeStream(answer: Answer, context: AnswerContext, options: StreamOptions): string[]
  /** What closes a stream after its last content, if the vendor has such a thing. */
  encodeTerminators(options: StreamOptions): string[]
  /** An answer without any choice in it, as an event or as a JSON body. */
  encodeNoChoices(context: AnswerContext, stream: boolean): string
  /** The error body for a status; `fields` win over the vendor's usual ones. */
  encodeError(status: number, fields?: ErrorFields): Json
  /** What stands beside that body. */
  readonly errorHeaders?: ((status: number, fields?: ErrorFields) => Readonly<Record<string, string>>) | undefined
  /** An error in the middle of a stream, as an event. */
  encodeErrorEvent(fields?: ErrorFields): string
  /** How it makes vectors with a model. Default: not at all. */
  readonly embedWith?: ((model: string) => Embed | undefined) | undefined
  /** A list of models. */
  encodeModels(models: readonly string[]): Json
  /** Why the vendor would refuse this request though it can read it; undefined if it would not. */
  refuse(body: unknown, rules: RefusalRules): DialectError | undefined
  /** The error for a path, a key, a model or a body that cannot be served. */
  refusal(reason: RefusalReason, detail: string): DialectError
}

/** How much a vendor puts up with. */
export interface RefusalRules {
  readonly strict: boolean
  readonly refuseTrailingAssistant: boolean
  /** Of the request, names in lower case. */
  readonly headers: DialectRequest['headers']
}

/** The part of a step that shapes a stream's events. */
export type StreamOptions = Pick<Step, 'done' | 'duplicateFinish' | 'lateText'>

/** Why a request does not get as far as its script. */
export type RefusalReason = 'unknown_path' | 'no_key' | 'wrong_key' | 'unknown_model' | 'no_model' | 'not_json'
