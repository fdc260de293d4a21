import { ratio, summary } from '../figures.mjs'

const GROUPS = [
  { figure: 'json1k', title: 'JSON 1 KB' },
  { figure: 'firstLeg500', than: 'json1k', title: 'first leg 500' },
  { figure: 'burst', title: 'burst' },
  { figure: 'dense', title: 'dense' },
  { figure: 'memory5000', title: 'memory a stream' },
]
const WIDTH = 760
const LEFT = 270
const ROW = 15
const GAP = 26
const RIGHT = 50

const escape = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign])

/** The targets' ratios to raw as bars, a group for each figure; the line is raw. */
export function toChart({ figures, targets }) {
  const groups = GROUPS.map(({ figure, than = figure, title }) => ({
    title,
    bars: targets.flatMap(({ name, label, ours }) => {
      const to = summary(figures.pairs([name, figure], ['raw', than], ratio))
      return to === undefined || (name === 'raw' && figure === than) ? [] : [{ label, ours, value: to.median }]
    }),
  })).filter(({ bars }) => bars.length > 0)
  const largest = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const scale = (WIDTH - LEFT - RIGHT) / largest
  const parts = []
  let y = 24
  for (const { title, bars } of groups) {
    parts.push(`<text x="8" y="${y}" class="title">${escape(title)}, to raw</text>`)
    y += 8
    const top = y
    for (const { label, ours, value } of bars) {
      const width = (value * scale).toFixed(1)
      parts.push(
        `<text x="${LEFT - 8}" y="${y + 11}" text-anchor="end">${escape(label)}</text>`,
        `<rect x="${LEFT}" y="${y + 1}" width="${width}" height="${ROW - 3}" fill="${ours ? '#2a78b5' : '#b8bec6'}"/>`,
        `<text x="${(LEFT + value * scale + 5).toFixed(1)}" y="${y + 11}">${value.toFixed(2)}</text>`,
      )
      y += ROW
    }
    const one = (LEFT + scale).toFixed(1)
    parts.push(`<line x1="${one}" y1="${top}" x2="${one}" y2="${y}" stroke="#444" stroke-dasharray="3 2"/>`)
    y += GAP
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y - 10}" width="${WIDTH}" height="${y - 10}" role="img">`,
    '<title>Processor time and memory, to node:http + undici.request + pipeline (1 = the dashed line)</title>',
    '<style>text{font:11px sans-serif;fill:#24292f}.title{font-weight:bold}</style>',
    `<rect width="${WIDTH}" height="${y - 10}" fill="#fff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}
