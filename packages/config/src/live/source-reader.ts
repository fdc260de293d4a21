import type { Cancel, Clock } from '@understudy/core'
import type { ChainSource, SourceReading } from './chain-source.js'
import { troubleOf } from './trouble.js'

/** What a reader stands on. */
export interface SourceReaderOptions {
  readonly source: Pick<ChainSource, 'read' | 'watch'>
  readonly pollMs: number
  readonly jitter: number
  readonly readTimeoutMs: number
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  /** Told what was read. */
  readonly onReading: (reading: SourceReading) => void
  /** Told in a few words why nothing could be read. */
  readonly onTrouble: (code: string) => void
}

/** Reads a source for as long as it lives. */
export interface SourceReader {
  /** The first read begins at once, and nobody waits for it. */
  readonly start: () => void
  /** Reads now; if a read is on its way, once more behind it. Resolves when that is over, however it ended. */
  readonly refresh: () => Promise<void>
  /** One read of its own, past the `etag`. Rejects if it fails or takes too long. */
  readonly readOnce: () => Promise<SourceReading>
  /** Ends reads, watch and timers. Nothing is told any more. */
  readonly close: () => void
}

/** Two pushes within this time are one: a source that cannot stop pushing must not be read without a pause. */
const PUSH_GAP_MS = 50

/** Behind the first failures in a row, which are often over soon: a file that was being written, a store that was restarted. */
const RETRY_MS = 1_200
const RETRIES = 3

/**
 * Polls without an end: whatever a read does, throws, hangs for ever or comes back when nobody waits for it any more, the next one is
 * made. Each read has its own time limit.
 */
export function createSourceReader(options: SourceReaderOptions): SourceReader {
  const { source, pollMs, jitter, readTimeoutMs, clock, random, onReading, onTrouble } = options
  const controllers = new Set<AbortController>()
  let etag: string | undefined
  let reading: Promise<void> | undefined
  let following: Promise<void> | undefined
  let cancelPoll: Cancel | undefined
  let cancelPush: Cancel | undefined
  let unwatch: (() => void) | undefined
  let lastStartedAt = -Infinity
  let failures = 0
  let isClosed = false

  return {
    start() {
      watch()
      void refresh()
    },
    refresh,
    readOnce: () => timedRead(undefined),
    close() {
      isClosed = true
      cancelPoll?.()
      cancelPush?.()
      try {
        unwatch?.()
      } catch {
        // Whatever it still holds is the source's.
      }
      for (const controller of controllers) controller.abort()
    },
  }

  function refresh(): Promise<void> {
    if (isClosed) return Promise.resolve()
    if (reading === undefined) return (reading = read())
    return (following ??= reading.then(() => {
      following = undefined
      return refresh()
    }))
  }

  async function read(): Promise<void> {
    cancelPoll?.()
    lastStartedAt = clock.now()
    try {
      const came = await timedRead(etag)
      if (isClosed) return
      failures = 0
      if (came.type !== 'unchanged') etag = came.type === 'document' ? came.etag : undefined
      onReading(came)
    } catch (error) {
      failures += 1
      if (!isClosed) onTrouble(troubleOf(error))
    } finally {
      reading = undefined
      schedule()
    }
  }

  function schedule(): void {
    if (isClosed) return
    cancelPoll?.()
    const waitMs = failures >= 1 && failures <= RETRIES ? Math.min(RETRY_MS, pollMs) : pollMs
    cancelPoll = clock.schedule(waitMs * (1 + jitter * (2 * random() - 1)), () => void refresh())
  }

  function watch(): void {
    try {
      unwatch = source.watch?.(() => {
        if (isClosed || cancelPush !== undefined) return
        const waitMs = Math.max(0, lastStartedAt + PUSH_GAP_MS - clock.now())
        cancelPush = clock.schedule(waitMs, () => {
          cancelPush = undefined
          void refresh()
        })
      })
    } catch (error) {
      onTrouble(`watch: ${troubleOf(error)}`)
    }
  }

  function timedRead(known: string | undefined): Promise<SourceReading> {
    const controller = new AbortController()
    controllers.add(controller)
    return new Promise<SourceReading>((resolve, reject) => {
      const cancel = clock.schedule(readTimeoutMs, () => controller.abort())
      controller.signal.addEventListener('abort', () => {
        cancel()
        reject(overdue())
      })
      const request = { signal: controller.signal, ...(known === undefined ? undefined : { etag: known }) }
      // A source is the host's code, or its driver's: it may throw where it should reject.
      new Promise<SourceReading>((settle) => settle(source.read(request))).then((given) => resolve(asReading(given)))
        .catch(reject)
        .finally(cancel)
    }).finally(() => controllers.delete(controller))
  }
}

/** What a source of the host's gave. Taken for nothing to read, a document without its frame would be lost without a word. */
function asReading(given: SourceReading): SourceReading {
  const type: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'type') : undefined
  if (type === 'unchanged' || type === 'none' || (type === 'document' && 'document' in given)) return given
  throw new Error("its read gave what is no reading; give { type: 'document', document }, { type: 'unchanged' } or { type: 'none' }")
}

function overdue(): Error {
  return new Error('the source did not answer in time')
}
