import { NORMAL, type CheckedDocument, type CheckedRoute } from '../document/check-document.js'

const HOUR_MS = 3_600_000

/** How long a preset other than `normal` stays selected that does not say it. */
export const PIN_MS = 4 * HOUR_MS
const EXPIRING_MS = 600_000

/** A preset other than `normal`, selected for a time. All times in milliseconds since the epoch. */
export interface Pin {
  readonly route: string
  readonly preset: string
  /** When it was selected; later versions that keep it selected do not change that. */
  readonly since: number
  readonly expiresAt: number
  /** Whether its time is over. It never runs again, whatever the wall clock says then. */
  readonly isOver: boolean
  /** So many hours were told of. */
  readonly toldHours: number
  readonly toldExpiring: boolean
}

/** What a pin is due for. */
export type PinStep = 'active-long' | 'expiring' | 'expired'

/** Whether a route runs something else than `normal`, going by what was selected. */
export function isPinned({ active }: CheckedRoute): boolean {
  return active !== NORMAL
}

/**
 * The pins of a document that is applied now. One that its time is over for already never begins. What was known of a pin of
 * the same preset goes on: `before` = the pins of what ran until now.
 */
export function pinsOf(
  document: CheckedDocument,
  firstAppliedAt: number,
  now: number,
  before: ReadonlyMap<string, Pin> = new Map(),
): ReadonlyMap<string, Pin> {
  const pins = new Map<string, Pin>()
  for (const [route, checked] of document.routes) {
    if (!isPinned(checked)) continue
    // The clock of whoever wrote it may be ahead: nothing was written behind its first application.
    const writtenAt = Math.min(document.updatedAt ?? firstAppliedAt, firstAppliedAt)
    const expiresAt = checked.expiresAt ?? writtenAt + PIN_MS
    const known = before.get(route)
    // It may be over by a wall clock that was set back since.
    const wasOver = known?.isOver === true && known.preset === checked.active && known.expiresAt === expiresAt
    const goesOn = known !== undefined && known.preset === checked.active && !known.isOver
    const since = goesOn ? known.since : Math.min(document.updatedAt ?? firstAppliedAt, now)
    pins.set(route, {
      route,
      preset: checked.active,
      since,
      expiresAt,
      isOver: wasOver || expiresAt <= now,
      toldHours: goesOn ? known.toldHours : 0,
      // Nobody has to be told that a pin of a few minutes ends in a few minutes.
      toldExpiring: (goesOn && known.toldExpiring && known.expiresAt === expiresAt) || expiresAt - since <= EXPIRING_MS,
    })
  }
  return pins
}

/**
 * The pins of a document that ran before a restart. One whose time went by meanwhile is still to be told of: it is not over here, and
 * its next step ends it.
 */
export function keptPins(
  document: CheckedDocument,
  firstAppliedAt: number,
  now: number,
  kept: readonly Pin[],
): ReadonlyMap<string, Pin> {
  const known = new Map(kept.map((pin) => [pin.route, pin]))
  const pins = pinsOf(document, firstAppliedAt, now, known)
  return new Map([...pins].map(([route, pin]) => {
    const ran = known.get(route)
    return [route, ran === undefined || ran.preset !== pin.preset ? pin : { ...pin, isOver: ran.isOver }]
  }))
}

/** The pins that are told of beside the chains: that go on until another time, or were over when they came. `changes` = the routes that run something else now. */
export function movedPins(
  pins: ReadonlyMap<string, Pin>,
  before: ReadonlyMap<string, Pin>,
  changes: readonly { readonly route: string }[],
): readonly Pin[] {
  return [...pins.values()].filter((pin) =>
    before.get(pin.route)?.expiresAt !== pin.expiresAt && (pin.isOver || !changes.some(({ route }) => route === pin.route)))
}

/** What a pin is due for at this time of the wall clock, and the pin behind it. */
export function stepOf(pin: Pin, now: number): { readonly pin: Pin; readonly steps: readonly PinStep[] } {
  if (pin.isOver) return { pin, steps: [] }
  if (now >= pin.expiresAt) return { pin: { ...pin, isOver: true }, steps: ['expired'] }
  const hours = Math.floor((now - pin.since) / HOUR_MS)
  const isLong = hours > pin.toldHours
  const isExpiring = !pin.toldExpiring && now >= pin.expiresAt - EXPIRING_MS
  if (!isLong && !isExpiring) return { pin, steps: [] }
  return {
    pin: { ...pin, toldHours: Math.max(hours, pin.toldHours), toldExpiring: pin.toldExpiring || isExpiring },
    steps: [...(isLong ? ['active-long' as const] : []), ...(isExpiring ? ['expiring' as const] : [])],
  }
}
