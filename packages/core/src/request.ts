/** A wire format. */
export type Dialect = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'responses'

/** Where the bytes of an image or file are. */
export type MediaSource =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }

/** That the provider is asked to keep what a request says up to here, for later ones that begin in the same way. */
interface Cacheable {
  /** A hint: it changes what an answer costs, and who has no word for it leaves it out. Default false. */
  readonly cachePoint?: boolean | undefined
}

/** One piece of a message. */
export type ContentBlock =
  | ({ readonly type: 'text'; readonly text: string } & Cacheable)
  | ({ readonly type: 'image'; readonly source: MediaSource; readonly detail?: string | undefined } & Cacheable)
  | ({ readonly type: 'file'; readonly source: MediaSource; readonly name?: string | undefined } & Cacheable)
  /**
   * What the model thought in an earlier turn. `signature` is its provider's proof of it, `redacted` what the provider encrypted
   * in place of a text; another provider leaves the block out.
   */
  | {
      readonly type: 'reasoning'
      readonly text: string
      readonly signature?: string | undefined
      readonly redacted?: string | undefined
    }
  /** Something only the client's own dialect can say; `feature` names it structurally. */
  | { readonly type: 'other'; readonly feature: string; readonly value: unknown }

/** A call of a tool that an earlier assistant turn made. */
export interface ToolCall extends Cacheable {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** One turn of the conversation. Of the turns themselves, those of tools only can be cached up to: the others by their content. */
export interface Message extends Cacheable {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: readonly ContentBlock[]
  readonly name?: string | undefined
  /** Assistant turns only. */
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** Tool turns only: the call that this is the result of. */
  readonly toolCallId?: string | undefined
  /** Tool turns only: the call failed, and the content says why. Default false. */
  readonly isError?: boolean | undefined
}

/** A function that the model may call. */
export interface Tool extends Cacheable {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  /** Whether the arguments must follow the schema exactly. */
  readonly strict?: boolean | undefined
}

/** That the answer must be JSON, and of which shape. */
export type ResponseFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema'
      readonly schema: Readonly<Record<string, unknown>>
      readonly name?: string | undefined
      readonly strict?: boolean | undefined
    }

/**
 * Whether the model calls tools: as it thinks fit (`auto`), never (`none`), at least one (`required`), or the one that is named.
 * Absent = as the provider has it.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** What the client asked, whatever dialect it spoke. */
export interface ChatRequest {
  /** The dialect of `body`. Absent when the request never was on a wire. */
  readonly dialect?: Dialect | undefined
  /** What the client put into `model`. */
  readonly model?: string | undefined
  /** Whether the client reads a stream. */
  readonly stream: boolean
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** `false`: at most one tool call a turn. */
  readonly parallelToolCalls?: boolean | undefined
  /** Absent = plain text. */
  readonly responseFormat?: ResponseFormat | undefined
  // As the client said them, unchecked: only a leg's own dialect knows what it can say, and is untranslatable where it cannot.
  /** The most tokens of an answer, those of reasoning among them. Absent = the provider's default; where its API demands one, the model's limit. */
  readonly maxTokens?: number | undefined
  /** How free the choice of each token is; 0 = least. Absent = the provider's default. */
  readonly temperature?: number | undefined
  /** Chooses among the likeliest tokens that make up this share of the chances, 0 to 1. Absent = the provider's default. */
  readonly topP?: number | undefined
  /** Chooses among so many of the likeliest tokens. Absent = the provider's default. */
  readonly topK?: number | undefined
  /** The same number asks for the same answer, as far as the provider can. Absent = none. */
  readonly seed?: number | undefined
  /** Against tokens that have been written already; 0 = none. Absent = the provider's default. */
  readonly presencePenalty?: number | undefined
  /** The same, by how often they have been written. Absent = the provider's default. */
  readonly frequencyPenalty?: number | undefined
  /** Texts that end the answer where the model would write one. Absent = none. */
  readonly stop?: readonly string[] | undefined
  /** How many alternative answers are asked for. Default 1. */
  readonly choices?: number | undefined
  /** Whether the client asked the model to reason first. */
  readonly reasoning?: boolean | undefined
  /** How hard, in the words of the vendors: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`. */
  readonly reasoningEffort?: string | undefined
  /** The most tokens that may be spent on reasoning; they count towards `maxTokens`. */
  readonly reasoningBudget?: number | undefined
  /**
   * Names of the fields of `body` that would change the answer and that the neutral form has no word for. Each makes a leg of
   * another dialect untranslatable.
   */
  readonly unsaid?: readonly string[] | undefined
  /**
   * What only the dialect of the legs that are asked can say, in its own words: laid over the body that a leg is sent. Who sets it asks no
   * leg of another dialect. Default nothing.
   */
  readonly native?: Readonly<Record<string, unknown>> | undefined
  /** The client's body in its own dialect, transport fields taken out; never mutated. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

/** A `ChatRequest` as a person writes it: a turn's content may be a plain string, and a stream is the default. */
export interface ChatRequestInput extends Omit<ChatRequest, 'messages' | 'stream'> {
  readonly messages: readonly (Omit<Message, 'content'> & { readonly content: string | readonly ContentBlock[] })[]
  readonly stream?: boolean | undefined
}

/** Fills in what a person may leave out. Throws a `TypeError` without `messages`. */
export function chatRequestOf(input: ChatRequestInput): ChatRequest {
  if (!hasMessages(input)) {
    throw new TypeError('run: `messages` must be an array of turns, as in { messages: [{ role: \'user\', content: \'Hello\' }] }')
  }
  return {
    ...input,
    stream: input.stream ?? true,
    messages: input.messages.map((message) => ({
      ...message,
      content: typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content,
    })),
  }
}

/** Who writes plain JavaScript is told what is missing. */
function hasMessages(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || !('messages' in input)) return false
  const { messages } = input
  return Array.isArray(messages) && messages.every((message) => typeof message === 'object' && message !== null)
}
