import type { ChainSource, HistoryEntry } from './chain-source.js'
import type { LiveHost } from './live-host.js'
import { troubleOf } from './trouble.js'

/** Has the source keep the history, where it can. Nobody waits for it. */
export interface HistoryRecorder {
  readonly record: (entry: HistoryEntry) => void
  readonly close: () => void
}

const RECORD_MS = 10_000

/** Makes a recorder. A source that cannot keep an entry is told of once for each row of failures. */
export function createHistoryRecorder(source: ChainSource, { clock, warn }: Pick<LiveHost, 'clock' | 'warn'>): HistoryRecorder {
  const recording = new Set<AbortController>()
  let isTold = false
  let isClosed = false

  return {
    record(entry) {
      if (source.record !== undefined && !isClosed) void record(entry)
    },
    close() {
      isClosed = true
      for (const controller of recording) controller.abort()
    },
  }

  async function record(entry: HistoryEntry): Promise<void> {
    const controller = new AbortController()
    recording.add(controller)
    const cancel = clock.schedule(RECORD_MS, () => controller.abort())
    try {
      await source.record?.(entry, controller.signal)
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
