import { advanceKinds } from '@understudy/core'
import type { CallerOptions } from './caller-options.js'
import type { ConfigIssue } from './config-error.js'
import { layerLegLimits } from './layers.js'
import type { ProviderRegistry } from './provider-registry.js'
import { reportIssue } from './report-issue.js'
import type { ResolvedCallers, ResolvedProviderLeg, ResolvedRouteSettings } from './resolved-config.js'
import { resolveLeg } from './resolve-leg.js'
import type { RouteNotes } from './resolve-route.js'
import type { RouteSettings } from './routes-input.js'
import { wrong } from './schema/rule.js'

const PATH = ['options', 'callerModels']
const RIGHT = 'a list of legs of known providers: [\'openai/gpt-4o\', ...]'

/** Reads what callers may do. `models` is `options.callerModels` as written. */
export function resolveCallers(
  options: CallerOptions & RouteSettings,
  models: unknown,
  settings: ResolvedRouteSettings,
  providers: ProviderRegistry,
  issues: ConfigIssue[],
  notes: RouteNotes,
): ResolvedCallers {
  const { identify, authorize, callerChains = true, callerAdvanceOn = 'triggers' } = options
  const surroundings = { limits: layerLegLimits([options]), defaults: settings.defaults, retries: settings.retries }
  const legs: ResolvedProviderLeg[] = []
  if (models !== undefined && !Array.isArray(models)) reportIssue(issues, PATH, wrong(models, RIGHT))
  for (const [index, each] of (Array.isArray(models) ? models : []).entries()) {
    const path = [...PATH, index]
    const outcome = resolveLeg(each, path, surroundings, providers, issues)
    if (outcome.type === 'incomplete') notes.incomplete.push({ path, provider: outcome.provider, why: outcome.why })
    if (outcome.type !== 'ready') continue
    if (outcome.leg.type === 'custom') reportIssue(issues, path, 'is a custom leg; put it into a route, and callers may name that')
    else if (outcome.leg.anyModel) reportIssue(issues, path, 'allows every model of the provider; write out those that callers may name')
    else legs.push(outcome.leg)
  }
  return { identify, authorize, chains: callerChains, models: legs, advanceOn: advanceKinds(callerAdvanceOn) }
}
