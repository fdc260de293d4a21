import type { Arrival, Part } from './part.js'
import type { ChatRequest } from './request.js'
import type { StopSignal } from './stop-signal.js'

/** Limits of one attempt, in milliseconds. Absent = the route's, then the default. */
export interface LegLimits {
  /** Until the connection is ready. Default 5 000. */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Until the first content, DNS and connection included. Default 10 000 while another leg is left (60 000 for a leg that
   * reasons first), else `timeoutMs`. A buffered JSON answer has no first content before its end, so there only a value that
   * somebody set counts.
   */
  readonly firstContentTimeoutMs?: number | undefined
  /** Between two events of a committed or collected stream; pings do not feed it. Default 60 000. */
  readonly idleTimeoutMs?: number | undefined
  /** Until the commit of a stream, or the whole of a buffered answer. Default 60 000 while another leg is left, else 120 000. */
  readonly timeoutMs?: number | undefined
  /** The whole of a committed stream. Default none. */
  readonly maxStreamMs?: number | false | undefined
  /** For usage and terminator after the finish reason; then the answer counts as whole. Default 5 000. */
  readonly finishGraceMs?: number | undefined
}

/** What a leg is told about the attempt that it serves. */
export interface LegContext {
  /**
   * Aborted when the attempt is over before its answer is, by a limit, the client or a stop. Must reach the socket. An answer that ends by
   * itself aborts nothing: what has to be let go then belongs into `return` of the arrivals.
   */
  readonly signal: AbortSignal
  /** The same as `signal`, for less: a leg that needs no more than this spares its chain an `AbortSignal` an attempt. */
  readonly stopSignal?: StopSignal | undefined
  /**
   * Ends the connect limit. A leg that never calls it is connected as soon as `open` resolves; a custom leg without a
   * `connectTimeoutMs` of its own has no such limit.
   */
  readonly onConnect: () => void
}

/** A leg's accepted answer (a 2xx, for HTTP), before anything of it was read. */
export interface LegAnswer {
  /**
   * What `Arrival.bytes` are: `events` of a stream, one `json` document, or `none` where only parts come.
   */
  readonly form: 'events' | 'json' | 'none'
  /** Its `next()` must settle soon after the signal aborts. Closed by the core, always. */
  readonly arrivals: AsyncIterable<Arrival>
  /** Headers of the provider that the client may see, lower-case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly providerRequestId?: string | undefined
  /** How many alternative answers this leg was asked for, where its own defaults ask for more than the request. Default the request's. */
  readonly choices?: number | undefined
  /** Told once when the run is committed to this answer: from then on what is no event, such as a comment, may pass. */
  readonly onCommit?: (() => void) | undefined
}

/** Provider + model + limits: one place that a request can be served from. */
export interface Leg {
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
  /** There on a leg that a drill may fail: whether the fault of this attempt was made on purpose, so that it counts against nobody. */
  readonly isDrilled?: (() => boolean) | undefined
  /** What the leg is configured with, where `model` is what one request asks it for. Trails and events say `model`. */
  readonly configuredModel?: string | undefined
  readonly limits?: LegLimits | undefined
  /** Whether the model reasons before it answers, which lengthens the default first-content limit. */
  readonly reasoning?: boolean | undefined
  /** Same-leg retries. Absent = the chain's. */
  readonly retries?: number | undefined
  /** For the order `cost`; only how prices compare matters. Absent = unknown, which comes last. */
  readonly price?: number | undefined
  /** For the order `weighted`: its share of the traffic, 0 or more. 0 = only behind all others. Default 1. */
  readonly weight?: number | undefined
  /**
   * Whether a buffered request is answered with one document, which has no first content before its end, so that the default
   * first-content limit does not count for it. Default false.
   */
  readonly wholeAnswers?: boolean | undefined
  /**
   * What of a request the leg has no words for, by its structural name; `undefined` = it can be asked. Looked at when the run comes
   * to the leg. Absent = the leg can be asked anything.
   */
  readonly untranslatable?: ((request: ChatRequest) => string | undefined) | undefined
  /** Starts the attempt. Rejects with anything; `LegFailedError` says most. */
  readonly open: (request: ChatRequest, context: LegContext) => LegAnswer | Promise<LegAnswer>
}

/** Anything that yields text can be a leg: an SDK client, a local model, a cached or a fixed answer. */
export interface CustomLeg {
  /** Stands for both provider and model in trails and reports. */
  readonly name: string
  readonly limits?: LegLimits | undefined
  readonly reasoning?: boolean | undefined
  readonly retries?: number | undefined
  /** For the order `cost`; see `Leg.price`. */
  readonly price?: number | undefined
  /** For the order `weighted`; see `Leg.weight`. Default 1. */
  readonly weight?: number | undefined
  readonly open: (
    request: ChatRequest,
    context: LegContext,
  ) => AsyncIterable<string | Part> | Promise<AsyncIterable<string | Part>>
}

/** How a leg is called in trails, reports and logs: always `provider/model`, so a custom leg `fixed` reads `fixed/fixed`. */
export function legName(leg: { readonly provider: string; readonly model: string }): string {
  return `${leg.provider}/${leg.model}`
}
