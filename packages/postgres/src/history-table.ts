import type { HistoryEntry } from '@understudy/config'
import { identifyEntry, readHistoryEntry } from '@understudy/config'
import type { TableNames } from './identifiers.js'
import type { RunQuery } from './postgres-client.js'
import { columnOf, parse } from './rows.js'

/** The history of one document. What it runs may stand in a transaction. */
export interface HistoryTable {
  /** Adds an entry that is not there yet. `written` = as the writer of the document notes it; the entry of who judged it takes its place. */
  readonly add: (run: RunQuery, entry: HistoryEntry, written: boolean) => Promise<void>
  /** Newest first. */
  readonly list: (run: RunQuery, query: { readonly limit: number; readonly version?: number | undefined }) => Promise<readonly HistoryEntry[]>
}

/** Keeps the newest `maxHistory` entries of the document `name`. */
export function createHistoryTable({ history }: TableNames, name: string, maxHistory: number): HistoryTable {
  return {
    add: async (run, entry, written) => {
      const { subject, entry: identity } = identifyEntry(entry)
      if (!written) {
        // In the place of what the writer noted: by now the next one may have noted something behind it.
        const replaced = await run(
          `UPDATE ${history} SET written = false, identity = $3, entry = $4
          WHERE id = (SELECT min(id) FROM ${history} WHERE name = $1 AND subject = $2 AND written) AND written
          AND NOT EXISTS (SELECT 1 FROM ${history} WHERE name = $1 AND identity = $3) RETURNING id`,
          [name, subject, identity, JSON.stringify(entry)],
        )
        await run(`DELETE FROM ${history} WHERE name = $1 AND subject = $2 AND written`, [name, subject])
        if (replaced.length > 0) return
      }
      await run(
        `INSERT INTO ${history} (name, version, subject, identity, written, entry) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (name, identity) DO NOTHING`,
        [name, entry.version, subject, written ? `${subject}:written` : identity, written, JSON.stringify(entry)],
      )
      await run(
        `DELETE FROM ${history} WHERE name = $1
        AND id <= (SELECT id FROM ${history} WHERE name = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)`,
        [name, maxHistory],
      )
    },
    list: async (run, { limit, version }) => {
      const rows = await run(
        `SELECT entry::text AS entry FROM ${history} WHERE name = $1 AND ($2::bigint IS NULL OR version = $2)
        ORDER BY id DESC LIMIT $3`,
        [name, version, limit],
      )
      return rows.flatMap((row) => readHistoryEntry(parse(columnOf(row, 'entry'))) ?? [])
    },
  }
}
