/** What a simulator plays: JSON, so that it can stand in a file. Unknown keys are refused. */
export interface Script {
  /** For each model its steps: call n plays step n, the last step repeats. A model that is not here is a 404. */
  readonly models?: Readonly<Record<string, readonly Step[]>> | undefined
  /** Played for every model that `models` does not name, in place of the 404. */
  readonly fallback?: Step | undefined
  /** The key that callers must present (`authorization: Bearer`, or `api-key`); without it any key will do. */
  readonly apiKey?: string | undefined
  /** The keys that callers of Bedrock must sign with; the signature is made anew and compared. Without them any will do. */
  readonly aws?: AwsKeys | undefined
  /** Answer 400 to fields that the vendor's API does not know. Default false. A step's own value wins. */
  readonly strict?: boolean | undefined
}

/** What callers of AWS sign with. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/**
 * What one call gets. `{}` is a healthy answer of `HEALTHY_TEXT`. At most one of `answer`, `body`, `html`, `error`,
 * `empty` and `chunks` says what the body is; everything else bends how it arrives.
 */
export interface Step extends StepBody, StepPacing, StepEvents, StepBytes {
  /** How many calls play this step before the next one does. Default 1; the last step repeats anyway. */
  readonly times?: number | undefined
  /** Play this step for so many ms, counted from the first call that got it; then the next one. Excludes `times`. */
  readonly forMs?: number | undefined
  /** HTTP status. Default 200. 400 and above without a body get the vendor's error body for that status. */
  readonly status?: number | undefined
  /**
   * Response headers; they win over the simulator's own. A value may be filled in when it is sent:
   * `@http-date:+2s`, `@rfc850-date:+2s`, `@asctime-date:+2s`, `@iso-date:+2s`, `@epoch-seconds:+2s`
   * (also `ms`, `m`, and `-`), and `@auto` for the length of the body in `content-length` (left out where only
   * sending tells the length: compressed bodies, other line ends, and bodies that a fault rewrites).
   */
  readonly headers?: Readonly<Record<string, string | number | readonly string[]>> | undefined
  /**
   * What happens to the connection in place of an answer. `accept_stall` never answers, `reset_before_headers` sends
   * RST when the request has been read, `reset_after_headers` sends RST once the status and headers are out.
   * For a refused connection take `refusedUrl()`: a listening port cannot refuse one model.
   */
  readonly connect?: 'accept_stall' | 'reset_before_headers' | 'reset_after_headers' | undefined
  /** Something goes wrong on the way. */
  readonly fault?: Fault | undefined
  /** Answer 400 to fields that the vendor's API does not know. Default: the script's `strict`. */
  readonly strict?: boolean | undefined
  /** Answer 401 unless the caller presents this key. Default: the script's `apiKey`. */
  readonly apiKey?: string | undefined
  /** Answer 403 unless the caller signs with these keys (Bedrock). Default: the script's `aws`. */
  readonly aws?: AwsKeys | undefined
  /** Answer 400 if the last message is the assistant's, as providers without prefilling do. Default false. */
  readonly refuseTrailingAssistant?: boolean | undefined
}

/** What the body of a step is: at most one of these. */
export interface StepBody {
  /** A model's answer, sent as JSON or as events, as the request's `stream` asks. Default: `HEALTHY_TEXT`. */
  readonly answer?: Answer | undefined
  /** A body of your own: a string goes out as it is, anything else as JSON. */
  readonly body?: Json | undefined
  /** `true`: a web page such as a proxy in front of the provider sends. */
  readonly html?: true | undefined
  /** An error in the vendor's envelope; what is left out is filled in by `status`. */
  readonly error?: ErrorFields | undefined
  /**
   * A 200 that is no answer: `bytes` = a body of zero bytes, `done_only` = nothing but `[DONE]`,
   * `no_choices` = `choices: []`, `no_content` = an answer whose content is empty.
   */
  readonly empty?: 'bytes' | 'done_only' | 'no_choices' | 'no_content' | undefined
  /** Bytes played as they are. */
  readonly chunks?: readonly Chunk[] | undefined
  /**
   * Put a running number for `<n>`: 0 in the first chunk that has one, one more in each repetition and in the next.
   * Needs `chunks`. Default false.
   */
  readonly number_chunks?: boolean | undefined
}

/** When a step's bytes are sent. All times in ms; 0 or absent = no wait. */
export interface StepPacing {
  /** Before anything is sent, the status included. */
  readonly delayMs?: number | undefined
  /** Send status and headers at once after `delayMs`. Default false: they go with the first bytes of the body. */
  readonly headersFirst?: boolean | undefined
  /** Before the first event (or the first byte of a JSON body). */
  readonly firstEventDelayMs?: number | undefined
  /** Between events. 0 still gives each event a packet of its own; absent, they share as few as they fit. */
  readonly eventDelayMs?: number | undefined
  /** Send so many bytes at a time, so far apart. Excludes `writeSize`. */
  readonly trickle?: { readonly bytes: number, readonly everyMs: number } | undefined
}

/** How a streamed answer is put into events. */
export interface StepEvents {
  /** How many `[DONE]` close the stream. Default 1. */
  readonly done?: 0 | 1 | 2 | undefined
  /** Send the finish chunk twice. Default false. */
  readonly duplicateFinish?: boolean | undefined
  /** One more content event with this text after `[DONE]`. */
  readonly lateText?: string | undefined
  /** Comment lines (`: ping`) before the first event, or before each event. */
  readonly comments?: 'before' | 'between' | undefined
  /** Blocks sent before the first event, as written (`data: null`, `data:`, `event: ping`); a blank line is added. */
  readonly prefixJunk?: readonly string[] | undefined
  /** Answer with JSON though the request asks for a stream. Default false. */
  readonly jsonForStream?: boolean | undefined
  /** Answer with a stream though the request asks for JSON. Default false. */
  readonly streamForJson?: boolean | undefined
}

/** How a step's bytes look on the wire. */
export interface StepBytes {
  /** Replaces the content type; the body stays what it is. */
  readonly contentType?: string | undefined
  /** Line end of event streams. Default `\n`. */
  readonly lineEnd?: '\n' | '\r\n' | '\r' | undefined
  /** Start the body with a byte order mark. Default false. */
  readonly bom?: boolean | undefined
  /** Bytes per packet: the body is split wherever that falls. Default: as the events come. */
  readonly writeSize?: number | undefined
  /** Compress the body, flushed with each write, and say so in `content-encoding`. Needs nothing from the request. */
  readonly compress?: 'gzip' | 'deflate' | 'br' | undefined
}

/** A model's answer, without a wire format. */
export interface Answer {
  /** The text; an array gives the pieces it is streamed in, a string is streamed word by word. */
  readonly text?: string | readonly string[] | undefined
  /** Reasoning text in pieces, sent before the text. */
  readonly reasoning?: readonly string[] | undefined
  /** A refusal, in place of text. */
  readonly refusal?: string | undefined
  /** Tool calls, sent after the text. */
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** Default `tool_calls` if there are tool calls, else `stop`. */
  readonly finishReason?: string | undefined
  /**
   * Token counts, as the vendor names them. Default: made-up ones that depend on the answer only. A stream carries
   * them if the request asks with `stream_options.include_usage`; `'always'` sends them unasked, `false` never.
   */
  readonly usage?: Readonly<Record<string, Json>> | 'always' | false | undefined
  /** The model the answer names. Default: the one that was asked for. */
  readonly model?: string | undefined
}

/** One tool call of an answer. */
export interface ToolCall {
  /** Default `call_0`, `call_1`, ... */
  readonly id?: string | undefined
  readonly name: string
  /** The arguments: JSON text as it is, or an object. */
  readonly arguments: string | Readonly<Record<string, Json>>
  /** The pieces the arguments are streamed in; they replace `arguments` in streams. Default: one piece. */
  readonly pieces?: readonly string[] | undefined
}

/** The fields of an error body. */
export interface ErrorFields {
  readonly message?: string | undefined
  readonly type?: string | undefined
  readonly code?: string | number | null | undefined
  readonly param?: string | null | undefined
}

/**
 * Something that goes wrong after `afterEvents` whole events or `afterBytes` bytes of the body (before compression);
 * after 0 if neither is given. It does not happen if the body is shorter. In an OpenAI stream event 1 is the role
 * opener, so `afterEvents: 41` cuts after 40 words.
 *
 * | `do` | what the caller sees |
 * | --- | --- |
 * | `reset` | RST |
 * | `close` | the connection ends in the middle of the HTTP message |
 * | `end` | a complete HTTP message that stops too early |
 * | `stall` | nothing more, until it leaves |
 * | `error_event` | an error in an event (`error` says which), then the end of the message |
 * | `malformed_event` | one event cut before any output text, then the rest |
 * | `malformed_text` | one event cut after its output text, then the rest |
 * | `bad_checksum` | one frame whose checksum is wrong, then the rest (where events go out in frames: Bedrock) |
 */
export interface Fault {
  readonly do: 'reset' | 'close' | 'end' | 'stall' | 'error_event' | 'malformed_event' | 'malformed_text' | 'bad_checksum'
  readonly afterEvents?: number | undefined
  readonly afterBytes?: number | undefined
  /** For `error_event`: what it says. Default: the vendor's server error. */
  readonly error?: ErrorFields | undefined
  /** For `error_event`: go on with the rest of the stream in place of ending it. Default false. */
  readonly goOn?: boolean | undefined
  /**
   * For `error_event`: whether it is a JSON body in the stream, without `data:`, or a server-sent event. Default: as the vendor does it,
   * which is bare for Gemini and an event for the others. Frames (Bedrock) stay frames.
   */
  readonly bare?: boolean | undefined
}

/** One piece of a byte script. */
export interface Chunk {
  /** Bytes as UTF-8 text. */
  readonly text?: string | undefined
  /** Bytes as base64, for what is not text. Excludes `text`. */
  readonly b64?: string | undefined
  /** Wait before it, in ms. Before the first chunk this delays the status too, unless `headersFirst`. */
  readonly delay_ms?: number | undefined
  /** How many times it is sent. Default 1. */
  readonly repeat?: number | undefined
  /** Wait between repetitions, in ms. */
  readonly every_ms?: number | undefined
  /** What happens after it: the message ends, RST, or silence. Default: the next chunk; after the last one, `end`. */
  readonly then?: 'end' | 'reset' | 'stall' | undefined
}

/** Anything that JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
