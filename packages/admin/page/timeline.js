import { draw } from './dom.js'
import { isTrouble, sentence } from './happened.js'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const HEIGHT = 112
const BASE = 84
const TOP = 24

/** Draws the last hour of a route: requests and failovers by minute as bars, changes as marks. Everything in it stands in words beside it. */
export function drawTimeline(svg, { minutes, marks, now }) {
  const width = Math.max(svg.clientWidth, 200)
  svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
  const x = (at) => width - ((now - at) / HOUR_MS) * width
  const most = Math.max(1, ...minutes.map(({ runs, failovers }) => Math.max(runs, failovers)))
  const barWidth = Math.max(2, width / 60 - 1)
  const bar = (name, at, count, part) => {
    const height = (count / most) * (BASE - TOP)
    const left = Math.max(0, Math.min(x(at), width - barWidth))
    return draw('rect', { class: name, x: left + barWidth * (1 - part), y: BASE - height, width: barWidth * part, height })
  }
  svg.replaceChildren(
    draw('line', { class: 'axis', x1: 0, x2: width, y1: BASE + 0.5, y2: BASE + 0.5 }),
    ...minutes.flatMap(({ at, runs, failovers, failed }) => [
      bar('runs', at, runs, 1), bar('failovers', at, failovers, 0.66), bar('failed', at, failed, 0.33),
    ]),
    ...marks.map((event) => drawMark(event, Math.max(4, Math.min(x(event.at), width - 4)))),
    draw('text', { x: 0, y: HEIGHT - 8 }, '1 hour ago'),
    draw('text', { x: width, y: HEIGHT - 8, 'text-anchor': 'end' }, 'now'),
    draw('text', { x: 0, y: 12 }, `${most} a minute at most`),
  )
  svg.setAttribute('aria-label', summary(minutes, marks))
}

function drawMark(event, x) {
  const kind = isTrouble(event) ? 'mark trouble' : 'mark'
  return draw('g', { class: kind },
    draw('title', {}, sentence(event) ?? ''),
    draw('line', { x1: x, x2: x, y1: TOP, y2: BASE }),
    isTrouble(event) ? draw('path', { d: `M${x - 4} ${TOP + 4}h8l-4-8z` }) : draw('circle', { cx: x, cy: TOP, r: 4 }))
}

function summary(minutes, marks) {
  const sum = (name) => minutes.reduce((total, minute) => total + minute[name], 0)
  return `The last hour: ${sum('runs')} requests, ${sum('failovers')} failovers, ${sum('failed')} failed, ${marks.length} changes`
}

/** The minutes of one route. */
export function minutesOf(status, name) {
  return status.minutes
    .filter(({ at }) => at > status.at - HOUR_MS - MINUTE_MS)
    .map(({ at, routes }) => ({ at, runs: 0, failovers: 0, failed: 0, ...routes.find(({ route }) => route === name) }))
}
