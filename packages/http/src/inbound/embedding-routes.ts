import type { ResolvedConfig, ResolvedEmbeddingRoute } from '@understudy/config'
import type { DialectCodec } from '@understudy/dialects'
import { legName } from '@understudy/core'

import { legCodecOf } from '../leg-codec.js'
import type { ProviderAgents } from '../outbound/agents.js'
import { createEmbeddingLeg } from '../outbound/embedding-leg.js'
import type { RunnableRoute } from './routes.js'

/** A route of embeddings with its legs made. */
export interface EmbeddingRoute extends RunnableRoute {
  readonly dimensions: number
}

/** Makes the routes of embeddings. Throws a `ConfigError` for a leg that cannot be asked at all. */
export function createEmbeddingRoutes(
  { embeddings, health }: ResolvedConfig,
  codecOf: (dialect: string) => DialectCodec,
  agents: ProviderAgents,
  wallClock: () => number,
): ReadonlyMap<string, EmbeddingRoute> {
  return new Map([...embeddings].map(([name, route]) => [name, embeddingRoute(route, health, (leg) =>
    createEmbeddingLeg({ leg, codec: legCodecOf(leg.provider, codecOf), agents, wallClock }))]))
}

function embeddingRoute(
  { name, dimensions, legs: resolved, settings }: ResolvedEmbeddingRoute,
  { whenOpen, whenAllOpen }: ResolvedConfig['health'],
  make: (leg: ResolvedEmbeddingRoute['legs'][number]) => RunnableRoute['legs'][number],
): EmbeddingRoute {
  const { advanceOn, order, retries, retryOn, maxRetryAfterMs, limits, idempotency } = settings
  const made = resolved.map(make)
  // Behind the first leg of such a chain, another provider is never asked.
  const legs = idempotency === 'never' ? made.filter(({ provider }) => provider === made[0]?.provider) : made
  const [first] = legs
  return {
    name,
    dimensions,
    legs,
    first: first === undefined ? '' : legName(first),
    dialectOf: new Map(),
    settings: {
      advance: advanceOn,
      commit: 'complete',
      retry: { retries, retryOn, maxRetryAfterMs: maxRetryAfterMs === false ? undefined : maxRetryAfterMs },
      limits,
      idempotency: idempotency === 'always' ? 'always' : 'safe',
      untranslatable: 'skip',
      plan: { order, whenOpen, whenAllOpen },
    },
    order,
    idempotency,
    waitingCommentMs: undefined,
    needsModel: false,
  }
}
