import type { z } from 'zod'

/** What is wrong with a body, and where. */
export interface BodyIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

type Issue = z.core.$ZodIssue

/** The kinds of JSON, as a sentence has them. */
const KINDS: Readonly<Record<string, string>> = {
  array: 'an array', object: 'an object', string: 'a string', number: 'a number', boolean: 'true or false', int: 'a whole number', null: 'null',
}

const RECEIVED = /received (\w+)$/
const MAX_KEY = 50
const MAX_KEYS = 5

/** What a person reads of a fault that a schema found: what came, and what would be right. Of values nothing but their kind. */
export function issueWords(issue: Issue): BodyIssue {
  const { path } = issue
  switch (issue.code) {
    case 'invalid_type':
      return { path, message: `${cameOf(issue)}; it must be ${kindOf(issue.expected)}` }
    case 'too_small':
      if (issue.origin !== 'number') return { path, message: `is empty; it must have ${issue.minimum} or more` }
      return { path, message: `is too small; it must be ${issue.minimum} or more` }
    case 'too_big':
      return { path, message: `is too ${issue.origin === 'number' ? 'large' : 'long'}; it must be ${issue.maximum} at most` }
    case 'invalid_value':
      return { path, message: `must be one of ${issue.values.map(String).join(', ')}` }
    case 'unrecognized_keys':
      return { path, message: `has a member that is not known here: ${namesOf(issue.keys)}` }
    case 'invalid_union':
      return unionWords(issue)
    default:
      return { path, message: issue.message }
  }
}

/** Of the form that came nearest, what is wrong inside it; else which forms there are. */
function unionWords({ path, message, errors }: Extract<Issue, { readonly code: 'invalid_union' }>): BodyIssue {
  // A schema that has words of its own knows best.
  if (message !== 'Invalid input') return { path, message }
  const firsts = errors.flatMap(([first]) => (first === undefined ? [] : [first]))
  const inside = firsts.find((issue) => issue.path.length > 0)
  if (inside !== undefined) {
    const words = issueWords(inside)
    return { path: [...path, ...words.path], message: words.message }
  }
  const [first] = firsts
  const kinds = firsts.flatMap((issue) => (issue.code === 'invalid_type' ? [kindOf(issue.expected)] : []))
  if (first?.code !== 'invalid_type' || kinds.length < firsts.length) return { path, message: 'has the wrong shape' }
  return { path, message: `${cameOf(first)}; it must be ${kinds.join(' or ')}` }
}

function namesOf(keys: readonly string[]): string {
  const told = keys.slice(0, MAX_KEYS).map((key) => key.slice(0, MAX_KEY)).join(', ')
  return keys.length > MAX_KEYS ? `${told} and ${keys.length - MAX_KEYS} more` : told
}

function cameOf({ message }: { readonly message: string }): string {
  const received = RECEIVED.exec(message)?.[1] ?? ''
  return received === 'undefined' ? 'is missing' : `is ${kindOf(received)}`
}

function kindOf(name: string): string {
  return KINDS[name] ?? name
}
