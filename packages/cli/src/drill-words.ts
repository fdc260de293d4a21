import { showDuration } from './duration.js'
import { ago } from './status/leg-cells.js'
import type { DrillStatus } from './status/status-answer.js'
import { plainText } from './text-width.js'

/** A drill in one sentence. */
export function drillWords(drill: DrillStatus, now: number): string {
  const { id, route, leg, fault, share, signed, drilled, max_requests: most, expires_at: expiresAt, by, reason } = drill
  const which = signed === true ? 'signed requests' : share == null ? 'requests' : `${Number((share * 100).toFixed(2))} % of the requests`
  const { ended_at: endedAt, end_cause: cause } = drill
  const until = endedAt == null ? `${showDuration(expiresAt - now)} left` : `over ${ago(endedAt, now)}${cause == null ? '' : ` (${cause})`}`
  const who = by == null ? '' : `, by ${by}`
  return plainText(
    `${id}: ${fault} for ${which} to ${leg ?? 'the first leg'} of ${route}, ${drilled} of at most ${most} failed, ${until}${who}${reason == null ? '' : `: ${reason}`}`,
  )
}
