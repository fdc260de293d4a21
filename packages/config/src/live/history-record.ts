import { isRecord } from '@understudy/core'
import { createHash } from 'node:crypto'
import type { ChainDocumentJson, HistoryEntry, HistoryOutcome } from './chain-source.js'
import { storedVersion } from './stored-version.js'

const OUTCOMES: ReadonlySet<unknown> = new Set<HistoryOutcome>(['applied', 'rejected', 'reverted'])

/** What makes two entries the same one, in words that every process finds by itself. */
export interface HistoryIdentity {
  /** Version and document: what was judged. */
  readonly subject: string
  /** Version, document and outcome: an entry that is kept once, however many processes tell of it. */
  readonly entry: string
}

/** Names an entry. Where no document could be kept, what was wrong with it stands in its place. */
export function identifyEntry({ version, outcome, document, issues }: HistoryEntry): HistoryIdentity {
  const content = JSON.stringify(sorted(document ?? issues))
  const subject = `${version ?? ''}:${createHash('sha256').update(content).digest('hex').slice(0, 32)}`
  return { subject, entry: `${subject}:${outcome}` }
}

/**
 * What a writer notes together with what it writes, so that no change is without its entry. It gives way to the first entry that a
 * process makes of the same document.
 */
export function writtenEntry(document: ChainDocumentJson, previous: ChainDocumentJson | undefined, at: number): HistoryEntry {
  return {
    version: storedVersion(document),
    outcome: 'applied',
    actor: textOf(document['updated_by']),
    reason: textOf(document['reason']),
    document,
    previous,
    issues: [],
    at,
  }
}

/** An entry as a store kept it, or `undefined` if it is none: a store may hold what others put there. */
export function readHistoryEntry(value: unknown): HistoryEntry | undefined {
  if (!isRecord(value)) return undefined
  const { version, actor, reason, document, previous, issues, at } = value
  const outcome = value['outcome']
  if (!isOutcome(outcome) || typeof at !== 'number') return undefined
  return {
    version: typeof version === 'number' ? version : undefined,
    outcome,
    actor: textOf(actor),
    reason: textOf(reason),
    document: isRecord(document) ? document : undefined,
    previous: isRecord(previous) ? previous : undefined,
    issues: Array.isArray(issues) ? issues.filter((issue) => typeof issue === 'string') : [],
    at,
  }
}

function isOutcome(value: unknown): value is HistoryOutcome {
  return OUTCOMES.has(value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The same value with the members of its objects in order of their names: a store may give them back in another one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)])
}
