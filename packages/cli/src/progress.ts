import type { Terminal } from './cli-context.js'
import { showDuration } from './duration.js'
import { textWidth } from './text-width.js'

/** A line that says what is waited for. */
export interface Progress {
  /** Says it as soon as it takes noticeably long, with the time it has taken. */
  readonly start: (what: string) => void
  /** Takes the line away. */
  readonly stop: () => void
}

const QUIET_MS = 400
const TICK_MS = 200

/** A progress line on a terminal; elsewhere nothing, since it would stand in logs. */
export function createProgress(terminal: Terminal, now: () => number): Progress {
  let timer: NodeJS.Timeout | undefined
  let isShown = false

  function stop(): void {
    clearInterval(timer)
    timer = undefined
    if (isShown) terminal.write('\r\u001b[K')
    isShown = false
  }

  return {
    start(what) {
      stop()
      if (!terminal.isTTY) return
      const startedAt = now()
      timer = setInterval(() => {
        const ms = now() - startedAt
        if (ms < QUIET_MS) return
        isShown = true
        const text = ms < 1_000 ? what : `${what} (${showDuration(ms)})`
        const columns = terminal.columns() ?? 80
        terminal.write(`\r${textWidth(text) < columns ? text : text.slice(0, Math.max(0, columns - 1))}\u001b[K`)
      }, TICK_MS)
      timer.unref()
    },
    stop,
  }
}
