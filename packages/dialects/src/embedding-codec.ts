import type { Dialect } from '@understudy/core'

/** A text, or the tokens of one, which only an API that made them understands. */
export type EmbeddingInput = string | readonly number[]

/** What is asked of one call, whatever the vendor. */
export interface EmbeddingAsk {
  /** At most as many as the codec's `batchSize`. */
  readonly inputs: readonly EmbeddingInput[]
  /** How long the vectors have to be, where the model is to be told; `undefined` = it has one length, which is not asked for. */
  readonly dimensions: number | undefined
  /** What the client's body says beside `model`, `input` and `dimensions`; OpenAI's names. Never what is ours. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** One vector: numbers, or little-endian floats of 32 bits as base64. */
export type Vector = readonly number[] | string

/** What one call gave. */
export interface EmbeddingAnswer {
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[]
  /** Absent where the vendor does not count. */
  readonly tokens?: number | undefined
  /** Which model answered, where the answer says so. */
  readonly model?: string | undefined
}

/** How one API makes vectors, as pure functions. */
export interface EmbeddingCodec {
  readonly dialect: Dialect
  /** How many inputs a call may have. */
  readonly batchSize: (model: string) => number
  /** Whether `model` can be told how long its vectors have to be. */
  readonly takesDimensions: (model: string) => boolean
  /** The structural name of what the API cannot say of a request; `undefined` = it can say all of it. Looks at no more than is asked. */
  readonly unsayable: (ask: EmbeddingAsk) => string | undefined
  readonly encode: (ask: EmbeddingAsk, model: string) => Record<string, unknown>
  /** Reads a body that was JSON; `undefined` for one that is no answer. Names of headers in lower case. */
  readonly decode: (body: unknown, headers: Readonly<Record<string, string | undefined>>) => EmbeddingAnswer | undefined
}
