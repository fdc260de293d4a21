import { textWidth } from './text-width.js'
import { wrapText } from './wrap-text.js'

/** One column: its head, and how its cells are shown. */
export interface Column {
  readonly head: string
  readonly align?: 'right' | undefined
  /** Colours a line of a cell, which does not change its width. */
  readonly paint?: ((line: string, cell: string) => string) | undefined
}

/** How a table is laid out. */
export interface TableOptions {
  /** `undefined` = as wide as its cells. */
  readonly width: number | undefined
  readonly indent?: number | undefined
  readonly paintHead?: ((line: string) => string) | undefined
}

const GAP = 2
/** Narrower is no column that anybody can read. */
const LEAST = 6

/** The lines of a table. Nothing is cut: what does not fit into the width is broken into lines. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, indent = 0, paintHead = (line) => line }: TableOptions,
): readonly string[] {
  if (rows.length === 0) return []
  const shown = columns.map((column, index) => ({ column, index })).filter(({ index }) => rows.some((row) => (row[index] ?? '') !== ''))
  const natural = shown.map(({ column, index }) => Math.max(textWidth(column.head), ...rows.map((row) => textWidth(row[index] ?? ''))))
  const widths = fitted(natural, width === undefined ? undefined : width - indent - GAP * (shown.length - 1))
  const margin = ' '.repeat(indent)

  const line = (cells: readonly (readonly string[])[], paint: (text: string, position: number) => string): readonly string[] =>
    Array.from({ length: Math.max(1, ...cells.map((cell) => cell.length)) }, (_, row) => {
      const pieces = cells.map((cell, position) => {
        const text = cell[row] ?? ''
        const space = ' '.repeat(Math.max(0, (widths[position] ?? 0) - textWidth(text)))
        const painted = text === '' ? '' : paint(text, position)
        return shown[position]?.column.align === 'right' ? space + painted : painted + space
      })
      return (margin + pieces.join(' '.repeat(GAP))).trimEnd()
    })

  const head = line(shown.map(({ column }, position) => wrapText(column.head, widths[position] ?? LEAST)), paintHead)
  return [
    ...head,
    ...rows.flatMap((row) => line(
      shown.map(({ index }, position) => wrapText(row[index] ?? '', widths[position] ?? LEAST)),
      (text, position) => {
        const { column, index } = shown[position] ?? {}
        return column?.paint === undefined || index === undefined ? text : column.paint(text, row[index] ?? '')
      },
    )),
  ]
}

/** Takes from the widest column, place by place, until all fit or none can give any more. */
function fitted(natural: readonly number[], most: number | undefined): readonly number[] {
  const widths = [...natural]
  if (most === undefined) return widths
  while (widths.reduce((sum, width) => sum + width, 0) > most) {
    const widest = widths.reduce((best, width, index) => (width > (widths[best] ?? 0) ? index : best), 0)
    const width = widths[widest] ?? 0
    if (width <= LEAST) return widths
    widths[widest] = width - 1
  }
  return widths
}
