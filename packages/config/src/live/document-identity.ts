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

/** Two documents of one identity say the same, in whatever order a store gives back their members. */
export function identityOf(check: DocumentCheck): string {
  const document = check.type === 'checked' ? check.document.json : check.json
  const issues = check.type === 'checked' ? [] : check.issues.map(({ path, message }) => `${path}: ${message}`)
  return identifyEntry({ version: undefined, outcome: 'applied', actor: undefined, reason: undefined, document, previous: undefined, issues, at: 0 }).subject
}
