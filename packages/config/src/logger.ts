/** Writes one line: fields first, as pino has it. */
export type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Where log lines go. A pino logger fits as it is. */
export interface Logger {
  readonly debug: LogLine
  readonly info: LogLine
  readonly warn: LogLine
  readonly error: LogLine
}
