import type { Fallback, HistoryEntry, InboundRequest, OutboundResponse } from '@understudy/http'

import { jsonReply, refusal } from './reply.js'

const MOST_ENTRIES = 500

/** Answers `GET /history?route=&limit=`. */
export async function history(fallback: Fallback, { query }: InboundRequest): Promise<OutboundResponse> {
  const asked = new URLSearchParams(query)
  const route = asked.get('route') ?? undefined
  const written = asked.get('limit')
  const limit = written === null ? undefined : Number(written)
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1 || limit > MOST_ENTRIES)) {
    return refusal('invalid_request', `limit must be a whole number from 1 to ${MOST_ENTRIES}`)
  }
  const entries = await fallback.chains.history({ route, limit })
  return jsonReply({ entries: entries.map(entryJson) })
}

/** The documents stand as they were written. */
function entryJson({ version, outcome, actor, reason, at, issues, document, previous }: HistoryEntry): Readonly<Record<string, unknown>> {
  return { version, outcome, actor, reason, at, issues, document, previous }
}
