import type { Endpoint } from './endpoint.js'
import { changes, looks } from './endpoint.js'
import { jsonReply, refusal } from './reply.js'
import { drillBody, endDrillBody } from './schemas.js'
import { snakeCase } from './snake-case.js'

/** The calls for drills. */
export const DRILL_ENDPOINTS: readonly Endpoint[] = [
  looks('/drills', ({ fallback }) => jsonReply({ drills: fallback.drills.list().map(snakeCase) })),
  changes('/drills', drillBody, ({ fallback }, body, author) => {
    const { route, leg, fault, share, signed, for_ms: forMs, max_requests: maxRequests } = body
    if ((share === undefined) === (signed === undefined)) {
      return refusal('invalid_request', 'say which requests: share (over 0, at most 1), or signed: true, and not both')
    }
    const which = share === undefined ? { signed: true as const } : { share }
    return jsonReply(snakeCase(fallback.drills.start({ ...author, ...which, route, leg, fault, forMs, maxRequests })), 201)
  }),
  changes('/drills/end', endDrillBody, ({ fallback }, { id }, author) => jsonReply(snakeCase(fallback.drills.end({ ...author, id })))),
]
