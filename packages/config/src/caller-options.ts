import type { AdvanceSet, FailureKind } from '@understudy/core'
import type { ProviderLegInput } from './routes-input.js'

/** What is known of a request before its body is read. Its headers hold what the client identifies itself with. */
export interface CallerRequest {
  readonly method: string
  /** Relative to the mount, without the query. */
  readonly path: string
  /** What followed the `?`, undecoded. */
  readonly query: string
  /** Names in lower case; a header that came several times is an array. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** A chain that stands behind a caller's key. What is out of range is clamped, what is not known is left out, with a warning. */
export interface FailoverDefaults {
  /** Routes and `provider/model` names, at most 3. A request whose `model` is among them gets the chain from there on. */
  readonly models: readonly string[]
  /** Of each attempt, in 1 000 to 300 000 ms. Default the legs' own. */
  readonly timeoutMs?: number | undefined
  /** Of each attempt, in 500 to 60 000 ms. Default `timeoutMs`, or else the legs' own. */
  readonly firstTokenTimeoutMs?: number | undefined
  /** Any of `connection_error`, `server_error`, `rate_limit`, `timeout`. Default `callerAdvanceOn`. */
  readonly on?: readonly string[] | undefined
}

/** Who asks, as the host sees it. */
export interface Caller {
  /** What events call the caller's key. Default a digest of `key`. */
  readonly keyId?: string | undefined
  /** The key itself. Handed to `authorize` and to nobody else: it is in no event, log line or error. */
  readonly key?: string | undefined
  readonly failoverDefaults?: FailoverDefaults | undefined
}

/**
 * Says who asks; nothing and `{}` = nobody that is known. A throw, a rejection and anything else that is no `Caller` answer 500, with a warning:
 * nobody is served unidentified.
 */
export type Identify = (request: CallerRequest) => CallerResult | Promise<CallerResult>

/** What `identify` gives. */
export type CallerResult = Caller | null | undefined

/** An attempt that is about to be made. */
export interface AuthorizeAttempt {
  readonly leg: { readonly provider: string; readonly model: string; readonly region?: string | undefined }
  readonly route: string
  readonly requestId: string
  /** What `identify` gave. */
  readonly caller?: Caller | undefined
  /**
   * Exactly what the provider will be sent; for embeddings that take several calls the bodies of all, one a line; for a custom leg the
   * request as JSON.
   */
  readonly bytes: Uint8Array
  /**
   * Whether nothing is sent behind this answer: a policy check, or a drill that asks, on a real request, whether a leg behind the one that
   * it fails would be let in. `authorize` is asked anew, with `false`, before an attempt.
   */
  readonly dryRun: boolean
  /** Whether a person tries the leg (`chains.trial`, `understudy try`): no client asks, so there is no `caller`, and `identify` was not asked. */
  readonly trial: boolean
  /** Aborted when the client is gone or the time of the chain is over. */
  readonly signal: AbortSignal
}

/**
 * Nothing = go. `skip`: not this leg, the next. `stop`: no leg at all; the client gets `status` (400 to 599, default 403) and
 * `reason`.
 */
export type AuthorizeResult =
  | { readonly refuse: 'skip'; readonly reason?: string | undefined }
  | { readonly refuse: 'stop'; readonly status?: number | undefined; readonly reason?: string | undefined }
  | null
  | undefined

/** Judges an attempt before it is made. A throw or a rejection is a stop. */
export type Authorize = (attempt: AuthorizeAttempt) => AuthorizeResult | Promise<AuthorizeResult>

/** What concerns the callers of a `Fallback`, and the chains that they name. */
export interface CallerOptions {
  /** Default none: nobody is known. */
  readonly identify?: Identify | undefined
  /** Runs before each attempt, retries included. Default none: every attempt is made. */
  readonly authorize?: Authorize | undefined
  /** Whether a request may name its own chain (`models`, `fallback_models`, `redundancy`, a leg as its `model`). Default true. */
  readonly callerChains?: boolean | undefined
  /** Legs that a request may name beside those of the routes. Default none. */
  readonly callerModels?: readonly (string | ProviderLegInput)[] | undefined
  /** The failures that a caller's or a key's chain moves on for, where it does not say. Default `triggers`. */
  readonly callerAdvanceOn?: AdvanceSet | readonly FailureKind[] | undefined
}
