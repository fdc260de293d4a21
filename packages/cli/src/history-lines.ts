import { z } from 'zod'
import { changeWords } from './change-words.js'
import type { Screen } from './screen.js'
import { ago } from './status/leg-cells.js'
import { tableLines } from './table.js'
import { plainText } from './text-width.js'

const json = z.record(z.string(), z.unknown()).nullish()

const entry = z.looseObject({
  version: z.number().nullish(),
  outcome: z.string(),
  actor: z.string().nullish(),
  reason: z.string().nullish(),
  at: z.number(),
  issues: z.array(z.string()).nullish(),
  document: json,
  previous: json,
})

/** What `GET /history` answers. */
export const historyAnswer = z.looseObject({ entries: z.array(entry) })

/** One entry of it. */
export type HistoryAnswerEntry = z.output<typeof entry>

/** The history as a table, newest first. */
export function historyLines(entries: readonly HistoryAnswerEntry[], route: string | undefined, now: number, screen: Screen): readonly string[] {
  const { paint } = screen
  const columns = [
    { head: 'VERSION', align: 'right' as const },
    { head: 'WHEN' },
    { head: 'WHAT', paint: (line: string, cell: string) => (cell === 'rejected' ? paint('red', line) : line) },
    { head: 'BY' },
    { head: 'REASON' },
    { head: 'CHANGE' },
  ]
  const rows = entries.map((one) => [
    one.version == null ? '-' : String(one.version),
    ago(one.at, now),
    plainText(one.outcome),
    plainText(one.actor ?? '-'),
    plainText(one.reason ?? '-'),
    one.outcome === 'rejected' ? plainText((one.issues ?? []).join('; ')) : changeWords(one.document ?? undefined, one.previous ?? undefined, route),
  ])
  return tableLines(columns, rows, { width: screen.width(), paintHead: (line) => paint('dim', line) })
}
