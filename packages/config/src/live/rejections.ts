import type { ConfigIssue } from '../config-error.js'
import type { ChainDocumentJson } from './chain-source.js'

/** A document that was refused. Content-free: it says who and why, and what is wrong. */
export interface Rejection {
  readonly version?: number | undefined
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** What is wrong, each with its path. */
  readonly issues: readonly string[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Counts the documents that were refused, each once. */
export interface Rejections {
  /** What there is to tell; `undefined` if this document was told of before. */
  readonly add: (identity: string, issues: readonly ConfigIssue[], json: ChainDocumentJson | undefined, at: number) => Rejection | undefined
  /** From now on each is told of again: what is refused behind a document that was applied is another mistake. */
  readonly forget: () => void
  readonly summary: () => { readonly rejected: number; readonly lastRejection?: Rejection }
}

const MOST_IDENTITIES = 200
const MOST_ISSUES = 20
const LONGEST = 200

/** Makes a count that stands at 0. */
export function createRejections(): Rejections {
  const identities = new Set<string>()
  let rejected = 0
  let last: Rejection | undefined

  return {
    add(identity, issues, json, at) {
      if (identities.has(identity)) return undefined
      if (identities.size >= MOST_IDENTITIES) identities.clear()
      identities.add(identity)
      rejected += 1
      last = { version: versionIn(json), by: textIn(json, 'updated_by'), reason: textIn(json, 'reason'), issues: told(issues), at }
      return last
    },
    forget: () => identities.clear(),
    summary: () => (last === undefined ? { rejected } : { rejected, lastRejection: last }),
  }
}

function told(issues: readonly ConfigIssue[]): readonly string[] {
  const lines = issues.slice(0, MOST_ISSUES).map(({ path, message }) => `${path}: ${message}`)
  return issues.length > MOST_ISSUES ? [...lines, `and ${issues.length - MOST_ISSUES} more`] : lines
}

function versionIn(json: ChainDocumentJson | undefined): number | undefined {
  const version = json?.['version']
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : undefined
}

function textIn(json: ChainDocumentJson | undefined, key: string): string | undefined {
  const text = json?.[key]
  return typeof text === 'string' && text !== '' ? text.slice(0, LONGEST) : undefined
}
