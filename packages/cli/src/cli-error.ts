import type { ExitCode } from './exit-code.js'

/** One thing that is wrong, as the server or a check says it. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** What there is to say of an error beside its message. */
export interface CliErrorOptions {
  /** What it is called in the output of `--json`. */
  readonly code: string
  readonly issues?: readonly Issue[] | undefined
  /** More of the same in JSON: `actual_version`. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
  /** The command whose usage would help. */
  readonly usageOf?: string | undefined
}

/** The command cannot do what it was asked for, and this says why. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  readonly options: CliErrorOptions

  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions) {
    super(message)
    this.exitCode = exitCode
    this.options = options
  }
}
