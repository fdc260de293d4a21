import type { HistoryEntry } from '@understudy/config'
import type { FailedRun, FailureKind } from '@understudy/core'

/** Who changes a chain, and why. Both stand in the history, in logs and in events. */
export interface ChangeAuthor {
  /** Not empty. */
  readonly actor: string
  /** Not empty. */
  readonly reason: string
  /** The version that the person saw; another one by now is a `VersionConflictError`. Default: whatever version is live. */
  readonly expectedVersion?: number | undefined
}

/** Selects a preset of a route for a time. */
export interface PinRequest extends ChangeAuthor {
  readonly route: string
  readonly preset: string
  /** Until it reverts by itself, in ms. Default 4 h, at most 7 days. */
  readonly forMs?: number | undefined
}

/** Brings a route back. */
export interface RouteChange extends ChangeAuthor {
  readonly route: string
}

/** Makes an earlier document live again, under a new version. */
export interface RestoreRequest extends ChangeAuthor {
  readonly version: number
}

/** What a change came to. */
export interface ChangeResult {
  /** The version that is live now. */
  readonly version: number
  /** What was live before it. */
  readonly previousVersion: number
}

/** What a route runs, or would run. */
export interface RouteState {
  /** As `provider/model`. */
  readonly legs: readonly string[]
  /** Absent where the route has no presets. */
  readonly preset?: string | undefined
  readonly marking?: string | undefined
}

/** What a revert would come to. */
export interface RevertPreview {
  /** The change that would be undone. */
  readonly undoes: Pick<HistoryEntry, 'version' | 'actor' | 'reason' | 'at'>
  /** What the route would run then. */
  readonly to: RouteState
}

/** What of a route is tried. */
export interface TrialOptions {
  /** Default the chain that it runs. */
  readonly preset?: string | undefined
  /** Ends the trial. */
  readonly signal?: AbortSignal | undefined
}

/** What one leg answered when it was asked alone. */
export interface LegTrial {
  readonly provider: string
  readonly model: string
  readonly ok: boolean
  /** The beginning of its answer, at most 80 characters; absent if it failed. */
  readonly answer?: string | undefined
  /** Why it failed: the kind of the failure, else what ended the trial; `no_model`: a leg `provider/*`, which has the model of each request. */
  readonly kind?: FailureKind | FailedRun['cause'] | 'no_model' | undefined
  readonly status?: number | undefined
  readonly firstContentMs?: number | undefined
  readonly totalMs: number
}

/** Changes the chains of a running `Fallback`. Each change is written to the source with compare-and-set and applied here at once. */
export interface ChainControl {
  /** Rejects with a `ChainControlError` if the source cannot be written, or the route or preset is unknown. */
  readonly pin: (request: PinRequest) => Promise<ChangeResult>
  /** Selects `normal` again. If that is selected already nothing is written, and both versions of the result are the same. */
  readonly unpin: (request: RouteChange) => Promise<ChangeResult>
  /** Undoes the last change of the route: its entry as it was before it. A revert is such a change too. */
  readonly revert: (request: RouteChange) => Promise<ChangeResult>
  /** What `revert` would do to a route now; rejects as it would. Changes nothing. */
  readonly revertPreview: (route: string) => Promise<RevertPreview>
  /** Makes an earlier document that was applied live again, under a new version. */
  readonly restore: (request: RestoreRequest) => Promise<ChangeResult>
  /** Newest first; from the store where it keeps one. `limit` is 1 to 500, default 50; another one rejects with a `ChainControlError`. */
  readonly history: (query?: { readonly route?: string | undefined; readonly limit?: number | undefined }) => Promise<readonly HistoryEntry[]>
  /** Reads the source now and not at the next poll. Resolves when what was read is judged; never rejects. */
  readonly refresh: () => Promise<void>
  /**
   * Asks each leg alone, one after the other, with a tiny request: of the chain that the route runs, or of one of its presets. Throws a
   * `ChainControlError` if there is no such route or preset.
   */
  readonly trial: (route: string, options?: TrialOptions) => AsyncIterable<LegTrial>
}
