import type { z } from 'zod'

import type { BodyIssue } from './issue-words.js'
import { issueWords } from './issue-words.js'
import type { ItemSchemas, TurnNames } from './schemas.js'

const LARGE = 100

/**
 * The first item of a large array that does not fit. A schema collects an issue for every item of an array before it gives up,
 * which for a body with millions of bad ones takes a minute and gigabytes; here the first one ends it.
 */
export function firstBadItem(
  body: Readonly<Record<string, unknown>>,
  items: ItemSchemas,
  [list, held]: TurnNames = ['messages', 'content'],
): BodyIssue | undefined {
  const { [list]: messages, tools, stop, stop_sequences: sequences } = body
  if (Array.isArray(messages)) {
    for (const [index, message] of (messages as unknown[]).entries()) {
      if (typeof message !== 'object' || message === null) continue
      const { [held]: content, tool_calls: toolCalls } = message as Readonly<Record<string, unknown>>
      const issue =
        firstBad(content, items.contentPart, [list, index, held]) ??
        firstBad(toolCalls, items.toolCall, [list, index, 'tool_calls'])
      if (issue !== undefined) return issue
    }
  }
  return (
    firstBad(messages, items.message, [list]) ??
    firstBad(tools, items.tool, ['tools']) ??
    firstBad(stop, items.stop, ['stop']) ??
    firstBad(sequences, items.stop, ['stop_sequences'])
  )
}

function firstBad(items: unknown, schema: z.ZodType, path: readonly PropertyKey[]): BodyIssue | undefined {
  if (!Array.isArray(items) || items.length <= LARGE) return undefined
  for (const [index, item] of (items as unknown[]).entries()) {
    const parsed = schema.safeParse(item, { jitless: true })
    if (parsed.success) continue
    const [issue] = parsed.error.issues
    const found = issue === undefined ? { path: [], message: 'has the wrong shape' } : issueWords(issue)
    return { ...found, path: [...path, index, ...found.path] }
  }
  return undefined
}
