import { appendFileSync } from 'node:fs'
import type { Test } from 'tap'

/** Rows with their cells under one another. */
export function columnsOf(rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)))
  return rows.map((row) => row.map((cell, column) => String(cell).padEnd(widths[column] ?? 0)).join('  ').trimEnd())
}

/** Comments of a test; and lines of a file, where somebody collects them to show them plainly. */
export function showLines(t: Pick<Test, 'comment'>, lines: readonly string[]): void {
  for (const line of lines) t.comment(line)
  const { TABLE_FILE: file } = process.env
  if (file !== undefined) appendFileSync(file, `${lines.join('\n')}\n\n`)
}
