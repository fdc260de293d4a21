import type { LastKnownGood } from './last-known-good.js'
import { writeLastKnownGood } from './last-known-good.js'
import { troubleOf } from './trouble.js'

/** The last-known-good file of a process while it runs. */
export interface KeptFile {
  /** Keeps what runs now. Nobody waits for the disk; of several in a row the last one counts. */
  readonly keep: (kept: LastKnownGood) => void
  /** Resolves when the disk has it. Never rejects. */
  readonly flushed: () => Promise<void>
}

/** Makes the file of this path. `onTrouble` is told once for each row of failures. */
export function createKeptFile(path: string | undefined, onTrouble: (trouble: string) => void): KeptFile {
  let next: LastKnownGood | undefined
  let writing: Promise<void> | undefined
  let isTold = false

  return {
    keep(kept) {
      if (path === undefined) return
      next = kept
      writing ??= write(path).finally(() => {
        writing = undefined
      })
    },
    flushed: () => writing ?? Promise.resolve(),
  }

  async function write(file: string): Promise<void> {
    for (let kept = next; kept !== undefined; kept = next) {
      next = undefined
      try {
        await writeLastKnownGood(file, kept)
        isTold = false
      } catch (error) {
        if (!isTold) onTrouble(troubleOf(error))
        isTold = true
      }
    }
  }
}
