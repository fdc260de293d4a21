import { arrivalsOf } from './iterable.js'
import type { CustomLeg, Leg } from './leg.js'

/** A leg as the core runs it; a custom leg's name is both its provider and its model. */
export function legOf(leg: Leg | CustomLeg): Leg {
  if ('provider' in leg) return leg
  const { name, limits, reasoning, retries, price, weight } = leg
  return {
    provider: name,
    model: name,
    limits,
    reasoning,
    retries,
    price,
    weight,
    async open(request, { signal, onConnect }) {
      // Most cannot say when they are connected, and an SDK's call resolves at the headers or at the whole answer: a default for
      // connections would cut every slow model. Whoever sets the limit knows.
      if (limits?.connectTimeoutMs === undefined) onConnect()
      return { form: 'none', arrivals: arrivalsOf(await leg.open(request, { signal, onConnect })) }
    },
  }
}
