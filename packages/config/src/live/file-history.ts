import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HistoryEntry, HistoryQuery } from './chain-source.js'
import { orNone } from './file-document.js'
import { withFileLock } from './file-lock.js'
import { identifyEntry, readHistoryEntry } from './history-record.js'
import { replaceFile } from './replace-file.js'

/** Of very large documents fewer are kept. */
const MAX_HISTORY_BYTES = 8 * 1_048_576

interface KeptLine {
  readonly line: string
  readonly entry: HistoryEntry
  /** Noted by the writer, and by no process that judged it yet. */
  readonly written: boolean
}

/** A history in a file of one JSON object a line, oldest first. */
export interface FileHistory {
  readonly add: (entry: HistoryEntry, written: boolean, signal: AbortSignal) => Promise<void>
  readonly list: (query: HistoryQuery) => Promise<readonly HistoryEntry[]>
}

/** Keeps the newest `maxEntries`. Lines that are no entries are dropped at the next change. */
export function createFileHistory(path: string, maxEntries: number): FileHistory {
  return {
    async add(entry, written, signal) {
      await mkdir(dirname(path), { recursive: true })
      await withFileLock(`${path}.lock`, signal, async (assertHeld) => {
        const kept = withEntry(await readLines(path), entry, written)
        if (kept === undefined) return
        const lines = newest(kept, maxEntries).map(({ line }) => `${line}\n`)
        await replaceFile(path, lines.join(''), assertHeld)
      })
    },
    list: async ({ limit, version }) => {
      const entries = (await readLines(path)).map(({ entry }) => entry).reverse()
      return entries.filter((entry) => version === undefined || entry.version === version).slice(0, limit)
    },
  }
}

async function readLines(path: string): Promise<readonly KeptLine[]> {
  const text = (await orNone(readFile(path, 'utf8'))) ?? ''
  return text.split('\n').flatMap((line) => readLine(line) ?? [])
}

function readLine(line: string): KeptLine | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const entry = readHistoryEntry(value)
    if (entry === undefined) return undefined
    return { line, entry, written: typeof value === 'object' && value !== null && Reflect.get(value, 'written') === true }
  } catch {
    // A line that a crash cut.
    return undefined
  }
}

/** `undefined` if the entry is there already. */
function withEntry(kept: readonly KeptLine[], entry: HistoryEntry, written: boolean): readonly KeptLine[] | undefined {
  const identity = identifyEntry(entry)
  const isNoted = (line: KeptLine): boolean => line.written && identifyEntry(line.entry).subject === identity.subject
  if (kept.some((line) => !isNoted(line) && identifyEntry(line.entry).entry === identity.entry)) return undefined
  const made = { line: JSON.stringify(written ? { ...entry, written } : entry), entry, written }
  // In the place of what the writer noted: by now the next one may have noted something behind it.
  const place = kept.findIndex(isNoted)
  if (place === -1) return [...kept, made]
  return kept.flatMap((line, index) => (index === place ? [made] : isNoted(line) ? [] : [line]))
}

function newest(lines: readonly KeptLine[], maxEntries: number): readonly KeptLine[] {
  let bytes = 0
  const first = lines.findLastIndex(({ line }, index) => {
    bytes += Buffer.byteLength(line) + 1
    return bytes > MAX_HISTORY_BYTES || lines.length - index > maxEntries
  })
  return lines.slice(first + 1)
}
