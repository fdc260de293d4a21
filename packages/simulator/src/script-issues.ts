import type { z } from 'zod'

import type { ScriptIssue } from './script-error.js'

type RawIssue = z.core.$ZodIssue
type UnionIssue = RawIssue & { readonly code: 'invalid_union' }

/** What the schema found, in words. */
export function describeIssues(issues: readonly RawIssue[]): ScriptIssue[] {
  return issues.flatMap((issue) => (issue.code === 'invalid_union' ? insideUnion(issue) : [describe(issue)]))
}

/** A union's own message says nothing; the member that got furthest says what is wrong. */
function insideUnion(issue: UnionIssue): ScriptIssue[] {
  const deepest = issue.errors.flat().filter((inner) => inner.path.length > 0)
  if (deepest.length === 0) return [describe(issue)]
  return describeIssues(deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })))
}

function describe(issue: RawIssue): ScriptIssue {
  return { path: pathText(issue.path), message: `${received(issue)}${expectation(issue)}` }
}

/** Issues whose message already says what came. */
const selfContained: ReadonlySet<string | undefined> = new Set(['unrecognized_keys', 'custom', 'invalid_key'])

function received(issue: RawIssue): string {
  if (selfContained.has(issue.code)) return ''
  const text = issue.input === undefined ? 'nothing' : JSON.stringify(issue.input)
  return `got ${text.length > 60 ? `${text.slice(0, 57)}...` : text}; `
}

function expectation(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      // The schema's own sentence, where it has one, is better than the list.
      if (!issue.message.startsWith('Invalid')) return issue.message
      return `it must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_type':
      return `it must be ${withArticle(issue.expected)}`
    case 'invalid_format':
      return `it must be ${issue.format}`
    case 'invalid_union':
      return `it must be ${expectedByUnion(issue)}`
    case 'invalid_key':
      return issue.issues.map(({ message }) => message).join('; ')
    case 'too_small':
      if (issue.origin === 'array') return `it must have at least ${issue.minimum} item`
      return `it must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
    case 'too_big':
      return `it must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`
    default:
      return issue.message
  }
}

function expectedByUnion(issue: UnionIssue): string {
  const members = issue.errors.flat().map(expectation).map((text) => text.replace(/^it must be /, ''))
  return [...new Set(members)].join(' or ')
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number'
  if (type === 'record') return 'an object'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    const name = String(key)
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
  }).join('')
  return text === '' ? 'script' : text.replace(/^\./, '')
}
