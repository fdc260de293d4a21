import { isRecord } from '@understudy/core'
import { z } from 'zod'

import type { BodyIssue } from './issue-words.js'
import { issueWords } from './issue-words.js'

/** The first item of a large array in a value that does not fit. */
export type FirstBadItem = (value: unknown) => BodyIssue | undefined

type Schema = z.core.$ZodType

const LARGE = 100

/**
 * Made of a schema once: a look for the first item that does not fit in any large array that the schema knows of. A schema collects an
 * issue for every item of an array before it gives up, which for a body with millions of bad ones takes a minute and gigabytes, or more
 * arguments than a call can have; here the first one ends it. `undefined`: the schema knows no array.
 *
 * Of a union at most one form may hold arrays; for two nobody could say which one was meant, so that is a `TypeError`.
 */
export function firstBadItem(schema: Schema): FirstBadItem | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return firstBadItem(schema.unwrap())
  if (schema instanceof z.ZodArray) return inArray(schema.element)
  if (schema instanceof z.ZodObject) return inObject(schema)
  if (!(schema instanceof z.ZodUnion)) return undefined
  const [found, ...others] = schema.options.flatMap((option) => firstBadItem(option) ?? [])
  if (others.length > 0) throw new TypeError('a union of several forms with arrays')
  return found
}

function inArray(element: Schema): FirstBadItem {
  const inItem = firstBadItem(element)
  return (value) => {
    if (!Array.isArray(value)) return undefined
    const items: readonly unknown[] = value
    // What is inside an item first: judging the item would judge all that it holds.
    return (inItem && firstOf(items, inItem)) ?? (items.length > LARGE ? firstOf(items, (item) => issueOf(item, element)) : undefined)
  }
}

function firstOf(items: readonly unknown[], look: FirstBadItem): BodyIssue | undefined {
  for (const [index, item] of items.entries()) {
    const issue = look(item)
    if (issue !== undefined) return under(index, issue)
  }
  return undefined
}

function inObject(schema: z.ZodObject): FirstBadItem | undefined {
  const looks = Object.entries<Schema>(schema.shape).flatMap(([name, field]) => {
    const look = firstBadItem(field)
    return look === undefined ? [] : [{ name, look }]
  })
  if (looks.length === 0) return undefined
  return (value) => {
    if (!isRecord(value)) return undefined
    for (const { name, look } of looks) {
      const issue = look(value[name])
      if (issue !== undefined) return under(name, issue)
    }
    return undefined
  }
}

function issueOf(item: unknown, schema: Schema): BodyIssue | undefined {
  const parsed = z.core.safeParse(schema, item, { jitless: true })
  if (parsed.success) return undefined
  const [issue] = parsed.error.issues
  return issue === undefined ? { path: [], message: 'has the wrong shape' } : issueWords(issue)
}

function under(key: PropertyKey, { path, message }: BodyIssue): BodyIssue {
  return { path: [key, ...path], message }
}
