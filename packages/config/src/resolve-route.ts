import {
  advanceKinds, attemptLimits, DEFAULT_MAX_RETRY_AFTER_MS, DEFAULT_RETRY_ON, minAttempt, type ChainLimits,
} from '@understudy/core'
import type { ConfigIssue } from './config-error.js'
import { NORMAL } from './document/check-document.js'
import { layerChainLimits, layerDefaults, layerLegLimits } from './layers.js'
import { suggestName } from './nearest-name.js'
import { ownProperties } from './own-properties.js'
import type { ProviderRegistry } from './provider-registry.js'
import { formatPath, reportIssue, type Path } from './report-issue.js'
import type { ResolvedLeg, ResolvedPreset, ResolvedRoute, ResolvedRouteSettings } from './resolved-config.js'
import { resolveLeg, type LegSurroundings } from './resolve-leg.js'
import type { RouteSettings } from './routes-input.js'
import { checkObject } from './schema/check-object.js'
import { nameIssue } from './schema/names.js'
import { presetOptions, routeOptions } from './schema/route.js'
import { wrong } from './schema/rule.js'
import { quote } from './show.js'

const PRESETS = 'an object: preset name -> legs, with normal among them'
const LEGS = 'a list of legs, at least one: [\'openai/gpt-4o\', ...]'

/** What can only be judged when every route has been read. */
export interface RouteNotes {
  /** Legs whose provider has no credentials. */
  readonly incomplete: { readonly path: Path; readonly provider: string; readonly why: string }[]
  readonly custom: { readonly path: Path; readonly name: string }[]
  /** Limits that can never fire, since another ends the attempt first. */
  readonly idle: string[]
}

/** Reads one route: a list of legs, or an object with legs and settings. */
export function resolveRoute(
  name: string,
  written: unknown,
  shared: RouteSettings,
  providers: ProviderRegistry,
  issues: ConfigIssue[],
  notes: RouteNotes,
): ResolvedRoute {
  const path = ['routes', name]
  const own = Array.isArray(written) ? undefined : ownProperties(written)
  if (!Array.isArray(written) && own === undefined) {
    reportIssue(issues, path, wrong(written, `${LEGS}, or an object with legs (or presets) in it`))
    return { name, legs: [], settings: settleRoute([shared]), legLimits: {} }
  }
  const options = own === undefined ? {} : checkObject(routeOptions, own, path, issues) ?? {}
  const layers = [shared, options]
  const settings = settleRoute(layers)
  checkDeadline(settings.limits, path, issues)
  const legLimits = layerLegLimits(layers)
  const surroundings = { limits: legLimits, defaults: settings.defaults, retries: settings.retries }

  const place = { surroundings, providers, issues, notes }
  const isWritten = (key: string): boolean => own !== undefined && Object.hasOwn(own, key) && own[key] !== undefined
  if (!isWritten('presets')) {
    if (isWritten('active')) reportIssue(issues, [...path, 'active'], 'selects a preset, and the route has no presets')
    const listed: unknown = own === undefined ? written : own.legs
    return { name, legs: resolveLegs(listed, own === undefined ? path : [...path, 'legs'], place), settings, legLimits }
  }
  if (isWritten('legs')) reportIssue(issues, [...path, 'legs'], 'stands beside presets; make it the preset normal')
  const presets = resolvePresets(own?.presets, [...path, 'presets'], place)
  const { active = NORMAL } = options
  const selected = presets.get(active)
  // Without `normal` among the presets that is what is wrong, and said already.
  if (selected === undefined && presets.size > 0 && active !== NORMAL) {
    reportIssue(issues, [...path, 'active'], `no preset is called ${quote(active)}; ${suggestName(active, [...presets.keys()])}`)
  }
  return { name, legs: selected?.legs ?? [], settings, legLimits, presets, preset: active, marking: selected?.marking }
}

interface LegsPlace {
  readonly surroundings: LegSurroundings
  readonly providers: ProviderRegistry
  readonly issues: ConfigIssue[]
  readonly notes: RouteNotes
}

function resolvePresets(written: unknown, path: Path, place: LegsPlace): ReadonlyMap<string, ResolvedPreset> {
  const { issues } = place
  const presets = new Map<string, ResolvedPreset>()
  const own = ownProperties(written)
  if (own === undefined) {
    reportIssue(issues, path, wrong(written, PRESETS))
    return presets
  }
  for (const [name, entry] of Object.entries(own)) {
    const at = [...path, name]
    const complaint = nameIssue(name)
    if (complaint !== undefined) reportIssue(issues, at, `the name ${complaint}`)
    const options = Array.isArray(entry) ? undefined : checkObject(presetOptions, entry, at, issues)
    const isObject = !Array.isArray(entry) && ownProperties(entry) !== undefined
    const listed: unknown = isObject ? options?.legs : entry
    const isListed = Array.isArray(entry) || options !== undefined
    const legs = isListed ? resolveLegs(listed, isObject ? [...at, 'legs'] : at, place) : []
    presets.set(name, { legs, marking: options?.marking })
  }
  if (!presets.has(NORMAL)) reportIssue(issues, path, `has no preset ${quote(NORMAL)}, which every other one goes back to`)
  return presets
}

function resolveLegs(listed: unknown, path: Path, { surroundings, providers, issues, notes }: LegsPlace): readonly ResolvedLeg[] {
  if (!Array.isArray(listed) || listed.length === 0) {
    reportIssue(issues, path, wrong(listed, LEGS))
    return []
  }
  const legs: ResolvedLeg[] = []
  const seen = new Map<string, number>()
  listed.forEach((each: unknown, index) => {
    const at = [...path, index]
    const outcome = resolveLeg(each, at, surroundings, providers, issues)
    if (outcome.type === 'wrong') return
    const first = seen.get(outcome.identity)
    if (first !== undefined) {
      reportIssue(issues, at, `is a repeated leg: ${describe(each)} stands at position ${first} already`)
      return
    }
    seen.set(outcome.identity, index)
    if (outcome.type === 'incomplete') {
      notes.incomplete.push({ path: at, provider: outcome.provider, why: outcome.why })
      return
    }
    legs.push(outcome.leg)
    noteIdleLimit(outcome.leg, index < listed.length - 1, at, notes)
    if (outcome.leg.type === 'custom') notes.custom.push({ path: at, name: outcome.leg.leg.name })
  })
  return legs
}

/** A deadline under which an attempt never gets the least that it is promised. */
export function checkDeadline(limits: ChainLimits, path: Path, issues: ConfigIssue[]): void {
  const { deadlineMs = false } = limits
  const leastMs = minAttempt(limits)
  if (deadlineMs === false || deadlineMs >= leastMs) return
  reportIssue(issues, [...path, 'deadlineMs'], `is ${deadlineMs}, which is less than the ${leastMs} (minAttemptMs) that a leg has to `
    + 'have left to be started; raise it, or lower minAttemptMs')
}

function noteIdleLimit({ limits }: ResolvedLeg, legsLeft: boolean, path: Path, notes: RouteNotes): void {
  const { firstContentTimeoutMs } = limits
  const { timeoutMs } = attemptLimits({ limits }, { legsLeft, reasoning: false, buffered: false })
  if (firstContentTimeoutMs === undefined || firstContentTimeoutMs <= timeoutMs) return
  const whose = limits.timeoutMs === undefined ? 'the default here' : 'set here'
  notes.idle.push(`${formatPath(path)}: firstContentTimeoutMs (${firstContentTimeoutMs}) is over timeoutMs (${timeoutMs}, ${whose}), `
    + 'which ends the attempt first; raise timeoutMs too')
}

function describe(leg: unknown): string {
  return typeof leg === 'string' ? quote(leg) : 'it'
}

/** The settings of a route, a later layer over the earlier ones, over the defaults. */
export function settleRoute(layers: readonly RouteSettings[]): ResolvedRouteSettings {
  const last = <Key extends keyof RouteSettings>(key: Key): RouteSettings[Key] =>
    layers.findLast((layer) => layer[key] !== undefined)?.[key]
  return {
    advanceOn: advanceKinds(last('advanceOn')),
    idempotency: last('idempotency') ?? 'always',
    commit: last('commit') ?? 'first_content',
    bufferedVia: last('bufferedVia') ?? 'json',
    order: last('order') ?? 'configured',
    retries: last('retries') ?? 0,
    retryOn: new Set(last('retryOn') ?? DEFAULT_RETRY_ON),
    maxRetryAfterMs: last('maxRetryAfterMs') ?? DEFAULT_MAX_RETRY_AFTER_MS,
    waitingComment: last('waitingComment') ?? false,
    untranslatable: last('untranslatable') ?? 'skip',
    translate: last('translate') ?? 'full',
    limits: layerChainLimits(layers),
    defaults: layerDefaults(layers.map((layer) => layer.defaults)),
  }
}
