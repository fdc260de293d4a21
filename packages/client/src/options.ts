import type { AdvanceSet, BreakerOptions, FailureKind, FallbackEvent, Order } from '@understudy/core'
import type { SdkClient } from './sdk-client.js'

/** Parameters of a request, as the API of their client names them. */
export type RequestParams = Readonly<Record<string, unknown>>

/**
 * A fallback: its client, the model it is asked for, parameters that its requests have unless the call says otherwise
 * (in its own API's words), and the name of its provider, which is what health goes by. Default of the name: the
 * well-known provider of the client's base URL, else its host; of a Bedrock client `bedrock` whatever its region, so that two
 * regions share one breaker unless they are named.
 */
export type FallbackEntry =
  | readonly [client: SdkClient, model: string]
  | readonly [client: SdkClient, model: string, defaultParams: RequestParams | undefined]
  | readonly [client: SdkClient, model: string, defaultParams: RequestParams | undefined, provider: string]

/** What `withFallback` is told beside the client. */
export interface WithFallbackOptions {
  /** Asked in this order when the client of the call fails. */
  readonly fallback: readonly FallbackEntry[]
  /** The model of the first client where a call names none. Default none. */
  readonly model?: string | undefined
  /** The name of the first client's provider. Default as for a fallback. */
  readonly provider?: string | undefined
  /** Parameters that every request has unless its entry or its call says otherwise. In the words of the first client's API. */
  readonly defaultParams?: RequestParams | undefined
  /**
   * When another provider may be asked. `safe` (default): only if the failed one cannot have processed the request.
   * `always`: after any failure of `advanceOn`. `never`: only entries with the first client's provider name are asked.
   * A call with `idempotent: false` among its parameters is `safe` at least.
   */
  readonly idempotency?: 'always' | 'safe' | 'never' | undefined
  /** The failures that move on. Default `triggers`: connection, timeout, rate limit, overload, server faults, broken answers. */
  readonly advanceOn?: AdvanceSet | readonly FailureKind[] | undefined
  /** In which order the clients are asked. Default `health`: those whose breaker is closed first, else as listed. */
  readonly order?: Order | undefined
  /**
   * What a request costs at each `provider/model`, for the order `cost`; only how prices compare matters. What it throws
   * counts as no prices.
   */
  readonly priceHints?: ((params: RequestParams) => Readonly<Record<string, number>> | undefined) | undefined
  /** After so many ms no further attempt starts; none is cut. 0 = nothing starts. Default 30 000. */
  readonly windowMs?: number | undefined
  /** One attempt, until its answer or its stream ends, in ms. Default 600 000. */
  readonly hopTimeoutMs?: number | undefined
  /** Between two events of a stream that has begun, in ms. Default 60 000. */
  readonly idleTimeoutMs?: number | undefined
  /** How often a client is asked again after a 429 that says when, if that is within the window. Default 0. */
  readonly retries?: number | undefined
  /** The breaker of each provider; `false` = none. Default: opens after 3 failures in a row, for a minute. */
  readonly breaker?: false | BreakerOptions | undefined
  /** Whether a 429 rests its entry until its Retry-After is over. Default false. */
  readonly cooldown?: boolean | undefined
  /** Hears what happens, without a word of what was said. What it throws goes no further. */
  readonly on?: ((event: FallbackEvent) => void) | undefined
}
