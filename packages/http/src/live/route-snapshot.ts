import type { LiveChains, ResolvedEmbeddingRoute, ResolvedLeg, ResolvedRoute } from '@understudy/config'
import type { LegIdentity } from '@understudy/core'

import type { LegSnapshot, RouteSnapshot } from '../fallback.js'
import type { LegMemory } from '../leg-watch.js'
import { chainSnapshot } from './chain-snapshot.js'

/** What a snapshot of routes is made with. */
export interface RouteSnapshotParts {
  readonly live: LiveChains | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly memoryOf: (leg: LegIdentity) => LegMemory
}

/** Says what a route runs, what it could run, and what is known of the legs. */
export function routeSnapshot(route: ResolvedRoute, { live, startedAt, memoryOf }: RouteSnapshotParts): RouteSnapshot {
  const legSnapshots = (legs: readonly ResolvedLeg[]): readonly LegSnapshot[] => legs.map((leg) => {
    const identity = identityOf(leg)
    return legSnapshot(identity, memoryOf(identity))
  })
  const { name, legs, presets } = route
  return {
    name,
    chain: chainSnapshot(route, live, startedAt),
    legs: legSnapshots(legs),
    ...(presets !== undefined && {
      presets: [...presets].map(([preset, { legs: own, marking }]) => ({
        name: preset,
        ...(marking !== undefined && { marking }),
        legs: legSnapshots(own),
      })),
    }),
  }
}

/** Says what a route of embeddings runs: always what the code has. */
export function embeddingRouteSnapshot(
  { name, dimensions, legs }: ResolvedEmbeddingRoute,
  { startedAt, memoryOf }: Omit<RouteSnapshotParts, 'live'>,
): RouteSnapshot {
  return {
    name,
    dimensions,
    chain: { layer: 'code', version: 0, since: startedAt },
    legs: legs.map(({ provider, model, region }) => {
      const identity = { provider: provider.name, model, region }
      return legSnapshot(identity, memoryOf(identity))
    }),
  }
}

function identityOf(leg: ResolvedLeg): LegIdentity {
  if (leg.type === 'custom') return { provider: leg.leg.name, model: leg.leg.name }
  return { provider: leg.provider.name, model: leg.model, region: leg.region }
}

function legSnapshot({ provider, model, region }: LegIdentity, { lastServedAt, misconfigured }: LegMemory): LegSnapshot {
  return {
    provider,
    model,
    ...(region === undefined ? undefined : { region }),
    ...(lastServedAt === undefined ? undefined : { lastServedAt }),
    ...(misconfigured ? { misconfigured } : undefined),
  }
}
