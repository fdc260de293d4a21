import { arrivalsOf } from './iterable.js'
import type { CustomLeg, Leg } from './leg.js'

/** A leg as the core runs it; a custom leg's name is both its provider and its model. */
export function legOf(leg: Leg | CustomLeg): Leg {
  if ('provider' in leg) return leg
  const { name, limits, reasoning, retries } = leg
  return {
    provider: name,
    model: name,
    limits,
    reasoning,
    retries,
    async open(request, context) {
      return { form: 'none', arrivals: arrivalsOf(await leg.open(request, context)) }
    },
  }
}
