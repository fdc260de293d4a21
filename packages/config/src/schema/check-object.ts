import { z } from 'zod'
import type { ConfigIssue } from '../config-error.js'
import { suggestName } from '../nearest-name.js'
import { ownProperties } from '../own-properties.js'
import { reportIssue, type Path } from '../report-issue.js'
import { kindOf } from '../show.js'
import { WITHOUT_EVAL } from './without-eval.js'

/** An object that refuses every other key. `hints` says more about keys that people can be expected to try; `more` = what is offered beside its own. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  hints: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
) {
  const known = [...Object.keys(shape), ...more]
  const explain = (key: string) => (Object.hasOwn(hints, key) ? hints[key] : `is not known; ${suggestName(key, known)}`)
  return z.strictObject(shape, {
    // One line for each key, in their order: checkObject takes them apart again.
    error: (issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map(explain).join('\n') : undefined),
  })
}

/** Checks one object, and reports everything that is wrong with it. `undefined` if anything is. */
export function checkObject<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  path: Path,
  issues: ConfigIssue[],
): z.output<Schema> | undefined {
  const own = ownProperties(value)
  if (own === undefined) {
    reportIssue(issues, path, `is ${kindOf(value)}; it must be a plain object`)
    return undefined
  }
  const result = schema.safeParse(own, WITHOUT_EVAL)
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const at = [...path, ...issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment))]
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n')
      issue.keys.forEach((key, index) => reportIssue(issues, [...at, key], messages[index] ?? 'is not known'))
    } else {
      reportIssue(issues, at, issue.message)
    }
  }
  return undefined
}
