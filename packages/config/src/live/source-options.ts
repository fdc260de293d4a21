import type { ConfigIssue } from '../config-error.js'
import { ConfigError } from '../config-error.js'
import { suggestName } from '../nearest-name.js'
import { ownProperties } from '../own-properties.js'
import { kindOf } from '../show.js'

/** What an option of a source may be: a word for messages, and whether a value is one. */
export interface SourceOption {
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
}

/** A text that is not empty. */
export const TEXT: SourceOption = { expected: 'a text that is not empty', accepts: (value) => typeof value === 'string' && value.trim() !== '' }

/** `true` or `false`. */
export const SWITCH: SourceOption = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' }

/** A whole number of something, within bounds. */
export function wholeNumber(least: number, most: number): SourceOption {
  const accepts = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  return { expected: `a whole number from ${least} to ${most}`, accepts }
}

/**
 * Throws a `ConfigError` with everything that is wrong with the options of a source: unknown names, values that are none, and what is
 * missing of `required`.
 */
export function checkSourceOptions(
  source: string,
  options: unknown,
  known: Readonly<Record<string, SourceOption>>,
  required: readonly string[] = [],
): void {
  const issues: ConfigIssue[] = []
  const own = ownProperties(options)
  if (own === undefined) {
    const message = `is ${kindOf(options)}; expected an object with ${Object.keys(known).join(', ')}`
    throw new ConfigError([{ path: source, message }])
  }
  const given = new Map(Object.entries(own))
  for (const name of new Set([...required, ...given.keys()])) {
    const path = `${source}.${name}`
    const option = Object.hasOwn(known, name) ? known[name] : undefined
    const value: unknown = given.get(name)
    if (option === undefined) {
      issues.push({ path, message: `is no option; ${suggestName(name, Object.keys(known))}` })
    } else if ((value !== undefined || required.includes(name)) && !option.accepts(value)) {
      issues.push({ path, message: `is ${kindOf(value)}; expected ${option.expected}` })
    }
  }
  if (issues.length > 0) throw new ConfigError(issues)
}
