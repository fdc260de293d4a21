import type { HistoryEntry } from './chain-source.js'

const MOST_ENTRIES = 100
const MOST_CHARACTERS = 1_048_576

/** The history that this process keeps itself, newest first. Bounded. */
export interface LocalHistory {
  readonly add: (entry: HistoryEntry) => void
  readonly entries: () => readonly HistoryEntry[]
}

/** Makes a history that begins with what was kept. */
export function createLocalHistory(kept: readonly HistoryEntry[] = []): LocalHistory {
  let entries = kept
  return {
    add(entry) {
      entries = bounded([entry, ...entries])
    },
    entries: () => entries,
  }
}

function bounded(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let characters = 0
  const tooMuch = entries.findIndex((entry, index) => {
    characters += JSON.stringify(entry).length
    // The newest one is kept whatever its size: a revert needs it.
    return index > 0 && (index >= MOST_ENTRIES || characters > MOST_CHARACTERS)
  })
  return tooMuch === -1 ? entries : entries.slice(0, tooMuch)
}
