import { groupOf, type Case } from './case.js'
import { frameworkOf } from './hosts.js'
import { columnsOf } from '../kit/show-table.js'
import type { Play } from './plays.js'

/** Counts plays, and shows them by group and framework. */
export interface Table {
  /** `again`: how often it had to be repeated for want of a processor. */
  add(play: Pick<Play, 'of' | 'variant' | 'setUp'>, problems: readonly string[], again: number): void
  /** With what is left out, or asserted later, and why. */
  lines(leftOut: Readonly<Record<string, string>>, waiting: Readonly<Record<string, string>>): readonly string[]
}

interface Row {
  readonly group: string
  readonly id: string
  readonly variant: string
  readonly framework: string
  readonly ok: boolean
  readonly again: number
}

const frameworks = ['express', 'koa', 'fastify']

export function createTable(cases: readonly Case[]): Table {
  const rows: Row[] = []
  const groups = [...new Set(cases.map(({ group }) => group))]

  return {
    add: ({ of, variant, setUp }, problems, again) => {
      const framework = frameworkOf(setUp)
      rows.push({ group: groupOf(of), id: of.id, variant, framework, ok: problems.length === 0, again })
    },
    lines: (leftOut, waiting) => {
      const rowsOfGroups = groups.map((title) => {
        const group = title.slice(0, 3)
        const mine = rows.filter((row) => row.group === group)
        const distinct = (of: (row: Row) => string) => new Set(mine.map(of)).size
        const passed = mine.filter(({ ok }) => ok).length
        const by = frameworks.map((framework) => {
          const plays = mine.filter((row) => row.framework === framework)
          return `${plays.filter(({ ok }) => ok).length}/${plays.length}`
        })
        const absent = cases.filter((given) => groupOf(given) === group && leftOut[given.id] !== undefined).length
        const variants = distinct(({ id, variant }) => `${id} ${variant}`)
        return [title, distinct(({ id }) => id), variants, ...by, passed, mine.length - passed, absent]
      })
      const head = ['group', 'cases', 'variants', ...frameworks, 'passed', 'failed', 'left out']
      const notes = [['left out', leftOut], ['asserted in part', waiting]] as const
      const again = rows.reduce((sum, row) => sum + row.again, 0)
      return [
        ...columnsOf([head, ...rowsOfGroups]),
        ...(again === 0 ? [] : [`plays repeated because the machine was busy: ${again}`]),
        ...notes.flatMap(([what, reasons]) => cases
          .filter(({ id }) => reasons[id] !== undefined)
          .map(({ id, title }) => `${what}: ${id} ${title}: ${reasons[id]}`)),
      ]
    },
  }
}
