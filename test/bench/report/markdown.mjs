import { difference, ratio, summary } from '../figures.mjs'
import { faults } from '../outcomes.mjs'
import { direct } from '../targets.mjs'
import { columns } from './columns.mjs'

const line = (cells) => `| ${cells.join(' | ')} |`

/** `median (min..max)`, or the median alone where there was one round. */
function range({ median, min, max }, digits) {
  const [middle, low, high] = [median, min, max].map((value) => value.toFixed(digits))
  return low === high ? middle : `${middle} (${low}..${high})`
}

/** The values of a column for a target, taken off or as measured. */
function valuesOf(figures, name, { figure, direct: alone, itself }) {
  if (alone !== undefined) return figures.pairs([name, figure], [direct.name, alone], difference)
  if (itself !== undefined) return figures.pairs([name, figure], [name, itself], difference)
  return figures.of(name, figure)
}

function cell(figures, target, column, budget) {
  const measured = summary(valuesOf(figures, target.name, column))
  if (measured === undefined) return '-'
  const to = column.ratio ? summary(figures.pairs([target.name, column.figure], ['raw', column.than ?? column.figure], ratio)) : undefined
  return [
    range(measured, column.digits),
    ...(to === undefined ? [] : [`x ${to.median.toFixed(2)}`]),
    ...(budget === undefined ? [] : [budget.met ? 'met' : '**not met**']),
  ].join(', ')
}

function figuresTable({ figures, targets, checked }) {
  const shown = columns.filter(({ figure }) => targets.some(({ name }) => figures.of(name, figure).length > 0))
  const budgetOf = (target, { figure }) => checked.find((one) => one.target === target.name && one.figure === figure)
  return [
    line(['target', ...shown.map(({ title }) => title)]),
    line(['---', ...shown.map(() => '---')]),
    ...[direct, ...targets].map((target) => line([
      target.label,
      ...shown.map((column) => (target === direct && column.direct ? '-' : cell(figures, target, column, budgetOf(target, column)))),
    ])),
  ]
}

const outcomesTable = ({ targets, outcomes }) => [
  line(['leg 1', ...faults.map(({ title }) => title)]),
  line(['---', ...faults.map(() => '---')]),
  ...targets.filter(({ name }) => outcomes.has(name)).map(({ name, label }) =>
    line([label, ...faults.map(({ mode }) => outcomes.get(name).get(mode))])),
  ...targets.filter(({ fallback }) => !fallback).map(({ label }) => line([label, 'no fallback', ...faults.slice(1).map(() => '')])),
]

const budgetsTable = (checked) => [
  line(['budget', 'target', 'against', 'measured', 'at most', '', 'aim', '']),
  line(['---', '---', '---', '---', '---', '---', '---', '---']),
  ...checked.map(({ title, target, base, measured, limit, aim, more, met, reached }) => line([
    title, target, base,
    more ? `${measured.median < 0 ? '' : '+'}${range(measured, 2)} ms` : `x ${range(measured, 2)}`,
    more ? `+${limit} ms` : `x ${limit}`,
    met ? 'met' : '**not met**',
    more ? `+${aim} ms` : `x ${aim}`,
    reached ? 'reached' : 'not yet',
  ])),
]

/** The whole report. */
export function toMarkdown({ figures, targets, outcomes, broken, checked, machine, pinning, plan, quick, seconds }) {
  const streams = plan.openStreams.at(-1)
  const asked = targets.filter(plan.memoryOf)
  const whole = asked.filter(({ name }) => figures.of(name, 'completed').at(-1) === streams).length
  return [
    '# Results',
    '',
    `${machine.date}, commit ${machine.commit}, Node ${machine.node}, ${machine.cores}; ${pinning.note}.`,
    `${plan.rounds} round(s)${quick ? ' (quick: rough figures)' : ''}, ${Math.round(seconds)} s. Processor time of the target's process;`,
    'median (smallest..largest) of the rounds; x = to `node:http + undici.request + pipeline` in the same round.',
    '',
    ...figuresTable({ figures, targets, checked }),
    '',
    ...(outcomes.size === 0 ? [] : [
      'What a client gets of a stream when leg 1 fails and leg 2 is well, with a limit of one second on silence where a target has one:',
      '',
      ...outcomesTable({ targets, outcomes }),
      '',
    ]),
    `${streams} of ${streams} slow streams completed on ${whole} of ${asked.length} targets.`,
    '',
    ...budgetsTable(checked),
    '',
    ...broken.map(({ name, message }) => `Broke: ${name}: ${message}\n`),
  ].join('\n')
}
