/** Where text goes. */
export interface Terminal {
  readonly write: (text: string) => void
  /** Whether a person looks at it: tables are fitted to its width and coloured, and slow work says so. */
  readonly isTTY: boolean
  /** Characters in a line, as it is now; `undefined` = as many as it takes. */
  readonly columns: () => number | undefined
}

/** What the command reads and writes. */
export interface CliContext {
  readonly out: Terminal
  readonly err: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where relative paths begin. */
  readonly cwd: string
  /** Who runs it, as the operating system says; `undefined` = it does not. */
  readonly user: () => string | undefined
  /** The standard input, to its end. */
  readonly input: () => Promise<string>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Ends the command; the reason is the name of the signal: `SIGINT`. */
  readonly signal: AbortSignal
}
