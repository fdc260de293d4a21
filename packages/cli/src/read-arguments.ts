import { quote, suggestName } from '@understudy/config'
import { parseArgs } from 'node:util'
import { CliError } from './cli-error.js'
import type { Arguments, CommandOption } from './command.js'
import { EXIT } from './exit-code.js'

/** Reads words and options, and refuses what is none of `options`. `usageOf` names the command that they are for. */
export function readArguments(args: readonly string[], options: readonly CommandOption[], usageOf?: string): Arguments {
  const { tokens } = parseArgs({ args: [...args], options: configOf(options), strict: false, allowPositionals: true, tokens: true })
  const known = new Map(options.map((option) => [option.name, option]))
  const words: string[] = []
  const given = new Map<string, string[]>()
  const refuse = (message: string): never => {
    throw new CliError(EXIT.wrongUse, message, { code: 'wrong_use', usageOf })
  }

  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = known.get(name)
    if (option === undefined) {
      // What stands behind a `=` may be a secret.
      return refuse(`there is no option ${rawName} here; ${suggestName(rawName, options.map((one) => `--${one.name}`))}`)
    }
    if (option.value === undefined && value !== undefined) return refuse(`${rawName} takes no value`)
    if (option.value !== undefined && (value === undefined || (!inlineValue && /^-./.test(value)))) {
      return refuse(`${rawName} needs a value: ${rawName} ${option.value}${value === undefined ? '' : `, or ${rawName}=<...> if it begins with a dash`}`)
    }
    const values = given.get(name) ?? []
    if (values.length > 0 && option.multiple !== true) return refuse(`${rawName} is given twice`)
    given.set(name, [...values, value ?? ''])
  }

  return {
    words,
    text: (name) => given.get(name)?.[0],
    texts: (name) => given.get(name) ?? [],
    isGiven: (name) => given.has(name),
  }
}

/** The words of a command, by what they mean: exactly those of one of its forms. */
export function wordsOf(args: Arguments, command: string, names: readonly string[]): readonly string[] {
  const { words } = args
  const missing = names.slice(words.length)
  if (missing.length > 0) {
    throw new CliError(EXIT.wrongUse, `${command} needs ${names.map((name) => `<${name}>`).join(' ')}; <${missing.join('> <')}> is missing`, {
      code: 'wrong_use',
      usageOf: command,
    })
  }
  if (words.length > names.length) {
    const extra = words[names.length] ?? ''
    const takes = names.length === 0 ? 'nothing' : names.map((name) => `<${name}>`).join(' ')
    throw new CliError(EXIT.wrongUse, `${command} takes ${takes}; ${quote(extra)} is too much (a text with spaces needs quotes)`, {
      code: 'wrong_use',
      usageOf: command,
    })
  }
  return words
}

/** An option that has to be there. */
export function required(args: Arguments, command: string, name: string, why: string): string {
  const text = args.text(name)?.trim()
  if (text === undefined || text === '') throw new CliError(EXIT.wrongUse, `--${name} is missing: ${why}`, { code: 'wrong_use', usageOf: command })
  return text
}

/** A whole number from 1 that an option, or a word, has to be. */
export function wholeNumber(text: string, what: string, command: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0) return number
  throw new CliError(EXIT.wrongUse, `${what} is ${quote(text)}; it must be a whole number from 1`, { code: 'wrong_use', usageOf: command })
}

function configOf(options: readonly CommandOption[]): Record<string, { type: 'string' | 'boolean'; multiple: boolean }> {
  return Object.fromEntries(options.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string', multiple: true }] as const))
}
