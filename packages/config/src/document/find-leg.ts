import { suggestName } from '../nearest-name.js'
import { suggestProvider } from '../provider-aliases.js'
import { modelFault } from '../path-model.js'
import type { ProviderRegistry } from '../provider-registry.js'
import { plainLeg } from '../resolve-leg.js'
import type { ResolvedLeg, ResolvedRoute } from '../resolved-config.js'
import { quote } from '../show.js'
import type { KnownChains, NamedLeg } from './known-chains.js'
import { CUSTOM, identityOf, identityOfLeg } from './leg-name.js'

/** What legs are looked for in. */
export interface LegFinderParts {
  readonly routes: ReadonlyMap<string, ResolvedRoute>
  readonly callerModels: readonly ResolvedLeg[]
  readonly providers: ProviderRegistry
}

/**
 * Finds the leg that a document names: one that the code has, with its settings (the route's own before those of others), or one of a
 * provider that the code has registered and that has its credentials.
 */
export function createLegFinder({ routes, callerModels, providers }: LegFinderParts): KnownChains['legFor'] {
  const ofRoute = new Map([...routes.values()].map((route) => [route.name, legsOf(route)]))

  return (named, route) => {
    const identity = identityOf(named)
    const all = [...(ofRoute.get(route.name) ?? []), ...[...ofRoute.values()].flat(), ...callerModels]
    const written = all.find((leg) => identityOfLeg(leg) === identity)
    if (written !== undefined) return { leg: limited(written, named) }
    if (named.provider === CUSTOM) {
      const names = [...new Set(all.flatMap((leg) => (leg.type === 'custom' ? [leg.leg.name] : [])))]
      const rest = names.length === 0 ? 'the code has none' : suggestName(named.model, names)
      return { wrong: `no custom leg is called ${quote(named.model)}; ${rest}` }
    }
    if (named.model === '*') {
      return { wrong: 'keeps the model of each request, which only the code can allow; name a model' }
    }
    return newLeg(named, route)
  }

  function newLeg(named: NamedLeg, route: ResolvedRoute): ReturnType<KnownChains['legFor']> {
    const found = providers.find(named.provider, [])
    if (found === undefined) {
      return { wrong: `provider ${quote(named.provider)} is not registered in the code; ${suggestProvider(named.provider, providers.names)}` }
    }
    if (found.type === 'wrong') return { wrong: `provider ${quote(named.provider)} cannot be used in this process` }
    if (found.type === 'incomplete') return { wrong: `provider ${quote(named.provider)} cannot be used in this process: ${found.why}` }
    const { provider } = found
    const { model, region } = named
    const fault = modelFault(provider, model)
    if (fault !== undefined) return { wrong: fault }
    const { legLimits: limits, settings: { defaults, retries } } = route
    return { leg: limited(plainLeg({ provider, model, region }, { limits, defaults, retries }), named) }
  }
}

function legsOf({ legs, presets }: ResolvedRoute): readonly ResolvedLeg[] {
  return presets === undefined ? legs : [...presets.values()].flatMap((preset) => preset.legs)
}

function limited(leg: ResolvedLeg, { timeoutMs }: NamedLeg): ResolvedLeg {
  return timeoutMs === undefined ? leg : { ...leg, limits: { ...leg.limits, timeoutMs } }
}
