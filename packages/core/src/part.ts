import type { Failure } from './failure/failure.js'

/** Why a model stopped, in one vocabulary for every dialect. `unknown` keeps its wire value in `FinishPart.raw`. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'unknown'

/** Tokens of an answer as the provider counted them. */
export interface Usage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly totalTokens?: number | undefined
  /** Part of `inputTokens` that came from the provider's cache. */
  readonly cachedInputTokens?: number | undefined
  /** Part of `inputTokens` that was written to the provider's cache. */
  readonly cacheWriteTokens?: number | undefined
  /** Part of `outputTokens` that was spent on reasoning. */
  readonly reasoningTokens?: number | undefined
}

/** The opener of an answer: who speaks, under which id. Never content. */
export interface StartPart {
  readonly type: 'start'
  readonly id?: string | undefined
  readonly model?: string | undefined
  /** Seconds since the epoch. */
  readonly created?: number | undefined
  /** Which build of the model answers, in the words of the OpenAI API. */
  readonly systemFingerprint?: string | undefined
}

/** A piece of the answer's text. An empty one is no content. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
  /** Which of several choices; absent = 0. */
  readonly choice?: number | undefined
}

/** A piece of what the model thinks before it answers. Content as text is, unless its own text is empty. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  /** May be empty, where the part is no more than its signature. */
  readonly text: string
  /** The provider's proof of the thought that ends here, for it to be sent back. */
  readonly signature?: string | undefined
  /** What the provider encrypted in place of a text. */
  readonly redacted?: string | undefined
  readonly choice?: number | undefined
}

/** The model's own words when it declines. */
export interface RefusalPart {
  readonly type: 'refusal'
  readonly text: string
  readonly choice?: number | undefined
}

/** A tool call or a piece of one: the first piece carries `id` and `name`, later ones more of `arguments`; before those, more of the name. */
export interface ToolCallPart {
  readonly type: 'tool-call'
  /** Which of several parallel calls. */
  readonly index: number
  readonly id?: string | undefined
  readonly name?: string | undefined
  /** A piece of the JSON text of the arguments; may be empty. */
  readonly arguments: string
  readonly choice?: number | undefined
}

/** Output that is neither text nor a call (audio, an image). What it is stays in the bytes; that it came is what counts. */
export interface MediaPart {
  readonly type: 'media'
  readonly choice?: number | undefined
}

/** A choice is finished, and why. Usage and the end may follow it. */
export interface FinishPart {
  readonly type: 'finish'
  readonly reason: FinishReason
  /** The reason as the wire said it. */
  readonly raw?: string | undefined
  /** Which of the request's stop sequences was met, where the provider says. */
  readonly stopSequence?: string | undefined
  readonly choice?: number | undefined
}

/** What the provider has counted so far. There may be several in an answer: the later count of each kind holds. */
export interface UsagePart {
  readonly type: 'usage'
  readonly usage: Usage
}

/** The terminal marker of a stream (`[DONE]`, `message_stop`). Nothing follows it. */
export interface EndPart {
  readonly type: 'end'
  /** The whole answer, where the marker brings it: for a client of the same dialect, whose answer is collected. */
  readonly document?: Readonly<Record<string, unknown>> | undefined
}

/** The answer failed in the middle of itself: an error event, an event that cannot be read. Nothing follows it. */
export interface ErrorPart {
  readonly type: 'error'
  readonly failure: Failure
}

/** One neutral item of a model's answer. */
export type Part =
  | StartPart
  | TextPart
  | ReasoningPart
  | RefusalPart
  | ToolCallPart
  | MediaPart
  | FinishPart
  | UsagePart
  | EndPart
  | ErrorPart

/**
 * What arrived in one read. This is what travels through the layers, so that a promise and a write are paid for a read and
 * not for each token.
 */
export interface Arrival {
  /**
   * What the read's events say, in order. Behind the first output text a leg whose bytes are passed on may leave out the parts
   * of events that are proven to be more of it.
   */
  readonly parts: readonly Part[]
  /** The read's whole events as they came, ready for a client of the same dialect; absent if there are none to pass on. */
  readonly bytes?: Uint8Array | undefined
  /** How many events the read completed. Comments and pings are none, so they do not feed the idle limit. */
  readonly events: number
  /** How many events could not be read and were left out because they cannot have carried output. */
  readonly skipped?: number | undefined
  /**
   * How many of the events came before the first that holds output or a finish, while the answer held none: they count as the prelude that
   * they are, however many came in one read. Default 0.
   */
  readonly leading?: number | undefined
}
