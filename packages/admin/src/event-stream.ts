import type { Fallback, FallbackEvent } from '@understudy/http'

import { snakeCase } from './snake-case.js'

/** What a stream of events is made from. */
export interface EventStreamParts {
  readonly fallback: Fallback
  /** What a `status` event brings. */
  readonly status: () => unknown
  /** The types that are sent; the rest still refreshes the status. Default all. */
  readonly types?: ReadonlySet<string> | undefined
  /** Ends the stream. */
  readonly signal: AbortSignal
  readonly tickMs: number
}

/** Over this a reader is too slow, and is told how many it missed. */
const MOST_WAITING = 1_000
/** So many ticks without news, then a status all the same: rests and pins end by the clock. */
const QUIET_TICKS = 5
/** Then a stream ends, and whoever still wants it is asked again who it is. */
const STREAM_MS = 15 * 60_000
/** Worth a status at once. */
const AT_ONCE = /^(?:chain|pin|drill|breaker)-/

/**
 * Everything that a `Fallback` tells, as server-sent events named by type, with a `status` first, whenever something changed, and now and
 * then; comments in between keep proxies from closing it. Content-free as the events are.
 */
export async function* eventStream({ fallback, status, types, signal, tickMs }: EventStreamParts): AsyncGenerator<Uint8Array, void, undefined> {
  let waiting: FallbackEvent[] = []
  let missed = 0
  let isDue = true
  let hasNews = false
  let quietTicks = 0
  let ticks = 0
  let isOver = signal.aborted || fallback.closing.aborted
  let wake: (() => void) | undefined

  const stopListening = fallback.on((event) => {
    hasNews = true
    const isUrgent = AT_ONCE.test(event.type)
    if (isUrgent) isDue = true
    if (types === undefined || types.has(event.type)) {
      if (waiting.length < MOST_WAITING) waiting.push(event)
      else missed += 1
    } else if (!isUrgent) return
    wake?.()
  })
  const timer = setInterval(() => {
    ticks += 1
    quietTicks += 1
    if (hasNews || quietTicks >= QUIET_TICKS) isDue = true
    if (ticks * tickMs >= STREAM_MS) isOver = true
    wake?.()
  }, tickMs)
  timer.unref()
  const end = (): void => {
    isOver = true
    wake?.()
  }
  signal.addEventListener('abort', end)
  fallback.closing.addEventListener('abort', end)

  try {
    while (!isOver) {
      yield Buffer.from(written())
      if (isOver || isDue || waiting.length > 0) continue
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      wake = undefined
    }
  } finally {
    stopListening()
    clearInterval(timer)
    signal.removeEventListener('abort', end)
    fallback.closing.removeEventListener('abort', end)
  }

  /** What there is to say, at once; a comment where there is nothing. */
  function written(): string {
    const events = waiting
    waiting = []
    const lines = events.map((event) => eventText(event.type, snakeCase(event)))
    if (missed > 0) lines.push(eventText('missed', { count: missed }))
    missed = 0
    if (isDue) {
      lines.push(eventText('status', status()))
      isDue = false
      hasNews = false
      quietTicks = 0
    }
    return lines.length > 0 ? lines.join('') : ': here\n\n'
  }
}

function eventText(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`
}
