import type { Logger } from '@understudy/config'
import type { RunOutcome } from '@understudy/core'
import { legName, reasonOf } from '@understudy/core'

/** One line a run where there is something to say: a rescued request is good news, a failed one is not. Content-free. */
export function logRun(logger: Logger | undefined, requestId: string, route: string, outcome: RunOutcome): void {
  if (logger === undefined || (outcome.type === 'failed' && outcome.cause === 'aborted')) return
  if (outcome.type === 'committed' && outcome.trail.length === 1) return
  const attempts = outcome.trail.map((record) => ({
    leg: legName(record),
    outcome: record.outcome,
    reason: reasonOf(record),
  }))
  const fields = { requestId, route, attempts }
  if (outcome.type === 'failed') logger.error({ ...fields, cause: outcome.cause }, `route '${route}' found no leg`)
  else logger.info({ ...fields, served: legName(outcome.leg) }, `route '${route}' served by another leg`)
}
