import type {
  AdvanceSet,
  ChainLimits,
  CommitPoint,
  CustomLeg,
  FailureKind,
  LegLimits,
  Order,
} from '@understudy/core'

/** Parameters that are filled into a request which does not set them, in the client's dialect: `{ temperature: 0 }`. */
export type ParameterDefaults = Readonly<Record<string, unknown>>

/** How a buffered request is asked of a provider: as one JSON document (default), or as a stream that is collected. */
export type BufferedVia = 'json' | 'stream'

/**
 * Whether a request may be processed twice. `always` (default): any leg may be tried after any failure in `advanceOn`. `safe`:
 * another provider, or a retry, only if the request was provably not processed. `never`: only legs of the first leg's provider.
 */
export type Idempotency = 'always' | 'safe' | 'never'

/** Whether a leg that has no words for a request is left out, or stops it. */
export type Untranslatable = 'skip' | 'refuse'

/** How much of a request is said to a leg of another dialect. */
export type Translate = 'full' | 'minimal'

/** A comment to the waiting client, so that proxies do not cut a slow model. */
export interface WaitingComment {
  /** How long without commit before the status 200 and the first comment are sent; then the status cannot change. */
  readonly afterMs: number
}

/** A leg of a known provider, with settings of its own. */
export interface ProviderLegInput extends LegLimits {
  /** A name of the catalogue or of `providers`. */
  readonly provider: string
  /** What the provider is asked for. `*` keeps the request's own model. */
  readonly model: string
  /** Where the provider serves it. Legs of two regions have two healths. Default none. */
  readonly region?: string | undefined
  /** Under the request's parameters, over the route's `defaults`. Default none. */
  readonly defaults?: ParameterDefaults | undefined
  /** Whether the model reasons first, which lengthens the default `firstContentTimeoutMs`. Default by model family. */
  readonly reasoning?: boolean | undefined
  /** Same-leg retries. Default the route's. */
  readonly retries?: number | undefined
  /** For the order `cost`: only how the prices of a chain compare matters. Default unknown, which comes last. */
  readonly price?: number | undefined
  /** For the order `weighted`: its share of the traffic; 0 = only behind all others. Default 1. */
  readonly weight?: number | undefined
}

/** A leg that the host's own code serves: an SDK client, a local model, a fixed answer. */
export interface CustomLegInput extends LegLimits {
  /** Stands for both provider and model in trails and reports. */
  readonly name: string
  /** Starts the attempt. The signal in its second argument must reach the socket. */
  readonly open: CustomLeg['open']
  /** Under the request's parameters, over the route's `defaults`. Default none. */
  readonly defaults?: ParameterDefaults | undefined
  /** Whether it reasons first, which lengthens the default `firstContentTimeoutMs`. Default false. */
  readonly reasoning?: boolean | undefined
  /** Same-leg retries. Default the route's. */
  readonly retries?: number | undefined
  /** For the order `cost`: only how the prices of a chain compare matters. Default unknown, which comes last. */
  readonly price?: number | undefined
  /** For the order `weighted`: its share of the traffic; 0 = only behind all others. Default 1. */
  readonly weight?: number | undefined
}

/** One leg as a person writes it: `'provider/model'` (split at the first slash), or an object. */
export type LegInput = string | ProviderLegInput | CustomLegInput

/** What a route may set, and what the options may set for all routes. A leg's own limits win over those set here. */
export interface RouteSettings extends LegLimits, ChainLimits {
  /** The failures that move on to the next leg: a named set or a list of kinds. Default `leg_faults`. */
  readonly advanceOn?: AdvanceSet | readonly FailureKind[] | undefined
  /** Default `always`. A request's `idempotent: false` makes it `safe`. */
  readonly idempotency?: Idempotency | undefined
  /** Default `first_content`. */
  readonly commit?: CommitPoint | undefined
  /** Default `json`. */
  readonly bufferedVia?: BufferedVia | undefined
  /**
   * In which order the legs are tried: `configured` (default), `health`, `latency`, `cost`, `weighted`, or a function. A leg
   * that is left out stays left out in every order.
   */
  readonly order?: Order | undefined
  /** How often a leg is asked again before the next one. Default 0. */
  readonly retries?: number | undefined
  /** The failures that a retry follows. Default `rate_limit`, `connection_error`, `server_error`, `overloaded`. */
  readonly retryOn?: readonly FailureKind[] | undefined
  /** The longest Retry-After that a retry waits for, in milliseconds; `false` = no cap. Default 5 000. */
  readonly maxRetryAfterMs?: number | false | undefined
  /** Default `false`. */
  readonly waitingComment?: WaitingComment | false | undefined
  /**
   * What becomes of a leg whose dialect has no words for something of the request: it is left out (`skip`, default), or the request is
   * a 400 `untranslatable_request` once it comes to that leg (`refuse`).
   */
  readonly untranslatable?: Untranslatable | undefined
  /**
   * How much of a request is said to a leg of another dialect: all that it has words for (`full`, default), or no more than text, images,
   * tools, `max_tokens`, `temperature`, `top_p` and `stop` (`minimal`); then a request with anything else, or with tools in a stream, is
   * untranslatable.
   */
  readonly translate?: Translate | undefined
  /** Under the legs' `defaults`. Default none. */
  readonly defaults?: ParameterDefaults | undefined
}

/** A preset that says more than its legs. */
export interface PresetOptions {
  /** At least one, none twice. */
  readonly legs: readonly LegInput[]
  /** Stands in the header `understudy-degraded` of each response while the preset is selected. Default none. */
  readonly marking?: string | undefined
}

/** Reviewed chains by name. `normal` has to be among them: every other one goes back to it. */
export type PresetsInput = Readonly<Record<string, readonly LegInput[] | PresetOptions>>

/** A route: its legs in the order they are tried, or presets of them, and its settings. */
export interface RouteOptions extends RouteSettings {
  /** At least one, none twice. Not beside `presets`. */
  readonly legs?: readonly LegInput[] | undefined
  /** Chains of which one is selected; in their place of `legs`. */
  readonly presets?: PresetsInput | undefined
  /** The preset that is selected while no live document says otherwise. Default `normal`. */
  readonly active?: string | undefined
}

/** A leg that makes vectors. */
export interface EmbeddingLegOptions extends LegLimits {
  /** A name of the catalogue or of `providers`. */
  readonly provider: string
  /** What the provider is asked for. */
  readonly model: string
  /** Where the provider serves it. Legs of two regions have two healths. Default none. */
  readonly region?: string | undefined
  /**
   * `false`: the model has one length of vectors, the route's, and does not know the parameter. Default: it is asked for the
   * route's length, unless its name is one of those that are known to have one only.
   */
  readonly dimensions?: false | undefined
  /** How many texts a call has at most; a longer list is asked in pieces. Default as the vendor has it. */
  readonly batchSize?: number | undefined
  /** Under the request's parameters, over the route's `defaults`. Default none. */
  readonly defaults?: ParameterDefaults | undefined
  /** Same-leg retries. Default the route's. */
  readonly retries?: number | undefined
  /** For the order `cost`. Default unknown, which comes last. */
  readonly price?: number | undefined
  /** For the order `weighted`. Default 1. */
  readonly weight?: number | undefined
}

/** One leg that makes vectors: `'provider/model'`, or an object. */
export type EmbeddingLegInput = string | EmbeddingLegOptions

/** What a route that makes vectors may set. Any failure moves on to its next leg. */
export interface EmbeddingRouteSettings
  extends LegLimits, ChainLimits, Pick<RouteSettings, 'idempotency' | 'order' | 'retries' | 'retryOn' | 'maxRetryAfterMs' | 'defaults'> {}

/**
 * A route of `/embeddings`. Its legs have to make vectors that can be compared: the same model at several providers. One answer never mixes
 * two legs.
 */
export interface EmbeddingRouteOptions extends EmbeddingRouteSettings {
  /** At least one, none twice. */
  readonly legs: readonly EmbeddingLegInput[]
  /** How long every vector is. It makes the route one of embeddings; a request for another length is refused. */
  readonly dimensions: number
}

/** Route name -> its legs, or an object with legs. The name is what clients put into `model`; `*` serves the rest. */
export type RoutesInput = Readonly<Record<string, readonly LegInput[] | RouteOptions | EmbeddingRouteOptions>>
