import type { CheckedRoute, HistoryEntry, ResolvedRoute, RouteJson } from '@understudy/config'
import { changesRoute, entryBefore, entryIn, isSameSelection, NORMAL, shownLeg } from '@understudy/config'

import type { RouteState } from './chain-control.js'

/** The last change of a route, and the entry that undoes it. */
export interface RevertTarget {
  readonly change: HistoryEntry
  readonly entry: RouteJson
}

/** Finds what made a route what it is now, in a history that is newest first; `undefined` = it is not known. */
export function revertTarget(route: string, now: RouteJson, history: readonly HistoryEntry[]): RevertTarget | undefined {
  const change = history.find((entry) => entry.outcome === 'applied' && entry.document !== undefined
    && isSameSelection(entryIn(entry.document, route), now) && changesRoute(entry, route))
  return change && { change, entry: entryBefore(change, route, history) }
}

/** What a route would run by what a document says of it; `undefined` = it says nothing. */
export function stateBy(route: ResolvedRoute, checked: CheckedRoute | undefined, now: number): RouteState {
  if (checked === undefined) return stateOf(route)
  const { active, expiresAt, presets } = checked
  const preset = expiresAt !== undefined && expiresAt <= now ? NORMAL : active
  const { legs = [], marking } = presets.get(preset) ?? {}
  const isNamed = presets.size > 1 || route.presets !== undefined
  return stateOf({ legs, marking, preset: isNamed ? preset : undefined })
}

/** What a route runs. */
export function stateOf({ legs, preset, marking }: Pick<ResolvedRoute, 'legs' | 'preset' | 'marking'>): RouteState {
  return { legs: legs.map(shownLeg), ...(preset !== undefined && { preset }), ...(marking !== undefined && { marking }) }
}
