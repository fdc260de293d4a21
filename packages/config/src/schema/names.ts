import { wrong } from './rule.js'

/** Names stand in headers, logs and metrics: no control characters, no half of a surrogate pair. */
const UNFIT = /[\p{Cc}\p{Cs}]/u

/** What is wrong with a name that clients or trails show; `undefined` if nothing is. */
export function nameIssue(name: unknown): string | undefined {
  if (typeof name !== 'string') return wrong(name, 'a text')
  if (name === '') return 'is empty; it must be a text'
  if (UNFIT.test(name)) return `${wrong(name, 'a text')} without line breaks or other control characters`
  return undefined
}
