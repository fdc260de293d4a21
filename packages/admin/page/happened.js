import { lasting, nameOf } from './words.js'

/** What an event says to a person; `undefined` = nothing. */
export function sentence(event) {
  switch (event.type) {
    case 'chain-applied': {
      const changes = event.changes.map(({ route, preset, to }) => `${route} runs ${preset === undefined ? to.join(', ') : `preset ${preset}`}`)
      return `${changes.length === 0 ? 'A document with no change' : changes.join('; ')}, by ${event.by}: ${event.reason}`
    }
    case 'chain-reverted':
      return `${event.route} went back to ${event.preset ?? 'normal'} by itself`
    case 'chain-rejected':
      return `A document was refused: ${event.issues[0] ?? 'it cannot be run'}`
    case 'pin-active-long':
      return `The pin of ${event.route} to ${event.preset} lasts for ${event.hours} h now`
    case 'pin-expiring':
      return `The pin of ${event.route} to ${event.preset} ends in ${lasting(event.expires_at - event.at)}`
    case 'pin-expired':
      return `The pin of ${event.route} to ${event.preset} is over`
    case 'breaker-open':
      return `${event.provider} keeps failing and is left out`
    case 'breaker-closed':
      return `${event.provider} answers again`
    case 'leg-misconfigured':
      return `${nameOf(event)} looks wrongly set: ${event.kind}`
    case 'drill-start':
      return `A drill on ${event.route} began (${event.fault}), by ${event.by}: ${event.reason}`
    case 'drill-end':
      return `The drill on ${event.route} is over; it failed ${event.drilled} ${event.drilled === 1 ? 'attempt' : 'attempts'}`
    default:
      return undefined
  }
}

/** Whether it is about this route. */
export function isAbout(event, route) {
  if (event.changes !== undefined) return event.changes.some((change) => change.route === route.name)
  if (event.route !== undefined) return event.route === route.name
  if (event.provider !== undefined) return [route, ...(route.presets ?? [])].some(({ legs }) => legs.some(({ provider }) => provider === event.provider))
  return true
}

export function isTrouble({ type }) {
  return type === 'breaker-open' || type === 'chain-rejected' || type === 'leg-misconfigured'
}
