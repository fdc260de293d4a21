import type { Logger, LogLine } from '@understudy/config'
import { oneLine } from '@understudy/config'

/** Runs code of the host. What it throws, or rejects with later, is told to `onTrouble` and goes no further. */
export function runHostCode(code: () => unknown, onTrouble: () => void): void {
  try {
    const result = code()
    if (isThenable(result)) result.then(undefined, onTrouble)
  } catch {
    onTrouble()
  }
}

/**
 * The host's logger, whose own trouble stays its own: a line that cannot be written fails no request. What people, documents and requests
 * name stands in messages in a way that forges no other line.
 */
export function guardLogger(logger: Logger): Logger {
  const line =
    (level: keyof Logger): LogLine =>
    (fields, message) =>
      runHostCode(() => logger[level](fields, oneLine(message)), ignore)
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
}

/** Whether a value of the host's is a promise, of whatever make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function ignore(): void {
  // There is nobody left to tell: this was the log.
}
