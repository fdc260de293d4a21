import { CliError } from './cli-error.js'
import { EXIT } from './exit-code.js'

/** Where the control surface is. */
export interface AdminAddress {
  readonly of: (path: string, query?: Readonly<Record<string, string>>) => URL
  /** As it may be shown: without a query. */
  readonly shown: string
}

/** Reads the address of the control surface. Only its host and path are ever shown. */
export function readAddress(option: string | undefined, variable: string | undefined): AdminAddress {
  const text = (option ?? variable ?? '').trim()
  const from = option === undefined ? 'UNDERSTUDY_ADMIN_URL' : '--url'
  if (text === '') throw wrong('there is no address; give --url, or set UNDERSTUDY_ADMIN_URL: http://127.0.0.1:3000/understudy')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw wrong(`${from} is not an http:// or https:// URL such as http://127.0.0.1:3000/understudy`)
  }
  if (url.username !== '' || url.password !== '') throw wrong(`${from} holds credentials; give them as --header`)
  const base = url.pathname.replace(/\/+$/, '')
  return {
    shown: `${url.origin}${base}`,
    of(path, query = {}) {
      const made = new URL(url)
      made.hash = ''
      made.pathname = `${base}${path}`
      for (const [name, value] of Object.entries(query)) made.searchParams.set(name, value)
      return made
    },
  }
}

function wrong(message: string): CliError {
  return new CliError(EXIT.wrongUse, message, { code: 'wrong_use' })
}
