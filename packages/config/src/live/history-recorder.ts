import type { ChainSource, HistoryEntry } from './chain-source.js'
import type { LiveHost } from './live-host.js'
import { troubleOf } from './trouble.js'
import { untilAborted } from './until-aborted.js'

/** Has the source keep the history, where it can. Nobody waits for it. */
export interface HistoryRecorder {
  readonly record: (entry: HistoryEntry) => void
  /** What is on its way is waited for, but not for long. */
  readonly close: () => Promise<void>
}

const RECORD_MS = 10_000
const CLOSE_MS = 1_000

/** Makes a recorder. A source that cannot keep an entry is told of once for each row of failures. */
export function createHistoryRecorder(source: ChainSource, { clock, warn }: Pick<LiveHost, 'clock' | 'warn'>): HistoryRecorder {
  const recording = new Map<AbortController, Promise<void>>()
  let isTold = false
  let isClosed = false

  return {
    record(entry) {
      if (source.record === undefined || isClosed) return
      const controller = new AbortController()
      recording.set(controller, record(entry, controller))
    },
    async close() {
      isClosed = true
      const cancel = clock.schedule(CLOSE_MS, () => {
        for (const controller of recording.keys()) controller.abort()
      })
      await Promise.all(recording.values())
      cancel()
    },
  }

  /** Ends with its signal, whether the source heeds that or not. */
  async function record(entry: HistoryEntry, controller: AbortController): Promise<void> {
    const cancel = clock.schedule(RECORD_MS, () => controller.abort())
    try {
      const { signal } = controller
      await untilAborted(new Promise((settle) => settle(source.record?.(entry, signal))), signal)
      isTold = false
    } catch (thrown) {
      const trouble = troubleOf(thrown)
      if (!isTold && !isClosed) {
        warn('UNDERSTUDY_CHAIN_SOURCE', `the source '${source.name}' cannot keep the history (${trouble}): it is kept here alone`, { trouble })
      }
      isTold = true
    } finally {
      cancel()
      recording.delete(controller)
    }
  }
}
