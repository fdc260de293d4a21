import { NORMAL } from '../document/check-document.js'
import { ownProperties } from '../own-properties.js'
import type { ChainDocumentJson, HistoryEntry } from './chain-source.js'
import { entryIn, isSameEntry, routesIn, type RouteJson } from './edit-document.js'
import { PIN_MS } from './pins.js'

/** Whether two entries select the same, whether or not the time of a pin has been stamped on one of them meanwhile. */
export function isSameSelection(one: RouteJson, other: RouteJson): boolean {
  return isSameEntry(one, other) || isStamped(one, other) || isStamped(other, one)
}

/** Whether a document that was applied changed a route. The time that a change of another route stamped on its pin is no change. */
export function changesRoute({ document, previous }: Pick<HistoryEntry, 'document' | 'previous'>, route: string): boolean {
  const [before, after] = [entryIn(previous, route), entryIn(document, route)]
  if (isSameEntry(before, after)) return false
  if (!isStamped(before, after)) return true
  const own = stampedEntry(before, timeIn(previous))
  if (own !== undefined && !isSameEntry(own, after)) return true
  const names = new Set([...Object.keys(routesIn(previous)), ...Object.keys(routesIn(document))])
  return ![...names].some((name) => name !== route && !isSameSelection(entryIn(previous, name), entryIn(document, name)))
}

/** The entry of a route as it was before a change, its pin with the time that it had, which would begin anew without. */
export function entryBefore(change: HistoryEntry, route: string, history: readonly HistoryEntry[]): RouteJson {
  const { previous, at } = change
  const entry = entryIn(previous, route)
  const applied = history.find(({ outcome, document }) => outcome === 'applied' && document?.['version'] === previous?.['version'])
  return stampedEntry(entry, Math.min(timeIn(previous) ?? Infinity, applied?.at ?? at)) ?? entry
}

/** `undefined` where there is no time, or nothing to stamp it on. */
function stampedEntry(entry: RouteJson, since: number | undefined): RouteJson {
  const active = entry?.['active']
  if (since === undefined || active === undefined || active === NORMAL || entry?.['expires_at'] !== undefined) return undefined
  return { ...entry, expires_at: new Date(since + PIN_MS).toISOString() }
}

function isStamped(before: RouteJson, after: RouteJson): boolean {
  if (before === undefined || after?.['expires_at'] === undefined || before['expires_at'] !== undefined) return false
  return isSameEntry({ ...before, expires_at: after['expires_at'] }, after)
}

function timeIn(document: ChainDocumentJson | undefined): number | undefined {
  const written = ownProperties(document)?.['updated_at']
  const time = typeof written === 'string' ? Date.parse(written) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
