import type { Logger, LogLine } from '@understudy/config'
import { oneLine } from '@understudy/config'
import { runHostCode } from '@understudy/core'

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

function ignore(): void {
  // There is nobody left to tell: this was the log.
}
