import type { z } from 'zod'
import type { ConfigIssue } from '../config-error.js'
import { reportIssue, type Path } from '../report-issue.js'

type Issue = z.core.$ZodIssue

/** Everything that is wrong with a shape, with its path from `root` down. */
export function shapeIssues(root: Path, issues: readonly Issue[]): readonly ConfigIssue[] {
  const found: ConfigIssue[] = []
  for (const issue of issues) report(found, root, issue)
  // A text where a list belongs breaks the bounds of its length too, with the same words.
  return found.filter(({ path, message }, index) => index === found.findIndex((other) => other.path === path && other.message === message))
}

function report(found: ConfigIssue[], above: Path, issue: Issue): void {
  const path = [...above, ...issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment))]
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n')
    issue.keys.forEach((key, index) => reportIssue(found, [...path, key], messages[index] ?? 'is not known here'))
  } else if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    for (const inner of likeliest(issue.errors)) report(found, path, inner)
  } else {
    reportIssue(found, path, issue.message)
  }
}

/** Of the forms that a value can have, the one that it was probably meant for: its complaints are the ones that help. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const [best = []] = [...branches].sort((one, other) => strangeness(one) - strangeness(other))
  return best
}

function strangeness(issues: readonly Issue[]): number {
  const isOther = issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
  const unknown = issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
  return (isOther ? 1_000_000 : 0) + unknown * 1_000 + issues.length
}
