import type { ConfigIssue } from './config-error.js'
import { quote } from './show.js'

/** Where in the config: names and positions, from the argument down. */
export type Path = readonly (string | number)[]

/** Writes down one thing that is wrong. */
export function reportIssue(issues: ConfigIssue[], path: Path, message: string): void {
  issues.push({ path: formatPath(path), message })
}

/** A place as messages say it. */
export function formatPath(path: Path): string {
  return path.map(formatSegment).join('')
}

function formatSegment(segment: string | number, index: number): string {
  if (typeof segment === 'number') return `[${segment}]`
  const shown = quote(segment)
  if (!/^[A-Za-z_$][\w$]*$/.test(segment) || shown !== `'${segment}'`) return `[${shown}]`
  return index === 0 ? segment : `.${segment}`
}
