export { runCli } from './run-cli.js'

export type { CliContext, Terminal } from './cli-context.js'
export type { ExitCode } from './exit-code.js'
