import { CATALOGUE } from './catalogue.js'
import type { ConfigIssue } from './config-error.js'
import { ownProperties } from './own-properties.js'
import { reportIssue, type Path } from './report-issue.js'
import type { ResolvedProvider } from './resolved-config.js'
import { resolveProvider, type ProviderContext, type ProviderOutcome } from './resolve-provider.js'
import { checkObject } from './schema/check-object.js'
import { nameIssue } from './schema/names.js'
import { providerInputOf } from './schema/provider.js'
import { kindOf } from './show.js'

/** The providers that legs can name. */
export interface ProviderRegistry {
  /** Every name that a leg can say and that can be asked. */
  readonly names: readonly string[]
  /** The provider of a name, `undefined` if unknown. One of the catalogue is put together when a leg first names it. */
  find(name: string, path: Path): ProviderOutcome | undefined
  /** Those that can be asked, by name. */
  ready(): ReadonlyMap<string, ResolvedProvider>
}

/** Reads `options.providers` and opens the catalogue. */
export function createProviderRegistry(
  written: unknown,
  context: ProviderContext,
  issues: ConfigIssue[],
): ProviderRegistry {
  const outcomes = new Map<string, ProviderOutcome>()
  const providerInput = providerInputOf(context.supportedDialects)
  for (const [name, entry] of Object.entries(readProviders(written, issues))) {
    const path = ['options', 'providers', name]
    const complaint = providerNameIssue(name)
    if (complaint !== undefined) reportIssue(issues, path, complaint)
    const input = checkObject(providerInput, entry, path, issues)
    outcomes.set(name, input === undefined || complaint !== undefined
      ? { type: 'wrong' }
      : resolveProvider({ name, input, entry: CATALOGUE.get(name), path }, context, issues))
  }
  return {
    names: [...new Set([...outcomes.keys(), ...usable(context)])],
    find(name, path) {
      const entry = CATALOGUE.get(name)
      const found = outcomes.get(name) ?? (entry && resolveProvider({ name, input: {}, entry, path }, context, issues))
      if (found !== undefined) outcomes.set(name, found)
      return found
    },
    ready() {
      const ready = new Map<string, ResolvedProvider>()
      for (const [name, outcome] of outcomes) if (outcome.type === 'ready') ready.set(name, outcome.provider)
      return ready
    },
  }
}

/** The names of the catalogue that would not be refused. */
function usable({ supportedDialects }: ProviderContext): readonly string[] {
  return [...CATALOGUE].flatMap(([name, { dialect }]) => (supportedDialects.has(dialect) ? [name] : []))
}

function readProviders(written: unknown, issues: ConfigIssue[]): Readonly<Record<string, unknown>> {
  if (written === undefined) return {}
  const own = ownProperties(written)
  if (own === undefined) {
    const right = 'a plain object: provider name -> provider'
    reportIssue(issues, ['options', 'providers'], `is ${kindOf(written)}; it must be ${right}`)
  }
  return own ?? {}
}

function providerNameIssue(name: string): string | undefined {
  const issue = nameIssue(name)
  if (issue !== undefined) return `the name ${issue}`
  if (name.includes('/')) return 'the name has a slash in it; \'provider/model\' is split at the first one'
  return name === 'custom' ? 'the name stands for custom legs; choose another' : undefined
}
