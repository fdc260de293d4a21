import { advanceKinds, type Dialect } from '@understudy/core'
import type { ConfigIssue } from './config-error.js'
import { layerDefaults, layerLegLimits } from './layers.js'
import { ownProperties } from './own-properties.js'
import { modelFault } from './path-model.js'
import { suggestProvider } from './provider-aliases.js'
import type { ProviderRegistry } from './provider-registry.js'
import { formatPath, reportIssue, type Path } from './report-issue.js'
import type { ResolvedEmbeddingLeg, ResolvedEmbeddingRoute } from './resolved-config.js'
import { checkDeadline, settleRoute } from './resolve-route.js'
import type { EmbeddingRouteOptions, EmbeddingRouteSettings, RouteSettings } from './routes-input.js'
import { checkObject } from './schema/check-object.js'
import { embeddingLeg, embeddingRoute, embeddingSettings } from './schema/embeddings.js'
import { wrong } from './schema/rule.js'
import { quote } from './show.js'

const RIGHT = '\'provider/model\' (such as \'openai/text-embedding-3-small\'), or { provider, model }'

/** Dialects whose APIs make vectors. */
const ABLE: ReadonlySet<Dialect> = new Set(['openai', 'gemini', 'bedrock'])

/** Whether what stands at a route's name is a route of embeddings: it says how long its vectors are. */
export function isEmbeddingRoute(written: unknown): boolean {
  const own = Array.isArray(written) ? undefined : ownProperties(written)
  return own !== undefined && Object.hasOwn(own, 'dimensions') && own.dimensions !== undefined
}

/**
 * Reads one route of embeddings. A leg whose provider has no credentials is left out, and `leftOut` told why, however strict the mount
 * is.
 */
export function resolveEmbeddings(
  name: string,
  written: unknown,
  shared: RouteSettings,
  providers: ProviderRegistry,
  issues: ConfigIssue[],
  leftOut: string[],
): ResolvedEmbeddingRoute {
  const path = ['routes', name]
  const options = checkObject(embeddingRoute, written, path, issues)
  const layers = [ofEmbeddings(shared), options ?? {}]
  const settings = { ...settleRoute(layers), advanceOn: advanceKinds('any') }
  if (name === '*') reportIssue(issues, path, 'is a route of embeddings and cannot serve the rest; give it a name')
  checkDeadline(settings.limits, path, issues)
  if (options === undefined) return { name, dimensions: 0, legs: [], settings }
  const surroundings = { limits: layerLegLimits(layers), defaults: settings.defaults, retries: settings.retries }
  const legs = resolveLegs(options.legs, [...path, 'legs'], { ...surroundings, providers, issues, leftOut })
  return { name, dimensions: options.dimensions, legs, settings }
}

interface Place extends Pick<ResolvedEmbeddingLeg, 'limits' | 'defaults' | 'retries'> {
  readonly providers: ProviderRegistry
  readonly issues: ConfigIssue[]
  readonly leftOut: string[]
}

function resolveLegs(listed: EmbeddingRouteOptions['legs'], path: Path, place: Place): readonly ResolvedEmbeddingLeg[] {
  const seen = new Map<string, number>()
  return listed.flatMap((written, index) => {
    const at = [...path, index]
    const leg = resolveLeg(written, at, place)
    if (leg === undefined) return []
    const identity = JSON.stringify([leg.provider.name, leg.model, leg.region ?? null])
    const first = seen.get(identity)
    if (first !== undefined) {
      reportIssue(place.issues, at, `is a repeated leg: it stands at position ${first} already`)
      return []
    }
    seen.set(identity, index)
    return [leg]
  })
}

function resolveLeg(written: unknown, path: Path, place: Place): ResolvedEmbeddingLeg | undefined {
  const { issues, providers } = place
  const own = typeof written === 'string' ? namedLeg(written) : ownProperties(written)
  if (own === undefined) {
    reportIssue(issues, path, wrong(written, RIGHT))
    return undefined
  }
  const input = checkObject(embeddingLeg, own, path, issues)
  if (input === undefined) return undefined
  const { provider: name, model, region, batchSize, retries = place.retries, price, weight = 1 } = input
  if (model === '*') reportIssue(issues, path, 'keeps the model of each request, and vectors of two models cannot be compared; name a model')
  const found = providers.find(name, path)
  if (found === undefined) {
    reportIssue(issues, path, `provider ${quote(name)} is not known; ${suggestProvider(name, providers.names)} `
      + '(describe one of your own in options.providers)')
    return undefined
  }
  if (found.type === 'wrong') return undefined
  if (found.type === 'incomplete') {
    place.leftOut.push(found.why)
    return undefined
  }
  const { provider } = found
  if (!ABLE.has(provider.dialect)) {
    reportIssue(issues, path, `provider ${quote(name)} speaks the dialect '${provider.dialect}', which has no embeddings; `
      + `those of ${[...ABLE].join(', ')} have`)
    return undefined
  }
  const fault = modelFault(provider, model)
  if (fault !== undefined) {
    reportIssue(issues, path, fault)
    return undefined
  }
  return {
    provider,
    model,
    region,
    asksDimensions: input.dimensions !== false,
    batchSize,
    limits: layerLegLimits([place.limits, input]),
    defaults: layerDefaults([place.defaults, input.defaults]),
    retries,
    price,
    weight,
    path: formatPath(path),
  }
}

function namedLeg(text: string): Readonly<Record<string, unknown>> | undefined {
  const slash = text.indexOf('/')
  return slash < 1 || slash === text.length - 1 ? undefined : { provider: text.slice(0, slash), model: text.slice(slash + 1) }
}

/** The settings for all routes, as far as they are for embeddings too. Parameters of completions are not. */
function ofEmbeddings(shared: RouteSettings): EmbeddingRouteSettings {
  const own = Object.entries(shared).filter(([key]) => Object.hasOwn(embeddingSettings, key) && key !== 'defaults')
  return Object.fromEntries(own)
}
