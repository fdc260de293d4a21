import type { CliContext } from './cli-context.js'
import type { ExitCode } from './exit-code.js'
import type { Screen } from './screen.js'

/** An option of a command. */
export interface CommandOption {
  readonly name: string
  /** What stands behind it: `<text>`; absent = nothing does. */
  readonly value?: string | undefined
  readonly help: string
  /** Whether it may be given several times. Default false. */
  readonly multiple?: boolean | undefined
}

/** What was written behind a command. */
export interface Arguments {
  readonly words: readonly string[]
  /** The value of an option; `undefined` = it was not given. */
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => readonly string[]
  readonly isGiven: (name: string) => boolean
}

/** One call of a command. */
export interface Call {
  readonly args: Arguments
  readonly screen: Screen
  readonly context: CliContext
  /** Whether a script reads the result. */
  readonly isJson: boolean
}

/** One thing that can be done. */
export interface Command {
  readonly name: string
  /** What stands behind its name, one line a form. */
  readonly forms: readonly string[]
  readonly summary: string
  /** More to know, in lines. */
  readonly details?: readonly string[] | undefined
  readonly options: readonly CommandOption[]
  readonly examples: readonly string[]
  /** Throws a `CliError` if it cannot do it. */
  readonly run: (call: Call) => Promise<ExitCode>
}
