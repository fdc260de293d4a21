import { writeFileSync } from 'node:fs'
import { checkBudgets } from '../budgets.mjs'
import { toChart } from './chart.mjs'
import { describeMachine } from './machine.mjs'
import { toMarkdown } from './markdown.mjs'

const file = (name) => new URL(`../${name}`, import.meta.url)

/** Prints the tables, and keeps them and the chart beside the bench if `save`. */
export function writeReport({ save, ...run }) {
  const checked = checkBudgets(run.figures, run.targets)
  const text = toMarkdown({ ...run, checked, machine: describeMachine() })
  process.stdout.write(text)
  if (!save) return
  writeFileSync(file('results.md'), text)
  writeFileSync(file('results.svg'), toChart(run))
}
