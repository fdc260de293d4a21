import type { ChainChange } from '@understudy/core'
import { NORMAL, type CheckedDocument } from '../document/check-document.js'
import { shownLeg } from '../document/leg-name.js'
import type { ResolvedPreset, ResolvedRoute } from '../resolved-config.js'
import { entryIn } from './edit-document.js'
import type { Pin } from './pins.js'

/**
 * What each route runs: as the document has it, a pin whose time is over as `normal`, and what it does not name as the code has
 * it. A route that runs what it ran before is the same object, so that its legs need not be made again.
 */
export function effectiveRoutes(
  code: ReadonlyMap<string, ResolvedRoute>,
  document: CheckedDocument | undefined,
  pins: ReadonlyMap<string, Pin>,
  before: ReadonlyMap<string, ResolvedRoute> = code,
): ReadonlyMap<string, ResolvedRoute> {
  return new Map([...code].map(([name, route]) => {
    const made = document === undefined ? route : effectiveRoute(route, document, pins.get(name))
    const ran = before.get(name)
    return [name, ran !== undefined && isSame(ran, made) ? ran : made]
  }))
}

function effectiveRoute(route: ResolvedRoute, { routes }: CheckedDocument, pin: Pin | undefined): ResolvedRoute {
  const checked = routes.get(route.name)
  if (checked === undefined) return route
  const preset = pin?.isOver === true ? NORMAL : checked.active
  const selected: ResolvedPreset | undefined = checked.presets.get(preset)
  if (selected === undefined) return route
  const hasPresets = checked.presets.size > 1 || route.presets !== undefined
  return {
    ...route,
    legs: selected.legs,
    presets: hasPresets ? checked.presets : undefined,
    preset: hasPresets ? preset : undefined,
    marking: selected.marking,
  }
}

function isSame(one: ResolvedRoute, other: ResolvedRoute): boolean {
  return one === other || (
    one.preset === other.preset
    && one.marking === other.marking
    && one.presets === other.presets
    && one.legs.length === other.legs.length
    && one.legs.every((leg, index) => leg === other.legs[index])
  )
}

/** Whether a route runs another chain, preset or marking; its limits may be others all the same. */
export function isOtherChain(one: ResolvedRoute, other: ResolvedRoute): boolean {
  if (one === other) return false
  return one.preset !== other.preset || one.marking !== other.marking || namesOf(one).join('\n') !== namesOf(other).join('\n')
}

function namesOf({ legs }: ResolvedRoute): readonly string[] {
  return legs.map(shownLeg)
}

/**
 * The preset that a route runs, as people are told of it. A plain chain of the document stands in the place of the code's `normal`, and is not
 * called so: who reads `normal` thinks of the one in code.
 */
export function shownPreset({ name, preset }: ResolvedRoute, document: CheckedDocument | undefined): string | undefined {
  return preset === NORMAL && entryIn(document?.json, name)?.['chain'] !== undefined ? undefined : preset
}

/** The routes whose chain, preset or marking is another one now, as logs and events tell it. `pins` = those that hold now. */
export function changesOf(
  from: ReadonlyMap<string, ResolvedRoute>,
  to: ReadonlyMap<string, ResolvedRoute>,
  pins: ReadonlyMap<string, Pin>,
  document: CheckedDocument | undefined,
): readonly ChainChange[] {
  return [...to.values()].flatMap((route): ChainChange[] => {
    const ran = from.get(route.name)
    if (ran === undefined || !isOtherChain(ran, route)) return []
    const change = { route: route.name, from: namesOf(ran), to: namesOf(route) }
    const pin = pins.get(route.name)
    const expiresAt = pin?.isOver === false ? pin.expiresAt : undefined
    const preset = shownPreset(route, document)
    return [{ ...change, ...(preset !== undefined && { preset }), ...(expiresAt !== undefined && { expiresAt }) }]
  })
}
