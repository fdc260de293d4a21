import { resolve } from 'node:path'
import { ConfigError, type ConfigIssue } from './config-error.js'
import { createLegFinder } from './document/find-leg.js'
import { sourceFileAt } from './live/source-files.js'
import type { FallbackOptions } from './options.js'
import { ownProperties } from './own-properties.js'
import { resolveCallers } from './resolve-callers.js'
import { createProviderRegistry } from './provider-registry.js'
import { reportIssue } from './report-issue.js'
import type { ResolvedConfig, ResolvedEmbeddingRoute, ResolvedHealth, ResolvedLive, ResolvedProxy, ResolvedRoute } from './resolved-config.js'
import { settleMount } from './resolve-mount.js'
import type { ProviderContext } from './resolve-provider.js'
import { isEmbeddingRoute, resolveEmbeddings } from './resolve-embeddings.js'
import { resolveRoute, settleRoute, type RouteNotes } from './resolve-route.js'
import type { RoutesInput } from './routes-input.js'
import { checkObject } from './schema/check-object.js'
import { nameIssue } from './schema/names.js'
import { fallbackOptions } from './schema/options.js'
import { kindOf, oneLine, quote } from './show.js'

/** What a config is resolved in. */
export interface ConfigContext extends ProviderContext {
  /** Told what a person should know but what does not stop the mount. The code is stable. */
  readonly warn: (code: string, message: string) => void
}

type CheckedOptions = Omit<FallbackOptions, 'providers' | 'callerModels'>

/** Checks routes and options and fills in their defaults. Throws one `ConfigError` with everything that is wrong. */
export function resolveConfig(
  routes: RoutesInput,
  options: FallbackOptions | undefined,
  context: ConfigContext,
): ResolvedConfig {
  const issues: ConfigIssue[] = []
  const written = ownProperties(options ?? {})
  const checked: CheckedOptions = checkObject(fallbackOptions, options ?? {}, ['options'], issues) ?? {}
  const providers = createProviderRegistry(written?.providers, context, issues)

  const notes: RouteNotes = { incomplete: [], custom: [], idle: [] }
  const resolved = new Map<string, ResolvedRoute>()
  const embeddings = new Map<string, ResolvedEmbeddingRoute>()
  const leftOut: string[] = []
  for (const [name, route] of Object.entries(readRoutes(routes, issues))) {
    const complaint = nameIssue(name)
    if (complaint !== undefined) reportIssue(issues, ['routes', name], `the name ${complaint}`)
    if (isEmbeddingRoute(route)) embeddings.set(name, resolveEmbeddings(name, route, checked, providers, issues, leftOut))
    else resolved.set(name, resolveRoute(name, route, checked, providers, issues, notes))
  }

  const settings = settleRoute([checked])
  const callers = resolveCallers(checked, written?.callerModels, settings, providers, issues, notes)

  const ready = providers.ready()
  for (const { path, name } of notes.custom) {
    if (!ready.has(name)) continue
    reportIssue(issues, path, `is called ${quote(name)} like a provider; health and cost are kept by name`)
  }
  checkKeptPath(checked.chains, issues)
  // One for each provider, however many of its legs there are.
  const providerNames = notes.incomplete.map(({ provider }) => provider)
  const incomplete = notes.incomplete.filter(({ provider }, index) => providerNames.indexOf(provider) === index)
  const isLenient = checked.providerValidation === 'lenient'
  if (!isLenient) for (const { path, why } of incomplete) reportIssue(issues, path, why)
  if (issues.length > 0) throw new ConfigError(issues)
  for (const { why } of incomplete) context.warn('UNDERSTUDY_NO_CREDENTIALS', `${why}; its legs are left out`)
  for (const why of new Set(leftOut)) context.warn('UNDERSTUDY_NO_CREDENTIALS', `${why}; its legs of embeddings are left out`)
  for (const message of notes.idle) context.warn('UNDERSTUDY_LIMITS', message)

  return {
    routes: resolved,
    embeddings,
    providers: ready,
    settings,
    callers,
    mount: settleMount(checked),
    health: settleHealth(checked),
    logger: checked.logger,
    proxy: settleProxy(checked.proxy ?? 'environment'),
    live: settleLive(checked.chains),
    known: {
      routes: resolved,
      embeddings: new Set(embeddings.keys()),
      liveChanges: checked.liveChanges ?? 'any',
      legFor: createLegFinder({ routes: resolved, callerModels: callers.models, providers }),
    },
  }
}

/** Both would write there: what the operator wrote would be put aside as a damaged file of ours, or be replaced. */
function checkKeptPath(chains: CheckedOptions['chains'], issues: ConfigIssue[]): void {
  if (chains?.lastKnownGood === undefined) return
  const path = resolve(chains.lastKnownGood)
  const file = sourceFileAt(path, chains.source)
  if (file === undefined) return
  const same = file.path === path ? `which is ${file.what} too` : `which is the same file as '${oneLine(file.path)}', ${file.what}`
  reportIssue(issues, ['options', 'chains', 'lastKnownGood'], `is '${oneLine(path)}', ${same}; give a path of its own`)
}

function settleLive(chains: CheckedOptions['chains']): ResolvedLive | undefined {
  if (chains === undefined) return undefined
  const { source, pollMs = 5_000, jitter = 0.1, readTimeoutMs = 3_000, lastKnownGood } = chains
  // As the folder of the process is now: it may be another one when the file is written.
  return { source, pollMs, jitter, readTimeoutMs, lastKnownGood: lastKnownGood === undefined ? undefined : resolve(lastKnownGood) }
}

function readRoutes(routes: unknown, issues: ConfigIssue[]): Readonly<Record<string, unknown>> {
  const own = ownProperties(routes)
  if (own === undefined) {
    reportIssue(issues, ['routes'], `is ${kindOf(routes)}; it must be a plain object: { chat: ['openai/gpt-4o'] }`)
  } else if (Object.keys(own).length === 0) {
    reportIssue(issues, ['routes'], 'has no route; write at least one: { chat: [\'openai/gpt-4o\'] }')
  }
  return own ?? {}
}

function settleHealth(options: CheckedOptions): ResolvedHealth {
  const { breaker = {}, cooldown = true, health: shared, whenOpen = 'next', whenAllOpen = 'skip', priceHints } = options
  return { breaker, cooldown, shared, whenOpen, whenAllOpen, priceHints }
}

function settleProxy(proxy: string | false): ResolvedProxy {
  if (proxy === false) return { type: 'none' }
  return proxy === 'environment' ? { type: 'environment' } : { type: 'url', url: () => proxy }
}
