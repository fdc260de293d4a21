import { VersionConflictError } from '@understudy/config'
import type { ChainDocumentJson, ChainSource, HistoryEntry } from '@understudy/config'

/** A store in memory that can be written. What it holds can be set from outside, as another process would. */
export interface MemorySource extends ChainSource {
  held: ChainDocumentJson | undefined
  write?: ChainSource['write']
  readonly entries: HistoryEntry[]
  /** Runs before the next write is looked at. */
  beforeWrite: () => void
  readonly closes: () => number
}

export interface MemorySourceOptions {
  /** Whether it keeps the history. Default true. */
  readonly history?: boolean
  /** Whether it can be written. Default true. */
  readonly write?: boolean
}

export function memorySource(held?: ChainDocumentJson, { history = true, write = true }: MemorySourceOptions = {}): MemorySource {
  const entries: HistoryEntry[] = []
  let closes = 0
  const source: MemorySource = {
    name: 'memory',
    held,
    entries,
    beforeWrite: () => undefined,
    closes: () => closes,
    read: () => Promise.resolve(source.held === undefined ? { type: 'none' } : { type: 'document', document: source.held }),
    ...(write && {
      write: async (document, { expectedVersion }) => {
        await Promise.resolve()
        source.beforeWrite()
        source.beforeWrite = () => undefined
        const version = Number(source.held?.['version'] ?? 0)
        if (version !== expectedVersion) throw new VersionConflictError(expectedVersion, version)
        source.held = document
      },
    }),
    ...(history && {
      record: (entry) => {
        entries.unshift(entry)
        return Promise.resolve()
      },
      history: ({ limit, version }) =>
        Promise.resolve(entries.filter((entry) => version === undefined || entry.version === version).slice(0, limit)),
    }),
    close: () => {
      closes += 1
      return Promise.resolve()
    },
  }
  return source
}
