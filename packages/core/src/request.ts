/** A wire format. */
export type Dialect = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'responses'

/** Where the bytes of an image or file are. */
export type MediaSource =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }

/** One piece of a message. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: MediaSource; readonly detail?: string | undefined }
  | { readonly type: 'file'; readonly source: MediaSource; readonly name?: string | undefined }
  /** Something only the client's own dialect can say; `feature` names it structurally. */
  | { readonly type: 'other'; readonly feature: string; readonly value: unknown }

/** A call of a tool that an earlier assistant turn made. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** One turn of the conversation. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: readonly ContentBlock[]
  readonly name?: string | undefined
  /** Assistant turns only. */
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** Tool turns only: the call that this is the result of. */
  readonly toolCallId?: string | undefined
}

export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
}

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
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly stop?: readonly string[] | undefined
  /** How many alternative answers are asked for. Default 1. */
  readonly choices?: number | undefined
  /** Whether the client asked the model to reason first. */
  readonly reasoning?: boolean | undefined
  /** The client's body in its own dialect, transport fields taken out; never mutated. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}
