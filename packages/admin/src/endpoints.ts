import type { InboundRequest, OutboundResponse } from '@understudy/http'

import { DRILL_ENDPOINTS } from './drills.js'
import type { AdminHost, Endpoint } from './endpoint.js'
import { asks, changes, looks } from './endpoint.js'
import { eventStream } from './event-stream.js'
import { history } from './history.js'
import { jsonReply, refusal, streamReply } from './reply.js'
import { pinBody, refreshBody, restoreBody, routeBody, tryBody } from './schemas.js'
import { snakeCase } from './snake-case.js'
import { tryLines } from './try-stream.js'

/** The whole surface but the files of the page. */
export const ENDPOINTS: readonly Endpoint[] = [
  looks('/status', ({ status }) => jsonReply(status())),
  looks('/events', events),
  looks('/revert', async ({ fallback }, { query }) => {
    const route = new URLSearchParams(query).get('route')
    if (route === null) return refusal('invalid_request', 'say which route: GET revert?route=chat')
    return jsonReply(snakeCase(await fallback.chains.revertPreview(route)))
  }),
  looks('/history', ({ fallback }, request) => history(fallback, request)),
  changes('/pin', pinBody, async ({ fallback }, { route, preset, for_ms: forMs, expected_version: expectedVersion }, author) =>
    jsonReply(snakeCase(await fallback.chains.pin({ ...author, route, preset, forMs, expectedVersion })))),
  changes('/unpin', routeBody, async ({ fallback }, { route, expected_version: expectedVersion }, author) =>
    jsonReply(snakeCase(await fallback.chains.unpin({ ...author, route, expectedVersion })))),
  changes('/revert', routeBody, async ({ fallback }, { route, expected_version: expectedVersion }, author) =>
    jsonReply(snakeCase(await fallback.chains.revert({ ...author, route, expectedVersion })))),
  changes('/restore', restoreBody, async ({ fallback }, { version, expected_version: expectedVersion }, author) =>
    jsonReply(snakeCase(await fallback.chains.restore({ ...author, version, expectedVersion })))),
  asks('/refresh', refreshBody, async ({ fallback, status }) => {
    await fallback.chains.refresh()
    return jsonReply(status())
  }),
  asks('/try', tryBody, ({ fallback }, { route, preset }, { signal }) =>
    streamReply('application/x-ndjson', tryLines(fallback.chains.trial(route, { preset, signal })))),
  ...DRILL_ENDPOINTS,
]

function events({ fallback, status, tickMs }: AdminHost, { query, signal }: InboundRequest): OutboundResponse {
  const asked = new URLSearchParams(query).get('types')
  const types = asked === null ? undefined : new Set(asked.split(','))
  return streamReply('text/event-stream; charset=utf-8', eventStream({ fallback, status, types, signal, tickMs }))
}
