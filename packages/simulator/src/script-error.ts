import type { z } from 'zod'

/** One thing that is wrong with a script. */
export interface ScriptIssue {
  /** Where, as one would write it: `models.gpt[0].fault.do`. */
  readonly path: string
  /** What came and what would be right. */
  readonly message: string
}

const marker = Symbol.for('understudy.simulator.script-error')

/** A script that the simulator cannot play. Nothing of it was applied. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly code = 'SIMULATOR_SCRIPT_INVALID'
  readonly issues: readonly ScriptIssue[]
  readonly [marker] = true

  constructor(issues: readonly ScriptIssue[]) {
    super(`the script is not valid\n${issues.map(({ path, message }) => `  ${path}: ${message}`).join('\n')}`)
    this.issues = issues
  }
}

/** Whether something thrown is a `ScriptError`, whichever copy of this package threw it. */
export function isScriptError(error: unknown): error is ScriptError {
  return typeof error === 'object' && error !== null && marker in error
}

type RawIssue = z.core.$ZodIssue

/** What the schema found, in words. */
export function describeIssues(issues: readonly RawIssue[]): ScriptIssue[] {
  return issues.flatMap((issue) => (issue.code === 'invalid_union' ? insideUnion(issue) : [describe(issue)]))
}

/** A union's own message says nothing; the member that got furthest says what is wrong. */
function insideUnion(issue: RawIssue & { code: 'invalid_union' }): ScriptIssue[] {
  const deepest = issue.errors.flat().filter((inner) => inner.path.length > 0)
  if (deepest.length === 0) return [describe(issue)]
  return describeIssues(deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })))
}

function describe(issue: RawIssue): ScriptIssue {
  return { path: pathText(issue.path), message: `${received(issue)}${expectation(issue)}` }
}

function received(issue: RawIssue): string {
  if (issue.code === 'unrecognized_keys' || issue.code === 'custom') return ''
  const text = issue.input === undefined ? 'nothing' : JSON.stringify(issue.input)
  return `got ${text.length > 60 ? `${text.slice(0, 57)}...` : text}; `
}

function expectation(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `it must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_type':
      return `it must be ${article(issue.expected)}`
    case 'too_small':
      return `it must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
    case 'too_big':
      return `it must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`
    default:
      return issue.message
  }
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
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
