import { isMarked } from '@understudy/core'

/** What a source holds now. */
export type SourceReading =
  /** The text or the value of the document, as the store has it; `etag` is given back with the next `read`. */
  | { readonly type: 'document'; readonly document: unknown; readonly etag?: string | undefined }
  /** What was read last, by the `etag` that was given, still holds. */
  | { readonly type: 'unchanged' }
  /** The store answers and holds no document. `why` = a person may have got the place wrong: told of even if there never was one. Free of secrets. */
  | { readonly type: 'none'; readonly why?: string | undefined }

/** How a document is to be written. */
export interface DocumentWrite {
  /** The version that the store has to hold for the write to happen; 0 = it holds no document. */
  readonly expectedVersion: number
  readonly signal: AbortSignal
}

/**
 * Where the live document of the chains stands: a file, an HTTP address, a store. It only moves documents: what one means, and whether
 * it is applied, is judged by who reads it. Each method may reject; that changes nothing of what is running. `signal` ends a call that
 * takes too long or that nobody waits for any more.
 */
export interface ChainSource {
  /** What a person calls it: `file`, `http`, `redis`. Stands in snapshots, logs and messages; free of secrets. */
  readonly name: string
  /** Reads the document. A text is parsed as JSON by the caller; a value is taken as it is. */
  readonly read: (request: { readonly etag?: string | undefined; readonly signal: AbortSignal }) => Promise<SourceReading>
  /**
   * Tells, as often as it likes, that the document may have changed, so that it is read at once and not at the next poll. Gives back
   * what ends that. It never throws: a store that cannot push any more is polled.
   */
  readonly watch?: ((changed: () => void) => () => void) | undefined
  /**
   * Compare-and-set: stores the document only if the store still holds `expectedVersion`. Rejects with a `VersionConflictError` if it
   * does not. Absent = the source can only be read.
   */
  readonly write?: ((document: ChainDocumentJson, write: DocumentWrite) => Promise<void>) | undefined
  /** Keeps an entry of the history where all processes see it. Absent = a bounded local log keeps it. The same entry may come from each process. */
  readonly record?: ((entry: HistoryEntry, signal: AbortSignal) => Promise<void>) | undefined
  /** The history, newest first. */
  readonly history?: ((query: HistoryQuery) => Promise<readonly HistoryEntry[]>) | undefined
  /** Lets go of everything it opened itself, and of nothing that was passed in. */
  readonly close?: (() => Promise<void>) | undefined
}

/** What a history is asked for. */
export interface HistoryQuery {
  /** At most so many entries. */
  readonly limit: number
  /** Only the entry of this version. Default every version. */
  readonly version?: number | undefined
  readonly signal: AbortSignal
}

/** A document as it stands in a store and in files: snake_case. */
export type ChainDocumentJson = Readonly<Record<string, unknown>>

/** What became of a document. */
export type HistoryOutcome = 'applied' | 'rejected' | 'reverted'

/** One document in the history. JSON, so that a store can keep it as it is. */
export interface HistoryEntry {
  /** `undefined` where a rejected document had none that could be read. */
  readonly version: number | undefined
  readonly outcome: HistoryOutcome
  /** Who wrote it. */
  readonly actor: string | undefined
  readonly reason: string | undefined
  /** The document; absent where it was no JSON object or was too large to keep. */
  readonly document: ChainDocumentJson | undefined
  /** The document that ran before it; absent = the chain in code. */
  readonly previous: ChainDocumentJson | undefined
  /** What was wrong with it; empty if it was applied. */
  readonly issues: readonly string[]
  /** When it was judged. Milliseconds since the epoch. */
  readonly at: number
}

const VERSION_CONFLICT = Symbol.for('understudy.VersionConflictError')

/** The store holds another version than the writer thought: somebody was quicker. Read again, decide again. */
export class VersionConflictError extends Error {
  override readonly name = 'VersionConflictError'
  readonly code = 'version_conflict'
  /** The version that the store holds; `undefined` if the store does not say. */
  readonly actualVersion: number | undefined
  readonly expectedVersion: number

  constructor(expectedVersion: number, actualVersion?: number) {
    super(`version ${expectedVersion} was expected, and the store holds ${actualVersion ?? 'another one'}: somebody was quicker`)
    this.expectedVersion = expectedVersion
    this.actualVersion = actualVersion
    Object.defineProperty(this, VERSION_CONFLICT, { value: true })
  }
}

/** Recognises a `VersionConflictError`, from another copy of this package too. */
export function isVersionConflictError(value: unknown): value is VersionConflictError {
  return isMarked(value, VERSION_CONFLICT)
}
