import type { BreakerOptions, ChainLimits, CommitPoint, CustomLeg, Dialect, FailureKind, LegLimits, Order } from '@understudy/core'
import type { KnownChains } from './document/known-chains.js'
import type { ChainSource } from './live/chain-source.js'
import type { ResolvedCloud } from './cloud.js'
import type { Logger } from './logger.js'
import type { Authorize, Identify } from './caller-options.js'
import type { Envelope, ExhaustedStatus, PriceHints, SharedHealthOptions } from './options.js'
import type { Sign } from './provider-input.js'
import type { BufferedVia, Idempotency, ParameterDefaults, Translate, Untranslatable } from './routes-input.js'

/** A provider that can be asked. What may be secret in it is behind a function, so that printing it shows none. */
export interface ResolvedProvider {
  readonly name: string
  readonly dialect: Dialect
  /** `http` or `https`, without a trailing slash, credentials, query or fragment. */
  readonly baseURL: string
  /** The key, asked at each use; `undefined` = none is sent. The environment was read when the config was resolved. */
  readonly credential: () => string | Promise<string> | undefined
  /** Extra headers of this provider, names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>
  /** Laid over the breaker of all; `false` = none; `undefined` = that of all. */
  readonly breaker: false | BreakerOptions | undefined
  /** Headers made of the bytes about to be sent; `undefined` = none. */
  readonly sign?: Sign | undefined
  /** Set for a provider that is asked in Azure's way: by deployment, with an api-version, the key in `api-key`. */
  readonly azure: { readonly apiVersion: string } | undefined
  /** Whether the key goes out as `authorization: Bearer`, whatever the dialect. Default false. */
  readonly bearer?: boolean | undefined
  /** The cloud that serves the dialect in its own way. Default none. */
  readonly cloud?: ResolvedCloud | undefined
}

interface ResolvedLegSettings {
  /** The leg's limits over the route's over the options'. What nobody set is absent. */
  readonly limits: LegLimits
  /** The leg's parameters over the route's over the options'. */
  readonly defaults: ParameterDefaults
  readonly reasoning: boolean
  readonly retries: number
  /** `undefined` = unknown. */
  readonly price: number | undefined
  readonly weight: number
}

/** A leg of a provider. */
export interface ResolvedProviderLeg extends ResolvedLegSettings {
  readonly type: 'provider'
  readonly provider: ResolvedProvider
  readonly model: string
  /** Whether the model was written `*`: the request's own model is asked for. */
  readonly anyModel: boolean
  readonly region: string | undefined
}

/** A leg that the host's own code serves. */
export interface ResolvedCustomLeg extends ResolvedLegSettings {
  readonly type: 'custom'
  /** Its name and `open`; everything else about it is in the members beside. */
  readonly leg: CustomLeg
}

/** A leg with everything filled in that does not depend on the request. */
export type ResolvedLeg = ResolvedProviderLeg | ResolvedCustomLeg

/** The settings of a route with every default filled in that does not depend on the request. */
export interface ResolvedRouteSettings {
  /** The kinds that move on to the next leg. */
  readonly advanceOn: ReadonlySet<FailureKind>
  readonly idempotency: Idempotency
  readonly commit: CommitPoint
  readonly bufferedVia: BufferedVia
  readonly order: Order
  readonly retries: number
  readonly retryOn: ReadonlySet<FailureKind>
  readonly maxRetryAfterMs: number | false
  readonly waitingComment: { readonly afterMs: number } | false
  readonly untranslatable: Untranslatable
  readonly translate: Translate
  /** What nobody set is absent. */
  readonly limits: ChainLimits
  readonly defaults: ParameterDefaults
}

/** A reviewed, named chain of a route. */
export interface ResolvedPreset {
  /** Empty only where `lenient` left every leg out. */
  readonly legs: readonly ResolvedLeg[]
  /** What responses say while it is selected. */
  readonly marking: string | undefined
}

/** A route that can be run. */
export interface ResolvedRoute {
  readonly name: string
  /** Those of the selected preset, where it has presets. Empty only where `lenient` left every leg out. */
  readonly legs: readonly ResolvedLeg[]
  readonly settings: ResolvedRouteSettings
  /** What a leg takes that the code has not written for this route. */
  readonly legLimits: LegLimits
  /** By name, `normal` among them; absent = the route has none. */
  readonly presets?: ReadonlyMap<string, ResolvedPreset> | undefined
  /** The preset that is selected; absent = the route has none. */
  readonly preset?: string | undefined
  /** That of the selected preset. */
  readonly marking?: string | undefined
}

/** A leg that makes vectors. */
export interface ResolvedEmbeddingLeg extends Omit<ResolvedLegSettings, 'reasoning'> {
  readonly provider: ResolvedProvider
  readonly model: string
  readonly region: string | undefined
  /** Whether the model is told how long its vectors have to be, if it can be. */
  readonly asksDimensions: boolean
  /** `undefined` = as the vendor has it. */
  readonly batchSize: number | undefined
  /** Where it is written, for whoever finds that it cannot be asked. */
  readonly path: string
}

/** A route of embeddings that can be run. */
export interface ResolvedEmbeddingRoute {
  readonly name: string
  readonly dimensions: number
  /** Empty only where every leg was left out. */
  readonly legs: readonly ResolvedEmbeddingLeg[]
  readonly settings: ResolvedRouteSettings
}

/** Where the live document of the chains is read. */
export interface ResolvedLive {
  readonly source: ChainSource
  readonly pollMs: number
  /** A share of `pollMs`. */
  readonly jitter: number
  readonly readTimeoutMs: number
  /** The path of the file; `undefined` = none is kept. */
  readonly lastKnownGood: string | undefined
}

/** `MountOptions` with every default filled in. */
export interface ResolvedMount {
  /** Whether the short paths are ours at the root of a server too. */
  readonly shortPaths: boolean
  /** The largest request body, in bytes after decompression. */
  readonly maxBodyBytes: number
  /** What answers look like around what the provider said. */
  readonly envelope: Envelope
  /** Whether answers carry the report of the run in their body. */
  readonly report: boolean
  /** What the report is called in the body. */
  readonly reportKey: string
  /** Whether responses carry `understudy-route`, `understudy-served` and `understudy-trail`. */
  readonly exposeTrail: boolean
  /** Whether the `failures` of an error hold the providers' own words. */
  readonly exposeProviderMessages: boolean
  /** Whether `x-should-retry: false` is left off errors, so that a client's SDK may walk the chain again. */
  readonly clientRetries: boolean
  /**
   * The status where every leg failed or was left out: 502 (`502`); 429 too, where all were rate limited or rest after that
   * (`429_or_502`); 503 and 504 too (`by_cause`).
   */
  readonly exhaustedStatus: ExhaustedStatus
}

/** How the health of providers and legs is kept, and what it does. */
export interface ResolvedHealth {
  /** Of every provider that has none of its own. */
  readonly breaker: false | BreakerOptions
  readonly cooldown: boolean
  /** `undefined` = this process's own memory. */
  readonly shared: SharedHealthOptions | undefined
  readonly whenOpen: 'next' | 'stop'
  readonly whenAllOpen: 'skip' | 'try'
  readonly priceHints: PriceHints | undefined
}

/** Who may ask for what. */
export interface ResolvedCallers {
  readonly identify: Identify | undefined
  readonly authorize: Authorize | undefined
  /** Whether a request may name its own chain. */
  readonly chains: boolean
  /** What it may name beside the routes and their legs. */
  readonly models: readonly ResolvedProviderLeg[]
  /** What its chain moves on for where it does not say. */
  readonly advanceOn: ReadonlySet<FailureKind>
}

/** How providers are reached. The URL may hold a password, so it is behind a function. */
export type ResolvedProxy =
  | { readonly type: 'environment' }
  | { readonly type: 'url'; readonly url: () => string }
  | { readonly type: 'none' }

/** What a person wrote, checked and filled in. */
export interface ResolvedConfig {
  /** By route name, in the order written. */
  readonly routes: ReadonlyMap<string, ResolvedRoute>
  /** The routes of embeddings, by name; none of `routes` is among them. */
  readonly embeddings: ReadonlyMap<string, ResolvedEmbeddingRoute>
  /** The providers that some leg uses, and those of `providers` that can be asked, by name. */
  readonly providers: ReadonlyMap<string, ResolvedProvider>
  /** The settings that hold where no route says otherwise. */
  readonly settings: ResolvedRouteSettings
  readonly callers: ResolvedCallers
  readonly mount: ResolvedMount
  readonly health: ResolvedHealth
  readonly logger: Logger | undefined
  readonly proxy: ResolvedProxy
  /** `undefined` = the chains stay as the code has them. */
  readonly live: ResolvedLive | undefined
  /** What a document is judged by. */
  readonly known: KnownChains
}
