import type { ConfigIssue } from '@understudy/config'
import { ConfigError } from '@understudy/config'

/** What a header is sent with: a text, or the variable that holds it. */
export type HeaderInput = string | { readonly env: string }

/** What is asked. Only `host` is ever shown: a path and a query may hold a secret. */
export interface HttpSourceTarget {
  readonly origin: string
  readonly path: string
  readonly host: string
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// eslint-disable-next-line no-control-regex -- the line ends and the rest that no header may hold
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/

/** Ours, or made by the connection. */
const RESERVED = new Set(['if-none-match', 'accept-encoding', 'content-length', 'transfer-encoding', 'connection', 'host'])

/** The parts of the address. */
export function readTarget(url: string | URL): HttpSourceTarget {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new ConfigError([{ path: 'httpSource.url', message: 'is not an http:// or https:// URL' }])
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new ConfigError([{ path: 'httpSource.url', message: 'holds credentials; give them as headers' }])
  }
  return { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}`, host: parsed.host }
}

/** The headers of each request. The function holds them, so that printing the source does not show them. */
export function readHeaders(
  input: Readonly<Record<string, HeaderInput>>,
  env: Readonly<Record<string, string | undefined>>,
): () => Record<string, string> {
  const issues: ConfigIssue[] = []
  const headers = Object.entries(input).map(([name, value]): [string, string] => {
    const path = `httpSource.headers['${name}']`
    const text = typeof value === 'object' && value !== null ? fromEnv(value, env) : value
    if (!NAME.test(name) || RESERVED.has(name.toLowerCase())) issues.push({ path: 'httpSource.headers', message: 'has a name that cannot be given' })
    else if (typeof text !== 'string') issues.push({ path, message: whyNone(value) })
    else if (text === '' || UNFIT.test(text)) issues.push({ path, message: 'has a value that no header can have' })
    return [name.toLowerCase(), String(text)]
  })
  if (issues.length > 0) throw new ConfigError(issues)
  return () => Object.fromEntries(headers)
}

function fromEnv({ env: name }: { readonly env: string }, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = typeof name === 'string' && Object.hasOwn(env, name) ? env[name]?.trim() : undefined
  return value === '' ? undefined : value
}

function whyNone(value: HeaderInput): string {
  const named = typeof value === 'object' && value !== null && typeof value.env === 'string'
  return named ? `the environment variable ${value.env} is not set` : `is no text and no { env: 'NAME' }`
}
