import type { ConfigIssue } from '../config-error.js'
import type { ChainDocumentJson } from '../live/chain-source.js'
import { suggestName } from '../nearest-name.js'
import { ownProperties } from '../own-properties.js'
import { reportIssue, type Path } from '../report-issue.js'
import type { ResolvedPreset, ResolvedRoute } from '../resolved-config.js'
import { nameIssue } from '../schema/names.js'
import { WITHOUT_EVAL } from '../schema/without-eval.js'
import { quote } from '../show.js'
import type { ChainEntries, PresetEntry, RouteEntry } from './document-schema.js'
import { longDocument, routeEntry, shortDocument } from './document-schema.js'
import type { KnownChains } from './known-chains.js'
import { unknownRoute } from './known-chains.js'
import { identityOf, namedLeg } from './leg-name.js'
import { readDocument } from './read-document.js'
import { shapeIssues } from './shape-issues.js'

/** The preset that a pin goes back to. */
export const NORMAL = 'normal'

/** What a document makes of a route, with its legs made. */
export interface CheckedRoute {
  /** Those that can be selected, by name. A plain chain of the document is `normal`, beside the others of the code. */
  readonly presets: ReadonlyMap<string, ResolvedPreset>
  readonly active: string
  /** As written, in milliseconds since the epoch; `undefined` = it says nothing. */
  readonly expiresAt: number | undefined
}

/** A document that can be run. */
export interface CheckedDocument {
  readonly version: number
  readonly updatedBy: string
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly updatedAt: number | undefined
  /** The routes that do not run as the code has them. */
  readonly routes: ReadonlyMap<string, CheckedRoute>
  /** The document itself, in its long form. */
  readonly json: ChainDocumentJson
}

/** What became of a document. What can be read of one that is wrong is there too, for the history. */
export type DocumentCheck =
  | { readonly type: 'checked'; readonly document: CheckedDocument }
  | {
      readonly type: 'wrong'
      readonly issues: readonly ConfigIssue[]
      readonly json: ChainDocumentJson | undefined
    }

const ROOT = 'document'

/**
 * Judges a document whole: its shape, and whether everything that it names is there in the code of this process. Nothing of it counts
 * if anything is wrong.
 */
export function checkDocument(written: unknown, known: KnownChains): DocumentCheck {
  const read = readDocument(written)
  if (read.json === undefined) return { type: 'wrong', issues: [{ path: ROOT, message: read.wrong }], json: undefined }
  const { json } = read
  const form = Object.hasOwn(json, 'chain') && !Object.hasOwn(json, 'routes') ? shortDocument : longDocument
  const shape = form.safeParse(json, WITHOUT_EVAL)
  if (!shape.success) return { type: 'wrong', issues: [...shapeIssues([ROOT], shape.error.issues), ...issuesOfRoutes(json, known)], json }

  const { data } = shape
  const issues: ConfigIssue[] = []
  const routes = new Map<string, CheckedRoute>()
  let long = json
  if ('chain' in data) {
    const [only, ...others] = [...known.routes.values()]
    if (only === undefined || others.length > 0) {
      reportIssue(issues, [ROOT, 'chain'], `there are ${known.routes.size} routes; write routes: { name: { chain } }`)
    } else {
      routes.set(only.name, checkRoute({ chain: data.chain }, only, known, [ROOT], issues))
      const { chain, ...rest } = json
      long = { ...rest, routes: { [only.name]: { chain } } }
    }
  } else {
    for (const [name, entry] of Object.entries(data.routes)) {
      const route = known.routes.get(name)
      const path = [ROOT, 'routes', name]
      if (route === undefined) reportIssue(issues, path, unknownRoute(name, known))
      else routes.set(name, checkRoute(entry, route, known, path, issues))
    }
  }
  if (issues.length > 0) return { type: 'wrong', issues, json }
  const { version, updated_by: updatedBy, reason, updated_at: updatedAt } = data
  return {
    type: 'checked',
    document: { version, updatedBy, reason, updatedAt: timeOf(updatedAt), routes, json: long },
  }
}

/** What is wrong with the routes of a document whose shape is wrong somewhere: all that can be said is said at once. */
function issuesOfRoutes(json: ChainDocumentJson, known: KnownChains): readonly ConfigIssue[] {
  const issues: ConfigIssue[] = []
  for (const [name, entry] of Object.entries(ownProperties(json['routes']) ?? {})) {
    const path = [ROOT, 'routes', name]
    const route = known.routes.get(name)
    if (route === undefined) {
      reportIssue(issues, path, unknownRoute(name, known))
      continue
    }
    const shape = routeEntry.safeParse(entry, WITHOUT_EVAL)
    if (shape.success) checkRoute(shape.data, route, known, path, issues)
  }
  return issues
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

function checkRoute(
  entry: RouteEntry,
  route: ResolvedRoute,
  known: KnownChains,
  path: Path,
  issues: ConfigIssue[],
): CheckedRoute {
  const composed = 'chain' in entry ? 'chain' : 'presets' in entry ? 'presets' : undefined
  if (composed !== undefined && known.liveChanges === 'presets') {
    reportIssue(issues, [...path, composed], "composes a chain, which liveChanges: 'presets' forbids; select a preset of the code: { active }")
  }
  if ('chain' in entry) {
    const legs = checkChain(entry.chain, route, known, [...path, 'chain'], issues)
    // Those of the code can still be pinned, and go back to this chain.
    return { presets: new Map([...(route.presets ?? []), [NORMAL, { legs, marking: undefined }]]), active: NORMAL, expiresAt: undefined }
  }
  const { active } = entry
  const presets = 'presets' in entry ? checkPresets(entry.presets, route, known, path, issues) : route.presets
  if (presets === undefined) {
    reportIssue(issues, [...path, 'active'], 'selects a preset, and neither the code nor the document has any for this route')
    return { presets: new Map(), active, expiresAt: undefined }
  }
  const selected = presets.get(active)
  if (selected === undefined) {
    // Without `normal` among the presets that is what is wrong, and said already.
    if (active !== NORMAL) reportIssue(issues, [...path, 'active'], `no preset is called ${quote(active)}; ${suggestName(active, [...presets.keys()])}`)
  } else if (selected.legs.length === 0 && !('presets' in entry)) {
    reportIssue(issues, [...path, 'active'], `no leg of the preset ${quote(active)} can be used in this process: its providers have no credentials`)
  }
  return { presets, active, expiresAt: timeOf(entry.expires_at) }
}

function checkPresets(
  written: Readonly<Record<string, PresetEntry>>,
  route: ResolvedRoute,
  known: KnownChains,
  path: Path,
  issues: ConfigIssue[],
): ReadonlyMap<string, ResolvedPreset> {
  const presets = new Map<string, ResolvedPreset>()
  for (const [name, entry] of Object.entries(written)) {
    const at = [...path, 'presets', name]
    const complaint = nameIssue(name)
    if (complaint !== undefined) reportIssue(issues, at, `the name ${complaint}`)
    const { chain, marking } = Array.isArray(entry) ? { chain: entry, marking: undefined } : entry
    presets.set(name, { legs: checkChain(chain, route, known, Array.isArray(entry) ? at : [...at, 'chain'], issues), marking })
  }
  if (!presets.has(NORMAL)) {
    reportIssue(issues, [...path, 'presets'], `has no preset ${quote(NORMAL)}, which every other one goes back to`)
  }
  return presets
}

function checkChain(
  entries: ChainEntries,
  route: ResolvedRoute,
  known: KnownChains,
  path: Path,
  issues: ConfigIssue[],
): ResolvedPreset['legs'] {
  const seen = new Map<string, number>()
  return entries.flatMap((entry, index) => {
    const at = [...path, index]
    const named = namedLeg(entry)
    const identity = identityOf(named)
    const first = seen.get(identity)
    if (first !== undefined) {
      reportIssue(issues, at, `is a repeated leg: it stands at position ${first} already`)
      return []
    }
    seen.set(identity, index)
    const found = known.legFor(named, route)
    if ('leg' in found) return [found.leg]
    reportIssue(issues, at, found.wrong)
    return []
  })
}
