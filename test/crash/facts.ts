import type { ReadAnswer } from '../cases/read-answer.js'

/** What a client has in the end. `half`: a part of the answer that looks like the whole of it. */
export type Outcome = 'answer' | 'error' | 'half' | 'hang'

/** One of several requests. */
export interface LaterRequest {
  /** In ms since the first was sent. */
  readonly at: number
  readonly outcome: Outcome
}

/** What came of one play of a scenario. */
export interface Facts {
  readonly answer: ReadAnswer
  readonly outcome: Outcome
  /** Equal to the sixty words, white space folded. */
  readonly isWhole: boolean
  readonly tookMs: number
  /** When the first leg was called, in ms since the request was sent. */
  readonly calls: readonly number[]
  readonly otherCalls: number
  /** Every model that the answer names. */
  readonly models: readonly string[]
  /** How long the healthy request afterwards took; undefined if it was not answered whole within ten seconds. */
  readonly healthyMs: number | undefined
  /** The requests behind the first one, of a scenario that sends several. */
  readonly later: readonly LaterRequest[]
  /** A time of the catalogue as it is in this profile. */
  readonly divide: (ms: number) => number
}
