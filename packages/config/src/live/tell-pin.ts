import type { ChainChange } from '@understudy/core'
import type { CheckedDocument } from '../document/check-document.js'
import { showChange, type LiveHost } from './live-host.js'
import type { Pin, PinStep } from './pins.js'

/** What a step of a pin is told with. */
export interface PinTelling {
  readonly document: CheckedDocument
  readonly now: number
  /** What became of the route, when the pin is over. */
  readonly change: ChainChange | undefined
}

/** A pin that goes on, or was over when it came, as one line of a log. */
export function showPin({ route, preset, expiresAt, isOver }: Pin): string {
  const until = new Date(expiresAt).toISOString()
  if (isOver) return `the time of preset '${preset}' of route '${route}' was over at ${until}, so it runs 'normal'`
  return `route '${route}' stays on preset '${preset}' until ${until}`
}

/** Tells log and listeners of a step of a pin. */
export function tellPin(
  step: PinStep,
  { route, preset, since, expiresAt, toldHours }: Pin,
  { document, now, change }: PinTelling,
  { warn, emit }: Pick<LiveHost, 'warn' | 'emit'>,
): void {
  const { version, updatedBy: by, reason } = document
  const about = { version, by, reason, at: now, route, preset, since, expiresAt }
  const until = new Date(expiresAt).toISOString()
  const name = `preset '${preset}' of route '${route}'`
  switch (step) {
    case 'active-long':
      warn('UNDERSTUDY_PIN', `${name} is selected for ${toldHours} h now, until ${until}`, about)
      emit({ type: 'pin-active-long', ...about, hours: toldHours })
      return
    case 'expiring':
      warn('UNDERSTUDY_PIN', `${name} goes back to normal at ${until}`, about)
      emit({ type: 'pin-expiring', ...about })
      return
    case 'expired': {
      const chain = change ?? { route, from: [], to: [] }
      const shown = change === undefined ? 'the chain stays as it is' : showChange(change)
      warn('UNDERSTUDY_CHAIN_REVERTED', `the time of ${name} is over: ${shown}`, { ...about, change: chain })
      emit({ type: 'pin-expired', ...about })
      emit({ type: 'chain-reverted', version, by, reason, at: now, ...chain })
    }
  }
}
