import type { Logger } from '@understudy/config'
import { oneLine } from '@understudy/config'

/** Says what a person should know. */
export type Warn = (code: string, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** Warnings go to the host's logger, or where Node's own go. */
export function createWarn(logger: Logger | undefined): Warn {
  return (code, message, fields = {}) => {
    if (logger === undefined) process.emitWarning(oneLine(message), { type: 'UnderstudyWarning', code })
    else logger.warn({ code, ...fields }, message)
  }
}
