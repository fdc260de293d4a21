import type { Command, CommandOption } from './command.js'
import { COMMANDS } from './commands.js'
import { EXIT_MEANINGS } from './exit-code.js'

/** The text of `--help`. */
export function usage(): string {
  return [
    'Usage: understudy <command> [options]',
    '',
    'Sees and changes the chains of a running Understudy, through the control surface that its server mounts.',
    '',
    ...columns(COMMANDS.map(({ name, summary }) => [name, summary])),
    '',
    'understudy <command> --help says more. Exit codes:',
    '',
    ...columns(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning])),
    '',
    'Environment:',
    '',
    ...columns([
      ['UNDERSTUDY_ADMIN_URL', 'where adminMiddleware is mounted'],
      ['UNDERSTUDY_ADMIN_TOKEN', 'sent as a bearer token; never printed'],
      ['NO_COLOR', 'no colours'],
    ]),
  ].join('\n')
}

/** The text of `--help` of one command. */
export function usageOf({ name, forms, summary, details = [], options, examples }: Command): string {
  return [
    ...forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} understudy ${name} ${form}`.trimEnd()),
    '',
    sentence(summary),
    ...details,
    '',
    ...columns(options.map((option) => [optionName(option), option.help])),
    '',
    ...examples.map((example, index) => `${index === 0 ? 'Example:' : '        '} ${example}`),
  ].join('\n')
}

/** The forms of a command in one line each, for an error. */
export function shortUsage({ name, forms }: Command): string {
  return forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} understudy ${name} ${form}`.trimEnd()).join('\n')
}

function optionName({ name, value }: CommandOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}
