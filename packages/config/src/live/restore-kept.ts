import { ConfigError } from '../config-error.js'
import { checkDocument, type CheckedDocument, type DocumentCheck } from '../document/check-document.js'
import type { KnownChains } from '../document/known-chains.js'
import { oneLine } from '../show.js'
import type { HistoryEntry } from './chain-source.js'
import { readLastKnownGood } from './last-known-good.js'
import type { LiveHost } from './live-host.js'
import { keptPins, type Pin } from './pins.js'
import { storedVersion } from './stored-version.js'

/** What a process begins with. */
export type Restored =
  | { readonly type: 'none'; readonly history: readonly HistoryEntry[] }
  | {
      readonly type: 'runs'
      readonly document: CheckedDocument
      /** Milliseconds since the epoch. */
      readonly firstAppliedAt: number
      readonly pins: ReadonlyMap<string, Pin>
      readonly history: readonly HistoryEntry[]
    }
  /** What was kept does not fit the code of this process any more. */
  | {
      readonly type: 'unfit'
      readonly check: Extract<DocumentCheck, { type: 'wrong' }>
      readonly version: number
      readonly history: readonly HistoryEntry[]
    }

/**
 * Reads what was kept over a restart, and judges it by the code as it is now. Nothing is trusted that is damaged. Throws a `ConfigError` if the
 * file is somebody else's: what stands there is not ours to move or to replace.
 */
export function restoreKept(
  path: string | undefined,
  known: KnownChains,
  { wallClock, warn }: Pick<LiveHost, 'wallClock' | 'warn'>,
): Restored {
  const reading = path === undefined ? { type: 'none' as const } : readLastKnownGood(path)
  if (reading.type === 'none') return { type: 'none', history: [] }
  if (reading.type === 'foreign') {
    const message = `is '${oneLine(path ?? '')}', a file that was not written by Understudy and is left as it is; give a path where no file is yet`
    throw new ConfigError([{ path: 'options.chains.lastKnownGood', message }])
  }
  if (reading.type !== 'found') {
    const why = reading.type === 'corrupt' ? 'is damaged and was put aside' : `cannot be read (${reading.trouble})`
    warn('UNDERSTUDY_LAST_KNOWN_GOOD', `the last-known-good file ${why}: the chains in code run until the source answers`)
    return { type: 'none', history: [] }
  }
  const { document: written, firstAppliedAt, pins, history } = reading.kept
  const check = checkDocument(written, known)
  if (check.type === 'wrong') return { type: 'unfit', check, version: storedVersion(written), history }
  const { document } = check
  return { type: 'runs', document, firstAppliedAt, pins: keptPins(document, firstAppliedAt, wallClock(), pins), history }
}
