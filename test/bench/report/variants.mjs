import { dialectBudgets, dialectLoads, dialectTargets } from '../dialects.mjs'
import { featureLoads, features } from '../features.mjs'
import { ratio, summary } from '../figures.mjs'

const line = (cells) => `| ${cells.join(' | ')} |`

/** `us (x ratio)`; both medians, the ratio of the same rounds. */
function cell(figures, [of, key], [otherOf, otherKey]) {
  const measured = summary(figures.of(of, key))
  if (measured === undefined) return '-'
  const to = summary(figures.pairs([of, key], [otherOf, otherKey], ratio))
  const digits = measured.median < 20 ? 1 : 0
  return to === undefined ? measured.median.toFixed(digits) : `${measured.median.toFixed(digits)} (x ${to.median.toFixed(2)})`
}

const scaleTable = ({ title, points, rawToo, figures }) => [
  line([title, ...points.map(String)]),
  line(['---', ...points.map(() => '---')]),
  ...(rawToo ? ['raw', 'ours'] : ['ours']).map((of) => line([
    of === 'raw' ? 'plain pass-through' : 'Understudy on node:http',
    ...points.map((point) => cell(figures, [of, `${point}`], [of, `${points[0]}`])),
  ])),
  ...(rawToo
    ? [line(['to the pass-through', ...points.map((point) => {
      const to = summary(figures.pairs(['ours', `${point}`], ['raw', `${point}`], ratio))
      return to === undefined ? '-' : `x ${to.median.toFixed(2)}`
    })])]
    : []),
  '',
]

const featuresTable = (figures) => [
  line(['on', ...featureLoads.map(({ title }) => title)]),
  line(['---', ...featureLoads.map(() => '---')]),
  ...features.map((feature) => line([feature, ...featureLoads.map(({ title }) => cell(figures, [feature, title], ['none', title]))])),
  '',
]

const budgetCell = (figures, target, title) => {
  const budget = dialectBudgets.find((one) => one.target === target && one.title === title)
  const to = summary(figures.pairs([target, title], ['raw', title], ratio))
  if (budget === undefined || to === undefined) return ''
  return `, at most x ${budget.limit}: ${to.median <= budget.limit ? 'met' : '**not met**'}`
}

const dialectsTable = (figures) => [
  line(['target', ...dialectLoads.map(({ title }) => title)]),
  line(['---', ...dialectLoads.map(() => '---')]),
  ...dialectTargets.map(({ name, label }) => line([
    label,
    ...dialectLoads.map(({ title }) => `${cell(figures, [name, title], ['raw', title])}${budgetCell(figures, name, title)}`),
  ])),
  '',
]

/** The tables of what grows and of what can be switched off; in brackets the ratio to the first column, or to nothing on. */
export const variantTables = ({ scale = [], features: figures, dialects }) => [
  ...(scale.length === 0 ? [] : ['Understudy and the plain pass-through as things grow; x = to the smallest:', '']),
  ...scale.flatMap(scaleTable),
  ...(figures === undefined ? [] : ['What each feature costs on node:http; x = to none on:', '', ...featuresTable(figures)]),
  ...(dialects === undefined ? [] : ['A client of OpenAI\'s format over legs of another dialect; x = to the plain pass-through of OpenAI\'s:', '', ...dialectsTable(dialects)]),
].join('\n')
