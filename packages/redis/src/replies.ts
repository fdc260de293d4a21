import type { HistoryEntry } from '@understudy/config'
import { readHistoryEntry } from '@understudy/config'

/** A reply that is a text, also from a client that gives bytes; `undefined` for none. */
export function textOf(reply: unknown): string | undefined {
  if (typeof reply === 'string') return reply
  return Buffer.isBuffer(reply) ? reply.toString() : undefined
}

/** The entries of a reply, each a pair of its JSON and that of the document before it. What is no entry is passed over. */
export function historyOf(reply: unknown): readonly HistoryEntry[] {
  if (!Array.isArray(reply)) return []
  return reply.flatMap((item: unknown) => {
    const [entry, previous] = Array.isArray(item) ? item.map(textOf) : []
    const read: unknown = parse(entry)
    if (typeof read !== 'object' || read === null) return []
    return readHistoryEntry({ ...read, previous: parse(previous) }) ?? []
  })
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
