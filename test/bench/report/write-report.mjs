import { writeFileSync } from 'node:fs'
import { checkBudgets } from '../budgets.mjs'
import { toChart } from './chart.mjs'
import { describeMachine } from './machine.mjs'
import { toMarkdown } from './markdown.mjs'
import { variantTables } from './variants.mjs'

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

/** Prints the tables of scale, features and dialects, and keeps them beside the bench if all were measured in full. */
export function writeVariants({ plan, pinning, quick, ...found }) {
  const { date, commit, node, cores } = describeMachine()
  const text = [
    '# Scale, features and dialects',
    '',
    `${date}, commit ${commit}, Node ${node}, ${cores}; ${pinning.note}.`,
    `${plan.rounds} round(s), processor time of the target's process, medians.`,
    '',
    variantTables(found),
  ].join('\n')
  process.stdout.write(text)
  if (!quick && found.scale && found.features && found.dialects) writeFileSync(file('results-scale.md'), text)
}
