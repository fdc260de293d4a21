import type { LegLimits } from '@understudy/core'
import type { ConfigIssue } from './config-error.js'
import { layerDefaults, layerLegLimits } from './layers.js'
import { ownProperties } from './own-properties.js'
import { modelFault } from './path-model.js'
import { suggestProvider } from './provider-aliases.js'
import type { ProviderRegistry } from './provider-registry.js'
import { isReasoningModel } from './reasoning-models.js'
import { reportIssue, type Path } from './report-issue.js'
import type { ResolvedCustomLeg, ResolvedLeg, ResolvedProvider, ResolvedProviderLeg } from './resolved-config.js'
import type { ParameterDefaults, ProviderLegInput } from './routes-input.js'
import { checkObject } from './schema/check-object.js'
import { customLeg, providerLeg } from './schema/leg.js'
import { wrong } from './schema/rule.js'
import { quote } from './show.js'

/** What a leg takes from its route where it says nothing itself. */
export interface LegSurroundings {
  readonly limits: LegLimits
  readonly defaults: ParameterDefaults
  readonly retries: number
}

/** What became of a leg. `incomplete` = its provider has no credentials. */
export type LegOutcome =
  | { readonly type: 'ready'; readonly leg: ResolvedLeg; readonly identity: string }
  | { readonly type: 'incomplete'; readonly provider: string; readonly why: string; readonly identity: string }
  | { readonly type: 'wrong' }

const RIGHT = '\'provider/model\' (such as \'openai/gpt-4o\'), { provider, model } or { name, open }'
const WRONG: LegOutcome = { type: 'wrong' }

/** Reads one leg of a route. */
export function resolveLeg(
  written: unknown,
  path: Path,
  surroundings: LegSurroundings,
  providers: ProviderRegistry,
  issues: ConfigIssue[],
): LegOutcome {
  if (typeof written === 'string') {
    const slash = written.indexOf('/')
    if (slash < 1 || slash === written.length - 1) {
      reportIssue(issues, path, wrong(written, RIGHT))
      return WRONG
    }
    const named = { provider: written.slice(0, slash), model: written.slice(slash + 1) }
    return resolveProviderLeg(named, path, surroundings, providers, issues)
  }
  const own = ownProperties(written)
  if (own === undefined) {
    reportIssue(issues, path, wrong(written, RIGHT))
    return WRONG
  }
  const isCustom = Object.hasOwn(own, 'open') || (Object.hasOwn(own, 'name') && !Object.hasOwn(own, 'provider'))
  return isCustom
    ? resolveCustomLeg(own, written, path, surroundings, issues)
    : resolveProviderLeg(own, path, surroundings, providers, issues)
}

function resolveProviderLeg(
  own: Readonly<Record<string, unknown>>,
  path: Path,
  surroundings: LegSurroundings,
  providers: ProviderRegistry,
  issues: ConfigIssue[],
): LegOutcome {
  const input = checkObject(providerLeg, own, path, issues)
  if (input === undefined) return WRONG
  const found = providers.find(input.provider, path)
  if (found === undefined) {
    reportIssue(issues, path, `provider ${quote(input.provider)} is not known; `
      + `${suggestProvider(input.provider, providers.names)} (describe one of your own in options.providers)`)
    return WRONG
  }
  if (found.type === 'wrong') return WRONG
  const identity = JSON.stringify([input.provider, input.model, input.region ?? null])
  if (found.type === 'incomplete') return { type: 'incomplete', provider: input.provider, why: found.why, identity }
  const fault = modelFault(found.provider, input.model)
  if (fault !== undefined) {
    reportIssue(issues, path, fault)
    return WRONG
  }
  const anyModel = input.model === '*'
  const leg: ResolvedProviderLeg = {
    type: 'provider',
    provider: found.provider,
    model: input.model,
    anyModel,
    region: input.region,
    ...settle(input, surroundings, isReasoningModel(input.model)),
  }
  return { type: 'ready', leg, identity }
}

function resolveCustomLeg(
  own: Readonly<Record<string, unknown>>,
  written: unknown,
  path: Path,
  surroundings: LegSurroundings,
  issues: ConfigIssue[],
): LegOutcome {
  const input = checkObject(customLeg, own, path, issues)
  if (input === undefined) return WRONG
  const { name, open } = input
  const leg: ResolvedCustomLeg = {
    type: 'custom',
    // The host may have written `open` as a method that uses `this`.
    leg: { name, open: (request, context) => open.call(written, request, context) },
    ...settle(input, surroundings, false),
  }
  return { type: 'ready', leg, identity: JSON.stringify([name]) }
}

/** A leg that no code has written: a live document names a registered provider and a model. */
export function plainLeg(
  { provider, model, region }: { readonly provider: ResolvedProvider; readonly model: string; readonly region: string | undefined },
  surroundings: LegSurroundings,
): ResolvedProviderLeg {
  return { type: 'provider', provider, model, anyModel: false, region, ...settle({}, surroundings, isReasoningModel(model)) }
}

function settle(
  input: Omit<ProviderLegInput, 'provider' | 'model' | 'region'>,
  surroundings: LegSurroundings,
  reasoning: boolean,
): Pick<ResolvedLeg, 'limits' | 'defaults' | 'reasoning' | 'retries' | 'price' | 'weight'> {
  return {
    limits: layerLegLimits([surroundings.limits, input]),
    defaults: layerDefaults([surroundings.defaults, input.defaults]),
    reasoning: input.reasoning ?? reasoning,
    retries: input.retries ?? surroundings.retries,
    price: input.price,
    weight: input.weight ?? 1,
  }
}
