import { createHash } from 'node:crypto'
import type { DocumentCheck } from '../document/check-document.js'
import { identifyEntry } from './history-record.js'

/** What a source gave, as text; `undefined` = it cannot be written as one. */
export function textOf(document: unknown): string | undefined {
  try {
    return typeof document === 'string' ? document : JSON.stringify(document)
  } catch {
    return undefined
  }
}

/**
 * Two documents of one identity say the same, in whatever order a store gives back their members. One that cannot be read as JSON is
 * told from others by its `text`: what is wrong with it says too little.
 */
export function identityOf(check: DocumentCheck, text?: string): string {
  const document = check.type === 'checked' ? check.document.json : check.json
  const issues = check.type === 'checked' ? [] : check.issues.map(({ path, message }) => `${path}: ${message}`)
  if (document === undefined && text !== undefined) issues.push(createHash('sha256').update(text).digest('hex'))
  return identifyEntry({ version: undefined, outcome: 'applied', actor: undefined, reason: undefined, document, previous: undefined, issues, at: 0 }).subject
}
