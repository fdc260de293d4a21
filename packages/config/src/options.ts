import type { BreakerOptions, ChatRequest, HealthStore, StorePatience } from '@understudy/core'
import type { CallerOptions } from './caller-options.js'
import type { ChainSource } from './live/chain-source.js'
import type { Logger } from './logger.js'
import type { ProvidersInput } from './provider-input.js'
import type { RouteSettings } from './routes-input.js'

/** How the status of a request is chosen whose whole chain failed. */
export type ExhaustedStatus = 'by_cause' | '429_or_502' | '502'

/** What answers look like around what the provider said. */
export type Envelope = 'dialect' | 'classic'

/** What belongs to one mount, so that two mounts of the same `Fallback` may differ. */
export interface MountOptions {
  /** Whether `/`, `/messages`, `/models` and the like are ours at the root of a server too. Default false. */
  readonly shortPaths?: boolean | undefined
  /** The largest request body, after decompression; a larger one is a 413. Default 20 MiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * `dialect` (default): as the client's API has it. `classic`: `{ success, ..., metadata }`, and streams of frames
   * `{ type, data }`; the report is then `metadata`.
   */
  readonly envelope?: Envelope | undefined
  /** Whether answers carry the report of the run in their body. Default true. */
  readonly report?: boolean | undefined
  /** What the report is called in the body. Default `understudy`. */
  readonly reportKey?: string | undefined
  /**
   * Whether responses carry `understudy-route`, `understudy-served` and `understudy-trail`. Other headers do not go by it:
   * `understudy-degraded` and `understudy-provider-request-id` stay. Default true.
   */
  readonly exposeTrail?: boolean | undefined
  /** Whether clients may read what providers said about a failure. Default false. */
  readonly exposeProviderMessages?: boolean | undefined
  /** Whether a client's SDK may walk a chain that failed again on its own. Default false. */
  readonly clientRetries?: boolean | undefined
  /** Default `by_cause`. */
  readonly exhaustedStatus?: ExhaustedStatus | undefined
}

/** Prices of one request by `provider/model`; only how they compare matters. Called once a request, so it must be quick. */
export type PriceHints = (request: ChatRequest) => Readonly<Record<string, number>>

/** Where the chains can be changed while the server runs. */
export interface LiveChainsOptions {
  /** Where the live document stands: a file, an HTTP address, a store. */
  readonly source: ChainSource
  /** How often it is read, in ms. What a source pushes is read at once. Default 5 000. */
  readonly pollMs?: number | undefined
  /** By which share of `pollMs` each wait is longer or shorter, by chance, so that processes do not ask all at once. Default 0.1. */
  readonly jitter?: number | undefined
  /** After so long a read is given up, in ms, and the next one is made as if it had failed. Default 3 000. */
  readonly readTimeoutMs?: number | undefined
  /**
   * The path of a file of this process: what is applied is kept there, and runs at the next start before anything is read from the
   * source. Default none: a start without the source runs the chains of the code.
   */
  readonly lastKnownGood?: string | undefined
}

/** Where the health of providers and legs is kept, when it is not in this process alone. */
export interface SharedHealthOptions extends StorePatience {
  /**
   * Shares breakers and cooldowns with every process that has the same store and names its providers alike. One that is slow, down or
   * says what cannot be never delays or fails a request: each process goes by what it knows itself until the store answers again.
   */
  readonly store: HealthStore
}

/** What `createFallback` and `fallbackMiddleware` take beside the routes. A route setting here holds for all routes. */
export interface FallbackOptions extends MountOptions, RouteSettings, CallerOptions {
  /** Providers outside the catalogue, and what differs from it. Default none. */
  readonly providers?: ProvidersInput | undefined
  /**
   * What a missing credential does: `strict` (default) stops the mount and names the variable; `lenient` leaves out the
   * legs of that provider, with one warning.
   */
  readonly providerValidation?: 'strict' | 'lenient' | undefined
  /**
   * When a provider that keeps failing is left out, and for how long; a provider's own `breaker` is laid over it; `false` = none.
   * Default: after 3 failures in a row, for a minute.
   */
  readonly breaker?: false | BreakerOptions | undefined
  /** Whether a 429 rests its leg until it may be asked again. Default true. */
  readonly cooldown?: boolean | undefined
  /** Default none: breakers and cooldowns are this process's own. */
  readonly health?: SharedHealthOptions | undefined
  /** What becomes of a request that reaches an open breaker: the `next` leg (default), or 503 `circuit_open` (`stop`). */
  readonly whenOpen?: 'next' | 'stop' | undefined
  /** What becomes of a request whose legs are all left out: 503 or 429 at once (`skip`, default), or each is tried (`try`). */
  readonly whenAllOpen?: 'skip' | 'try' | undefined
  /** Default none: the chains stay as the code has them. */
  readonly chains?: LiveChainsOptions | undefined
  /**
   * What a live document may say: `any` chain of registered providers (default), or only which of the `presets` of the code is
   * selected.
   */
  readonly liveChanges?: 'any' | 'presets' | undefined
  /** Prices for the order `cost`, over those of the legs. Default none. */
  readonly priceHints?: PriceHints | undefined
  /** Default none: warnings go through `process.emitWarning`, the rest is silent. */
  readonly logger?: Logger | undefined
  /** How providers are reached: by HTTP_PROXY, HTTPS_PROXY and NO_PROXY (default), by this URL, or directly. */
  readonly proxy?: 'environment' | (string & {}) | false | undefined
}
