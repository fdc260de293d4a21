import type { Failure, Part } from '@understudy/core'
import type { JsonObject } from './read-json.js'

/**
 * What an event is to its dialect. `plain`: nothing but output text of the first choice. `event`: anything else of the
 * dialect. `ping`: a sign of life that says nothing, so it counts for no event and passes as a comment does. `junk`: JSON that
 * is none of its events. `last`: the event behind which nothing comes, which clients need to see; its last part is `end`.
 */
export type EventNature = 'plain' | 'event' | 'ping' | 'junk' | 'last'

/** What a dialect knows about the events of its streams. Its state is one stream's. */
export interface EventDialect {
  /** Appends what an event says to `parts`. An `error` or `end` part, as the last, ends the stream. */
  read(value: unknown, name: string | undefined, parts: Part[]): EventNature
  /** Whether this data, which is no JSON, ends the stream. */
  isTerminator(data: string): boolean
  /** What an event means that is named as an error and holds no JSON. */
  readFailure(text: string): Failure
  /** What a frame means that has no data, where a vendor writes an error into its streams as it is. Default: nothing. */
  readBare?(text: string): Failure | undefined
  /**
   * The name of the member that says the only text of a plain event, as one string; `undefined` where something else says it. Asked where
   * parts are wanted.
   */
  textKeyOf(event: JsonObject): string | undefined
  /** Told of the text of an event that was known to be as the last plain one, where parts are wanted. Default: nobody wants to know. */
  saidPlain?(text: string): void
  /**
   * Asked behind each event that was read and is passed on: what goes before its text, where clients cannot do without. `hasSkipped`:
   * whether an event was left out, which may have said it. Default: nothing is ever missing.
   */
  missingOpener?(value: unknown, hasSkipped: boolean): string | undefined
  /** A source without events whose whole text is this. */
  readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array | undefined }
  /** Before a value that is output, in text that cannot be parsed: see `mayHaveCarriedOutput`. */
  readonly outputKeys: RegExp
  /** Names of the strings that a plain event may vary in: see `createPlainLook`. */
  readonly plainKeys: readonly string[]
  /** Names of the whole numbers that a plain event may vary in. Default: none. */
  readonly plainNumbers?: readonly string[] | undefined
}
