import { isRecord } from '@understudy/core'
import { whereNoJson } from '../json-place.js'
import type { ChainDocumentJson } from '../live/chain-source.js'
import { kindOf } from '../show.js'

/** A document as JSON data, or why there is none. */
export type ReadDocument =
  | { readonly json: ChainDocumentJson }
  | { readonly wrong: string; readonly json?: undefined }

/** Far more than any chain needs; more is a file of something else. */
const MOST_CHARACTERS = 1_048_576
const DEEPEST = 20

/** Reads what a source gave: a text as JSON, a value as it is. What comes back is a copy that nobody else holds. */
export function readDocument(document: unknown): ReadDocument {
  let value: unknown
  try {
    const written: unknown = typeof document === 'string' ? document : JSON.stringify(document)
    if (typeof written !== 'string') return { wrong: `is ${kindOf(document)}; it must be a JSON object` }
    if (written.length > MOST_CHARACTERS) return { wrong: `has ${written.length} characters; at most ${MOST_CHARACTERS} are read` }
    value = JSON.parse(written.replace(/^\uFEFF/, ''))
  } catch (error) {
    // What the parser says quotes the text, which may be anything.
    return { wrong: typeof document === 'string' ? `is no JSON${whereNoJson(document, error)}` : 'cannot be written as JSON' }
  }
  if (!isRecord(value)) return { wrong: `is ${kindOf(value)}; it must be a JSON object` }
  if (!isSound(value, 0)) return { wrong: `has a member called __proto__, or is nested over ${DEEPEST} levels` }
  return { json: value }
}

function isSound(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth > DEEPEST || Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every((member) => isSound(member, depth + 1))
}
