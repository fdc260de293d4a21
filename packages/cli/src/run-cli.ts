import { quote, suggestName } from '@understudy/config'
import { readFileSync } from 'node:fs'
import { CliError } from './cli-error.js'
import type { CliContext } from './cli-context.js'
import type { Command } from './command.js'
import { COMMANDS } from './commands.js'
import type { ExitCode } from './exit-code.js'
import { EXIT } from './exit-code.js'
import { readArguments } from './read-arguments.js'
import type { Screen } from './screen.js'
import { createScreen } from './screen.js'
import { shortUsage, usage, usageOf } from './usage.js'

/** The command. Resolves to its exit code, and never rejects. */
export async function runCli(args: readonly string[], context: CliContext): Promise<ExitCode> {
  const screen = createScreen(context)
  const isJson = args.includes('--json')
  try {
    return await dispatch(args, context, screen)
  } catch (error) {
    return tell(error, screen, isJson)
  } finally {
    screen.progress.stop()
  }
}

async function dispatch(args: readonly string[], context: CliContext, screen: Screen): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const about = name === 'help' ? rest[0] : undefined
    screen.print(about === undefined ? usage() : usageOf(commandOf(about)))
    return name === undefined ? EXIT.wrongUse : EXIT.fine
  }
  if (name === '--version' || name === '-v') {
    screen.print(ownVersion())
    return EXIT.fine
  }
  const command = commandOf(name)
  if (asksForHelp(rest)) {
    screen.print(usageOf(command))
    return EXIT.fine
  }
  const parsed = readArguments(rest, command.options, command.name)
  return await command.run({ args: parsed, screen, context, isJson: parsed.isGiven('json') })
}

/** Asked for beside options that are wrong, it is what helps. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).some((arg) => arg === '--help' || arg === '-h')
}

function commandOf(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name)
  if (command !== undefined) return command
  const names = COMMANDS.map((one) => one.name)
  const message = name.startsWith('-') && names.length > 0
    ? `the command comes first, as in understudy status ${optionName(name)} ...`
    : `there is no command ${quote(name)}; ${suggestName(name, names)}`
  throw new CliError(EXIT.wrongUse, message, { code: 'wrong_use' })
}

/** Without its value, which may be a secret. */
function optionName(text: string): string {
  return /^--?[a-z][a-z-]*/.exec(text)?.[0] ?? '--json'
}

function tell(error: unknown, screen: Screen, isJson: boolean): ExitCode {
  const { exitCode, message, options } = error instanceof CliError ? error : unexpected(error)
  const { code, issues = [], fields, usageOf: about } = options
  if (isJson) {
    screen.json({ error: { code, message, ...(issues.length > 0 && { issues }), ...fields }, exit_code: exitCode })
    return exitCode
  }
  screen.note(`understudy: ${message}`)
  // A refusal of the server has them in its message already.
  for (const issue of issues.filter((each) => !message.includes(each.message))) screen.note(`  ${issue.path}: ${issue.message}`)
  const command = COMMANDS.find(({ name }) => name === about)
  if (command !== undefined) screen.note(`\n${shortUsage(command)}\nunderstudy ${command.name} --help says more`)
  return exitCode
}

function unexpected(error: unknown): CliError {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'something was thrown that is no error'
  return new CliError(EXIT.refused, `this should not happen: ${message}`, { code: 'internal_error' })
}

function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
}
