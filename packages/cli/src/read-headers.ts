import { CliError } from './cli-error.js'
import { EXIT } from './exit-code.js'

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/
const RIGHT = "write --header 'name: value'"

/** Headers as they are sent, with what of them must not be shown. */
export interface ReadHeaders {
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

/** Reads headers as a person writes them. No message has a value in it: it may be a token. */
export function readHeaders(written: readonly string[], token: string | undefined): ReadHeaders {
  const headers = new Map<string, string>()
  const bearer = token?.trim() ?? ''
  if (bearer !== '') {
    if (UNFIT.test(bearer)) throw wrong('UNDERSTUDY_ADMIN_TOKEN has a character in it that no header can have')
    headers.set('authorization', `Bearer ${bearer}`)
  }
  for (const [index, text] of written.entries()) {
    const which = written.length === 1 ? '--header' : `--header ${index + 1} of ${written.length}`
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(0, colon)).trim().toLowerCase()
    const value = text.slice(colon + 1).trim()
    if (colon < 0 || !NAME.test(name)) throw wrong(`${which} has no name in front of a colon; ${RIGHT}`)
    if (value === '' || UNFIT.test(value)) throw wrong(`${which}: '${name}' has no value that a header can have; ${RIGHT}`)
    headers.set(name, value)
  }
  // With and without the scheme: a server that quotes it may leave that out.
  const secrets = [...headers.values()].flatMap((value) => [value, ...value.split(/\s+/).slice(1)])
  return { headers: Object.fromEntries(headers), secrets }
}

function wrong(message: string): CliError {
  return new CliError(EXIT.wrongUse, message, { code: 'wrong_use' })
}
