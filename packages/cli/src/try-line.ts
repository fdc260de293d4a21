import type { Screen } from './screen.js'
import { plainText, textWidth } from './text-width.js'
import { wrapText } from './wrap-text.js'

/** What one leg answered. */
export interface Trial {
  readonly provider: string
  readonly model: string
  readonly ok: boolean
  readonly answer?: string | null | undefined
  readonly kind?: string | null | undefined
  readonly status?: number | null | undefined
  readonly first_content_ms?: number | null | undefined
  readonly total_ms: number
}

/** Rows are printed as they come, so their columns are as wide as most need. */
const LEG_WIDTH = 36
const TIME_WIDTH = 10
const INDENT = 8

/** One leg as it comes: how it went, how fast, and what it said. */
export function tryLine(trial: Trial, { paint, width }: Screen): readonly string[] {
  const { provider, model, ok, answer, kind, status, first_content_ms: first, total_ms: total } = trial
  const leg = plainText(`${provider}/${model}`)
  const outcome = ok ? paint('green', 'ok    ') : paint('red', 'failed')
  const said = ok ? `'${plainText(answer ?? '')}'` : `${plainText(kind ?? 'unknown')}${status == null ? '' : ` (${status})`}`
  const times = `${first == null ? '' : `first ${milliseconds(first)}, `}whole ${milliseconds(total)}`
  const line = `${padded(leg, LEG_WIDTH)}  ${padded(times, 2 * TIME_WIDTH + 9)}  ${said}`
  const columns = width()
  if (columns === undefined || textWidth(line) + INDENT <= columns) return [`${outcome}  ${line}`.trimEnd()]
  const [head = '', ...more] = wrapText(`${leg}, ${times}: ${said}`, columns - INDENT)
  return [`${outcome}  ${head}`, ...more.map((text) => ' '.repeat(INDENT) + text)]
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

function milliseconds(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
