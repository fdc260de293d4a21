import { showDuration } from '../duration.js'
import { drillWords } from '../drill-words.js'
import type { Screen } from '../screen.js'
import { tableLines } from '../table.js'
import { plainText } from '../text-width.js'
import { wrapText } from '../wrap-text.js'
import { ago, legCells, legName } from './leg-cells.js'
import type { RouteStatus, StatusAnswer } from './status-answer.js'

const INDENT = 2

/** What a person on call wants to know of a server, in lines. */
export function statusLines(status: StatusAnswer, shown: string, now: number, screen: Screen): readonly string[] {
  return [
    ...folded(`${shown}: ${liveWords(status, now)}`, screen),
    ...troubleWords(status, now).flatMap((text) => folded(text, screen).map((line) => screen.paint('yellow', line))),
    ...(status.drills ?? []).flatMap((drill) => folded(drillWords(drill, now), screen).map((line) => screen.paint('yellow', line))),
    ...status.routes.flatMap((route) => ['', ...routeLines(route, status, now, screen)]),
  ]
}

function routeLines(route: RouteStatus, status: StatusAnswer, now: number, screen: Screen): readonly string[] {
  const { paint } = screen
  const width = screen.width()
  const columns = [
    { head: 'LEG' },
    { head: 'HEALTH', paint: (line: string, cell: string) => (/^closed$/.test(cell) ? paint('green', line) : paint('yellow', line)) },
    { head: 'LAST SERVED' },
    { head: 'LAST FAILURE' },
    { head: 'NOTE', paint: (line: string) => paint('red', line) },
  ]
  const table = tableLines(columns, route.legs.map((leg) => legCells(leg, status, now)), { width, indent: INDENT, paintHead: (line) => paint('dim', line) })
  const [first = '', ...rest] = folded(`${plainText(route.name)}: ${chainWords(route, now)}`, screen)
  const presets = presetWords(route)
  return [
    paint('bold', first),
    ...rest,
    ...table,
    ...(presets === undefined ? [] : folded(presets, screen, INDENT)),
  ]
}

/** Which chain it is, where it comes from, since when, and by whom. */
function chainWords({ chain }: RouteStatus, now: number): string {
  const { layer, version, since, by, reason, preset, expires_at: expiresAt, marking } = chain
  const words = [preset == null ? 'the chain' : `preset '${plainText(preset)}'`]
  words.push(layer === 'code' ? 'of the code' : `of version ${version}${layer === 'last-known-good' ? ' (last known good: its source has not confirmed it)' : ''}`)
  if (since != null) words.push(`for ${showDuration(now - since)}`)
  if (by != null) words.push(`by ${plainText(by)}`)
  const ends = expiresAt == null ? '' : expiresAt > now ? `, back to 'normal' in ${showDuration(expiresAt - now)}` : ", back to 'normal' now"
  const marked = marking == null ? '' : `, marked '${plainText(marking)}'`
  return `${words.join(' ')}${ends}${marked}${reason == null ? '' : `: ${plainText(reason)}`}`
}

/** What else could be selected, and which of its legs nobody has seen serving. */
function presetWords({ chain, presets }: RouteStatus): string | undefined {
  // Without a preset a plain chain of the document runs, which stands in the place of `normal`.
  const others = (presets ?? []).filter(({ name }) => name !== (chain.preset ?? 'normal'))
  if (others.length === 0) return undefined
  const described = others.map(({ name, legs }) => {
    const unproven = legs.filter((leg) => leg.last_served_at == null).map(legName)
    return unproven.length === 0 ? plainText(name) : `${plainText(name)} (unproven: ${unproven.join(', ')})`
  })
  return `other presets: ${described.join('; ')}`
}

function liveWords({ live }: StatusAnswer, now: number): string {
  if (live == null) return 'no live document, the chains are those of the code'
  const what = live.version === 0 ? 'no live document yet' : `version ${live.version} of the live document`
  return `${what}, source ${plainText(live.source)}, ${live.last_read_at == null ? 'never read' : `read ${ago(live.last_read_at, now)}`}`
}

function troubleWords({ live }: StatusAnswer, now: number): readonly string[] {
  const { last_read_error: failed, rejected, last_rejection: last, ignored, holds_document: holdsDocument, version = 0 } = live ?? {}
  const words: string[] = []
  if (holdsDocument === false && version > 0) words.push(`the source holds no document any more; version ${version} keeps running`)
  if (ignored != null) {
    const who = `${ignored.by == null ? '' : ` by ${plainText(ignored.by)}`}${ignored.at == null ? '' : `, ${ago(ignored.at, now)}`}`
    words.push(`the source holds version ${ignored.version}${who}: it is ignored, since version ${version} runs; a change needs a higher version`)
  }
  if (failed != null) words.push(`the source cannot be read${failed.at == null ? '' : ` (${ago(failed.at, now)})`}: ${plainText(failed.message)}`)
  if (rejected != null && rejected > 0 && last != null) {
    const issues = (last.issues ?? []).map(plainText).join('; ')
    const which = `${last.version == null ? 'one' : `version ${last.version}`}${last.by == null ? '' : ` by ${plainText(last.by)}`}`
    words.push(`${rejected} refused since the start; the last was ${which}${last.at == null ? '' : `, ${ago(last.at, now)}`}: ${issues}`)
  }
  return words
}

function folded(text: string, screen: Screen, indent = 0): readonly string[] {
  const width = screen.width()
  const lines = width === undefined ? [text] : wrapText(text, width - indent)
  return lines.map((line) => ' '.repeat(indent) + line)
}
