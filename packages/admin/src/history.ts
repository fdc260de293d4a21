import type { Fallback, HistoryEntry, InboundRequest, OutboundResponse } from '@understudy/http'

import { jsonReply } from './reply.js'

/** Answers `GET /history?route=&limit=`. */
export async function history(fallback: Fallback, { query }: InboundRequest): Promise<OutboundResponse> {
  const asked = new URLSearchParams(query)
  const route = asked.get('route') ?? undefined
  const written = asked.get('limit')
  const limit = written === null ? undefined : Number(written)
  const entries = await fallback.chains.history({ route, limit })
  return jsonReply({ entries: entries.map(entryJson) })
}

/** The documents stand as they were written. */
function entryJson({ version, outcome, actor, reason, at, issues, document, previous }: HistoryEntry): Readonly<Record<string, unknown>> {
  return { version, outcome, actor, reason, at, issues, document, previous }
}
